//! `key=value;…`, in the grammar of the family the string belongs to.

pub(super) use peaje_engine::Grammar as Family;
use peaje_engine::{PairError, pairs};

use super::keys::{self, Key};
use super::{ConfigError, Place};

/// A setting of the string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) key: Key,
    pub(super) value: String,
    pub(super) place: Place,
}

/// The settings of a string, one for each meaning.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    list: Vec<Setting>,
    pub(super) warnings: Vec<String>,
}

impl Settings {
    pub(super) fn get(&self, key: Key) -> Option<&Setting> {
        self.list.iter().find(|s| s.key == key)
    }

    /// The value, unless it is empty.
    pub(super) fn text(&self, key: Key) -> Option<&str> {
        self.get(key).map(|s| s.value.trim()).filter(|v| !v.is_empty())
    }

    pub(super) fn put(&mut self, setting: Setting, family: Family) {
        match self.list.iter_mut().find(|s| s.key == setting.key) {
            Some(_) if family == Family::Odbc => {}
            Some(there) => *there = setting,
            None => self.list.push(setting),
        }
    }

    /// Takes a key as it was written.
    pub(super) fn note(&mut self, written: &str, value: String, at: usize, family: Family) {
        let place = Place::Text { at };
        match keys::find(written) {
            Some(Key::Ignored) => {}
            Some(key) => self.put(Setting { key, value, place }, family),
            // The key itself could be the rest of an unquoted password.
            None => self.warnings.push(match keys::nearest(written) {
                Some(known) => format!("{place}: an unknown key has no effect; did you mean `{known}`?"),
                None => format!("{place}: an unknown key has no effect (a value that contains `;` needs quotes)"),
            }),
        }
    }
}

/// Reads a whole string of ADO.NET or ODBC.
pub(super) fn parse(text: &str) -> Result<(Settings, Family), ConfigError> {
    let family = Family::of(text);
    let mut settings = Settings::default();
    parse_into(&mut settings, text, 0, family)?;
    Ok((settings, family))
}

/// Reads the part of a string behind `before` bytes.
pub(super) fn parse_into(
    settings: &mut Settings,
    text: &str,
    before: usize,
    family: Family,
) -> Result<(), ConfigError> {
    let syntax = |e: PairError| ConfigError::Syntax {
        place: Place::Text { at: e.at },
        problem: e.problem,
        next_step: e.next_step,
    };
    for pair in pairs(text, before, family).map_err(syntax)? {
        if let Some(at) = pair.braces_at {
            settings.warnings.push(format!(
                "at character {at} of the connection string: {{…}} is read as quotes, as in ODBC; if the braces belong \
                 to the value, write '{{…}}'"
            ));
        }
        settings.note(&pair.key, pair.value, pair.at, family);
    }
    Ok(())
}
