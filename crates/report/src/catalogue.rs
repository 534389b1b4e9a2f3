//! The sentences of one language: Fluent messages, embedded, looked up by id.
//!
//! Numbers reach a message as numbers (so that it can choose between one and many) and are written by [`Units`];
//! every other figure is formatted before it gets here. Strings of a run are cleaned of control characters on their
//! way in: a server's error message must not be able to drive the terminal.

use std::borrow::Cow;

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use crate::{Language, units::Units};

/// A named value of a sentence.
pub(crate) type Arg<'a> = (&'a str, FluentValue<'a>);

type Bundle = FluentBundle<FluentResource>;

/// The sentences of one language, and how it writes numbers.
pub(crate) struct Catalogue {
    bundle: Bundle,
    /// How this language writes numbers.
    pub(crate) units: Units,
}

/// The embedded files of a language.
pub(crate) const fn sources(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[
            include_str!("../locales/en/report.ftl"),
            include_str!("../locales/en/page.ftl"),
            include_str!("../locales/en/findings.ftl"),
            include_str!("../locales/en/check.ftl"),
            include_str!("../locales/en/sessions.ftl"),
            include_str!("../locales/en/watched.ftl"),
            include_str!("../locales/en/screen.ftl"),
        ],
        Language::Spanish => &[
            include_str!("../locales/es/report.ftl"),
            include_str!("../locales/es/page.ftl"),
            include_str!("../locales/es/findings.ftl"),
            include_str!("../locales/es/check.ftl"),
            include_str!("../locales/es/sessions.ftl"),
            include_str!("../locales/es/watched.ftl"),
            include_str!("../locales/es/screen.ftl"),
        ],
    }
}

/// The language's BCP 47 tag.
pub(crate) const fn tag(language: Language) -> &'static str {
    match language {
        Language::English => "en",
        Language::Spanish => "es",
    }
}

impl Catalogue {
    /// The catalogue of `language`.
    pub(crate) fn of(language: Language) -> Self {
        let locale: LanguageIdentifier = tag(language).parse().expect("a constant tag is well formed");
        let mut bundle = FluentBundle::new(vec![locale]);
        // The isolation marks are for mixed writing directions; in a terminal or a CSV they are stray characters.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match language {
            Language::English => |value, _| written(value, Units::of(Language::English)),
            Language::Spanish => |value, _| written(value, Units::of(Language::Spanish)),
        }));
        for source in sources(language) {
            // A file that does not parse loses only its broken messages here; a test holds that there are none.
            let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(partial, _)| partial);
            bundle.add_resource_overriding(resource);
        }
        Self { bundle, units: Units::of(language) }
    }

    /// The sentence `id`, which needs no values.
    pub(crate) fn word(&self, id: &str) -> String {
        self.say(id, &[])
    }

    /// The sentence `id` with its values. An id that is missing shows as itself: visible, and caught by tests.
    pub(crate) fn say(&self, id: &str, args: &[Arg<'_>]) -> String {
        self.look_up(id, args).unwrap_or_else(|| format!("⟨{id}⟩"))
    }

    /// The sentence `id`, or `message.attribute`; `None` when the catalogue has none or a value is missing in `args`.
    pub(crate) fn look_up(&self, id: &str, args: &[Arg<'_>]) -> Option<String> {
        let (message, attribute) = id.split_once('.').map_or((id, None), |(m, a)| (m, Some(a)));
        let message = self.bundle.get_message(message)?;
        let pattern = match attribute {
            Some(name) => message.get_attribute(name)?.value(),
            None => message.value()?,
        };
        let args: FluentArgs<'_> = args.iter().map(|(key, value)| (*key, cleaned(value.clone()))).collect();
        let mut errors = Vec::new();
        let sentence = self.bundle.format_pattern(pattern, Some(&args), &mut errors);
        errors.is_empty().then(|| sentence.into_owned())
    }

    /// Whether `id` (or `message.attribute`) is there.
    pub(crate) fn has(&self, id: &str) -> bool {
        let (message, attribute) = id.split_once('.').map_or((id, None), |(m, a)| (m, Some(a)));
        self.bundle.get_message(message).is_some_and(|m| match attribute {
            Some(name) => m.get_attribute(name).is_some(),
            None => m.value().is_some(),
        })
    }
}

fn written(value: &FluentValue<'_>, units: Units) -> Option<String> {
    match value {
        FluentValue::Number(n) => Some(units.fixed(n.value, 0)),
        _ => None,
    }
}

fn cleaned(value: FluentValue<'_>) -> FluentValue<'_> {
    match value {
        FluentValue::String(text) if text.contains(is_unsafe) => {
            FluentValue::String(Cow::Owned(without_controls(&text)))
        }
        other => other,
    }
}

/// `text` on one line, [unsafe characters](is_unsafe) replaced by spaces.
pub(crate) fn without_controls(text: &str) -> String {
    text.chars().map(|c| if is_unsafe(c) { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Control characters (escape sequences begin with one) can drive a terminal; marks of writing direction and line
/// separators can disguise what is shown.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_parses_whole_and_repeats_no_id() {
        for language in [Language::English, Language::Spanish] {
            let mut bundle: Bundle = FluentBundle::new(vec![tag(language).parse().unwrap()]);
            for source in sources(language) {
                let resource = FluentResource::try_new((*source).to_owned()).map_err(|(_, errors)| errors).unwrap();
                bundle.add_resource(resource).unwrap();
            }
        }
    }

    #[test]
    fn numbers_are_grouped_and_choose_the_plural() {
        let (en, es) = (Catalogue::of(Language::English), Catalogue::of(Language::Spanish));
        assert_eq!(en.say("n-logins", &[("n", 1.into())]), "1 login");
        assert_eq!(en.say("n-logins", &[("n", 12_345.into())]), "12,345 logins");
        assert_eq!(es.say("n-logins", &[("n", 12_345.into())]), "12.345 inicios de sesión");
    }

    #[test]
    fn a_missing_id_or_value_is_none() {
        let en = Catalogue::of(Language::English);
        assert_eq!(en.look_up("no-such-id", &[]), None);
        assert_eq!(en.look_up("n-logins", &[]), None);
        assert_eq!(en.say("no-such-id", &[]), "⟨no-such-id⟩");
    }

    #[test]
    fn control_characters_of_a_value_do_not_reach_the_sentence() {
        let en = Catalogue::of(Language::English);
        let said = en.say("database", &[("name", "a\u{1b}[2Jb\nc".into())]);
        assert!(!said.contains(char::is_control), "{said:?}");
        assert!(said.contains("a [2Jb c"), "{said:?}");
    }
}
