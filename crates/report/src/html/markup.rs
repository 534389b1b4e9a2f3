//! Markup that is escaped by construction: text becomes [`Html`] only through [`text`], which escapes it.
//!
//! [`trusted`] takes text as it stands; it is for our own style sheet and for plots, whose backend escapes.

use std::fmt::Write as _;

use crate::catalogue::is_unsafe;

/// Units that stay with their number.
const UNITS: [&str; 8] = ["µs", "ms", "s", "%", "B", "KiB", "MiB", "GiB"];

/// Markup that may stand in the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn into_string(self) -> String {
        self.0
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(parts: I) -> Self {
        Html(parts.into_iter().map(|part| part.0).collect())
    }
}

/// Text of a run or a catalogue; a number and its unit do not part at the end of a line.
pub(super) fn text(text: &str) -> Html {
    let escaped = escape(text);
    let mut glued = String::with_capacity(escaped.len());
    let mut words = escaped.split(' ').peekable();
    while let Some(word) = words.next() {
        glued.push_str(word);
        let ends_in_digit = word.ends_with(|c: char| c.is_ascii_digit());
        match words.peek() {
            Some(next) if ends_in_digit && is_unit(next) => glued.push('\u{a0}'),
            Some(_) => glued.push(' '),
            None => {}
        }
    }
    Html(glued)
}

fn is_unit(word: &str) -> bool {
    UNITS.contains(&word.trim_end_matches(['.', ',', ';', ':', ')', '?']))
}

/// Markup made by us.
pub(super) fn trusted(markup: impl Into<String>) -> Html {
    Html(markup.into())
}

/// `<name attributes>inside</name>`; values of attributes are escaped, names must be constants.
pub(super) fn element(name: &'static str, attributes: &[(&'static str, &str)], inside: Html) -> Html {
    let mut out = format!("<{name}");
    for (key, value) in attributes {
        let _ = write!(out, " {key}=\"{}\"", escape(value));
    }
    // Taking the inside by value keeps calls free of borrows of temporaries.
    let Html(inside) = inside;
    let _ = writeln!(out, ">{inside}</{name}>");
    Html(out)
}

/// An element with text alone and no attributes.
pub(super) fn simple(name: &'static str, words: &str) -> Html {
    element(name, &[], text(words))
}

/// Several pieces, one after the other.
pub(super) fn all(parts: impl IntoIterator<Item = Html>) -> Html {
    parts.into_iter().collect()
}

/// Nothing.
pub(super) fn nothing() -> Html {
    Html::default()
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in HTML either.
            c if is_unsafe(c) && c != '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_unit_beside_it() {
        assert_eq!(text("of 4.2 ms, 3 % or 7 so").into_string(), "of 4.2\u{a0}ms, 3\u{a0}% or 7 so");
    }

    #[test]
    fn text_cannot_become_markup_in_content_or_attribute() {
        let hostile = "<script>alert('1')</script>\" onload=\"x&\u{1b}\u{202e}";
        let page = element("p", &[("title", hostile)], text(hostile)).into_string();
        assert_eq!(page.matches('<').count(), 2, "{page}");
        assert_eq!(page.matches('"').count(), 2, "{page}");
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    }
}
