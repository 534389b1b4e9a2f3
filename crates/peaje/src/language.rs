//! The language of reports: as asked for, else from the locale.

use peaje_diagnose::Language;

use crate::args::LanguageArg;

/// The language asked for, or that of the locale; English when the locale speaks another.
pub(crate) fn choose(asked: Option<LanguageArg>) -> Language {
    let from_locale = || {
        ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
            .map_or(
                Language::English,
                |locale| {
                    if locale.starts_with("es") { Language::Spanish } else { Language::English }
                },
            )
    };
    asked.map_or_else(from_locale, Language::from)
}
