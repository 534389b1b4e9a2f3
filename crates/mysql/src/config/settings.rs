//! Keys with their values and origins, before anything is made of them.

use std::collections::HashMap;
use std::path::PathBuf;

use super::keys::{self, KEYS, Use};
use super::{ConfigError, Place};

/// A value and where it came from. It may be a password: it has no `Debug`.
#[derive(Clone)]
pub(super) struct Value {
    /// `None` = the key alone, as option files have it (`skip-ssl`).
    pub(super) text: Option<String>,
    pub(super) place: Place,
}

/// What one source said, by key.
#[derive(Default)]
pub(super) struct Settings(HashMap<&'static str, Value>);

impl Settings {
    /// Sets a key; the last one wins. A key that is not known is an error.
    pub(super) fn set(&mut self, key: &str, text: Option<String>, place: Place) -> Result<(), ConfigError> {
        match keys::find(key) {
            Some(known) => {
                self.0.insert(known.name, Value { text, place });
                Ok(())
            }
            None => {
                Err(ConfigError::UnknownKey { place, nearest: keys::nearest(key).map(|near| (key.to_owned(), near)) })
            }
        }
    }

    /// A value, also an empty one.
    pub(super) fn raw(&self, key: &'static str) -> Option<&Value> {
        debug_assert!(KEYS.iter().any(|k| k.name == key), "{key} is not in the list");
        self.0.get(key)
    }

    /// The text of a value that is not empty.
    pub(super) fn text(&self, key: &'static str) -> Option<&str> {
        self.raw(key)?.text.as_deref().filter(|text| !text.is_empty())
    }

    /// A path.
    pub(super) fn path(&self, key: &'static str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    /// Where a key was set.
    pub(super) fn place(&self, key: &'static str) -> Place {
        self.raw(key).map_or(Place::Default, |value| value.place.clone())
    }

    /// A switch: the key alone, or a word for yes or no.
    pub(super) fn switch(&self, key: &'static str) -> Result<Option<bool>, ConfigError> {
        let Some(value) = self.raw(key) else { return Ok(None) };
        let Some(text) = &value.text else { return Ok(Some(true)) };
        match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "on" | "yes" => Ok(Some(true)),
            "0" | "false" | "off" | "no" => Ok(Some(false)),
            _ => Err(self.bad(key, "must be true or false")),
        }
    }

    /// A complaint about a value.
    pub(super) fn bad(&self, key: &'static str, problem: impl Into<String>) -> ConfigError {
        ConfigError::BadValue { key, place: self.place(key), problem: problem.into() }
    }

    /// Notes on what has no effect; an error for what is refused.
    pub(super) fn check_uses(&self, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        for key in KEYS {
            let Some(value) = self.0.get(key.name) else { continue };
            match key.used {
                Use::Followed => {}
                Use::NoEffect(why) => {
                    warnings.push(format!("{}: `{}` has no effect: {why}", value.place, key.name));
                }
                Use::Refused(next_step) => {
                    return Err(ConfigError::Unsupported {
                        place: value.place.clone(),
                        problem: format!("`{}` is not supported", key.name),
                        next_step,
                    });
                }
            }
        }
        Ok(())
    }
}
