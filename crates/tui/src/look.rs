//! How the screen looks: the language, colours or none, and which glyphs the terminal can show.
//!
//! Nothing depends on colour: what it marks carries a word or a sign as well.

use peaje_diagnose::Language;
use ratatui::style::{Color, Modifier, Style};

/// Whether colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colours {
    /// Bold, dimmed and reversed text alone (`NO_COLOR`).
    #[default]
    None,
    /// The terminal's own sixteen.
    Sixteen,
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    /// Everything.
    #[default]
    Unicode,
    /// ASCII: accents are dropped, curves are drawn with punctuation.
    Ascii,
}

impl Glyphs {
    /// What a locale's terminal can show, from the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set and not empty.
    pub fn of_locale(locale: Option<&str>) -> Self {
        let charset = locale.unwrap_or_default().to_ascii_lowercase();
        if charset.contains("utf-8") || charset.contains("utf8") { Self::Unicode } else { Self::Ascii }
    }
}

/// How the screen looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The language of all words.
    pub language: Language,
    /// Colours or none.
    pub colours: Colours,
    /// Which glyphs.
    pub glyphs: Glyphs,
}

/// What a piece of text is, and so how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Body,
    Title,
    Heading,
    Strong,
    Alarm,
    Warning,
    Good,
    Note,
    Curve,
    Selected,
}

impl Look {
    pub(crate) fn style(self, role: Role) -> Style {
        let plain = Style::new();
        let coloured = |colour: Color| match self.colours {
            Colours::None => plain,
            Colours::Sixteen => plain.fg(colour),
        };
        match role {
            Role::Body => plain,
            Role::Heading | Role::Strong => plain.add_modifier(Modifier::BOLD),
            Role::Alarm => coloured(Color::Red).add_modifier(Modifier::BOLD),
            Role::Warning => coloured(Color::Yellow).add_modifier(Modifier::BOLD),
            Role::Good => coloured(Color::Green),
            Role::Note => plain.add_modifier(Modifier::DIM),
            Role::Curve => coloured(Color::Cyan),
            Role::Title | Role::Selected => plain.add_modifier(Modifier::REVERSED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_utf8_locale_shows_unicode() {
        let table = [
            (Some("en_US.UTF-8"), Glyphs::Unicode),
            (Some("es_ES.utf8"), Glyphs::Unicode),
            (Some("C.UTF-8"), Glyphs::Unicode),
            (Some("C"), Glyphs::Ascii),
            (Some("es_ES@euro"), Glyphs::Ascii),
            (Some(""), Glyphs::Ascii),
            (None, Glyphs::Ascii),
        ];
        for (locale, glyphs) in table {
            assert_eq!(Glyphs::of_locale(locale), glyphs, "{locale:?}");
        }
    }

    #[test]
    fn without_colours_no_role_has_one() {
        let look = Look::default();
        for role in [Role::Alarm, Role::Warning, Role::Good, Role::Curve, Role::Body, Role::Note, Role::Title] {
            let style = look.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
    }
}
