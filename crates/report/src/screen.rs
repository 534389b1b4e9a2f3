//! The words and figures of the live screen of `peaje watch`, for the crate that draws it.
//!
//! A screen and a report say the same thing in the same words. What is returned is clean of control characters: a
//! client's program name must not be able to drive the terminal.

use peaje_model::{Finding, Severity, WatchGroup};

use crate::{
    FindingSentence, Language,
    catalogue::{Catalogue, without_controls},
    findings,
    units::Units,
    watched, words,
};

/// A value of a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A whole number: the sentence may choose between one and many.
    Count(u64),
    /// A word, or a figure that is formatted already.
    Text(&'a str),
}

/// The sentences and figures of one language.
pub struct Words {
    catalogue: Catalogue,
    language: Language,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Words {
    /// The words of `language`.
    pub fn of(language: Language) -> Self {
        Self { catalogue: Catalogue::of(language), language }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The sentence `id`, which needs no values.
    pub fn word(&self, id: &str) -> String {
        self.catalogue.word(id)
    }

    /// The sentence `id` with its values. An id that is missing shows as itself, in angle brackets.
    pub fn say(&self, id: &str, values: &[(&str, Value<'_>)]) -> String {
        let args: Vec<_> = values
            .iter()
            .map(|(name, value)| match value {
                Value::Count(n) => (*name, (*n).into()),
                Value::Text(text) => (*name, (*text).into()),
            })
            .collect();
        self.catalogue.say(id, &args)
    }

    /// The word `kind-name`, or `name` itself where the catalogue has none.
    pub fn named(&self, kind: &str, name: &str) -> String {
        self.catalogue.look_up(&format!("{kind}-{name}"), &[]).unwrap_or_else(|| without_controls(name))
    }

    /// A finding in words.
    pub fn finding(&self, finding: &Finding) -> FindingSentence {
        findings::sentence(&self.catalogue, finding)
    }

    /// The title of a diagnosis.
    pub fn title(&self, code: &str) -> String {
        self.catalogue.look_up(code, &[]).unwrap_or_else(|| without_controls(code))
    }

    /// How much a finding matters.
    pub fn severity(&self, severity: Severity) -> String {
        words::severity(&self.catalogue, severity)
    }

    /// The verdict on a group in a few words: `does not pool (likely)`.
    pub fn verdict(&self, group: &WatchGroup) -> String {
        without_controls(&watched::verdict(&self.catalogue, group))
    }

    /// What PAL's rule says of an instance's rate, in a few words, and why it misleads; `None` where it says nothing.
    pub fn pal(&self, group: &WatchGroup) -> Option<(String, String)> {
        let id = match watched::pal(group)? {
            watched::Pal::Alarms => "screen-pal-alarms",
            watched::Pal::Silent => "screen-pal-silent",
        };
        Some((self.catalogue.word(id), self.catalogue.word("screen-pal-why")))
    }

    /// A whole number.
    pub fn count(&self, n: u64) -> String {
        self.catalogue.units.count(n)
    }

    /// A number of sessions, which may be a mean: whole.
    pub fn sessions(&self, n: Option<f64>) -> String {
        self.catalogue.units.or_absent(n, |units, n| units.fixed(n, 0))
    }

    /// A rate, about three digits without a unit. Small is not zero: `0.011`, `<0.001`.
    pub fn rate(&self, per_s: Option<f64>) -> String {
        self.catalogue.units.or_absent(per_s, |units, rate| match rate {
            0.000_001..0.000_5 => format!("<{}", units.fixed(0.001, 3)),
            0.000_5..0.099_5 => units.fixed(rate, 3),
            _ => units.figure(rate),
        })
    }

    /// A share (0 to 1) as per cent.
    pub fn share(&self, share: Option<f64>) -> String {
        self.catalogue.units.or_absent(share, Units::share)
    }

    /// How long a session lives, in the unit that a person would choose: `0.30 s`, `40 s`, `12 min`, `3.5 h`, `4.1 d`.
    pub fn life(&self, seconds: Option<f64>) -> String {
        self.catalogue.units.or_absent(seconds, Units::life)
    }

    /// `text` without anything that could drive a terminal.
    pub fn clean(text: &str) -> String {
        without_controls(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_drive_the_terminal() {
        let words = Words::of(Language::English);
        assert_eq!(words.named("grade", "likely"), "likely");
        assert_eq!(words.named("grade", "\u{1b}[2Jx"), "[2Jx");
        assert_eq!(Words::clean("a\u{202e}b\nc"), "a b c");
    }

    #[test]
    fn a_small_rate_is_not_zero() {
        let words = Words::of(Language::English);
        for (rate, said) in [(0.0, "0.00"), (0.0001, "<0.001"), (0.002, "0.002"), (0.25, "0.25"), (12.44, "12.4")] {
            assert_eq!(words.rate(Some(rate)), said);
        }
        assert_eq!(words.rate(None), "–");
    }

    #[test]
    fn a_life_is_told_in_the_unit_a_person_would_choose() {
        let (en, es) = (Words::of(Language::English), Words::of(Language::Spanish));
        let table = [
            (0.0, "0 s"),
            (0.3, "300 ms"),
            (1.0, "1 s"),
            (6.774, "6.8 s"),
            (40.2, "40 s"),
            (119.0, "119 s"),
            (720.0, "12 min"),
            (7_199.0, "120 min"),
            (12_600.0, "3.5 h"),
            (172_000.0, "48 h"),
            (354_240.0, "4.1 d"),
        ];
        for (seconds, said) in table {
            assert_eq!(en.life(Some(seconds)), said, "{seconds}");
        }
        assert_eq!(es.life(Some(12_600.0)), "3,5 h");
        assert_eq!(en.life(None), "–");
        assert_eq!(en.life(Some(f64::NAN)), "–");
    }
}
