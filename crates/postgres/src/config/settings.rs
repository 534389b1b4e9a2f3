//! Keys with their values and origins, before anything is made of them.

use std::collections::HashMap;
use std::path::PathBuf;

use super::keywords::{self, KEYWORDS, Keyword, Use};
use super::{ConfigError, Place, Surroundings};

/// A value and where it came from. It may be a password: it has no `Debug`.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) place: Place,
}

/// What was said, by key.
#[derive(Default)]
pub(super) struct Settings(HashMap<&'static str, Value>);

impl Settings {
    /// Sets a key of the connection string; the last one wins.
    pub(super) fn set(&mut self, key: &str, text: String, place: Place) -> Result<(), ConfigError> {
        let keyword = known(key, &place)?;
        self.0.insert(keyword.name, Value { text, place });
        Ok(())
    }

    /// Sets a key that a stronger source has not set.
    pub(super) fn set_weak(&mut self, key: &str, text: String, place: Place) -> Result<(), ConfigError> {
        let keyword = known(key, &place)?;
        self.0.entry(keyword.name).or_insert(Value { text, place });
        Ok(())
    }

    /// Fills what is still unset from the variables.
    pub(super) fn fill_from_variables(&mut self, surroundings: &dyn Surroundings) {
        for keyword in KEYWORDS {
            let Some(variable) = keyword.variable else { continue };
            if self.0.contains_key(keyword.name) {
                continue;
            }
            if let Some(text) = surroundings.var(variable) {
                self.0.insert(keyword.name, Value { text, place: Place::Variable(variable) });
            }
        }
        // Older than sslmode, and still set here and there.
        if !self.0.contains_key("sslmode") && surroundings.var("PGREQUIRESSL").is_some_and(|v| v.starts_with('1')) {
            let place = Place::Variable("PGREQUIRESSL");
            self.0.insert("sslmode", Value { text: "require".to_owned(), place });
        }
    }

    /// A value, also an empty one.
    pub(super) fn raw(&self, key: &'static str) -> Option<&Value> {
        self.0.get(key)
    }

    /// A value that is not empty.
    pub(super) fn get(&self, key: &'static str) -> Option<&Value> {
        self.raw(key).filter(|value| !value.text.is_empty())
    }

    /// The text of a value that is not empty.
    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        self.get(key).map(|value| value.text.clone())
    }

    /// A path.
    pub(super) fn path(&self, key: &'static str) -> Option<PathBuf> {
        self.get(key).map(|value| PathBuf::from(&value.text))
    }

    /// Where a key was set.
    pub(super) fn place(&self, key: &'static str) -> Place {
        self.raw(key).map_or(Place::Default, |value| value.place.clone())
    }

    /// A word of a closed list, or the default.
    pub(super) fn word<T>(
        &self,
        key: &'static str,
        from_name: fn(&str) -> Option<T>,
        allowed: &[&str],
        default: T,
    ) -> Result<T, ConfigError> {
        let Some(value) = self.get(key) else { return Ok(default) };
        from_name(&value.text).ok_or_else(|| ConfigError::BadValue {
            key,
            place: value.place.clone(),
            problem: format!("must be one of {}", allowed.join(", ")),
        })
    }

    /// Notes on what has no effect; an error for what is refused.
    pub(super) fn check_uses(&self, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        for keyword in KEYWORDS {
            let Some(value) = self.get(keyword.name) else { continue };
            match keyword.used {
                Use::Followed => {}
                Use::NoEffect(why) => {
                    warnings.push(format!("{}: `{}` has no effect: {why}", value.place, keyword.name));
                }
                Use::Refused(why) => {
                    return Err(ConfigError::Unsupported {
                        key: keyword.name,
                        place: value.place.clone(),
                        problem: "is not supported".to_owned(),
                        next_step: why,
                    });
                }
            }
        }
        Ok(())
    }
}

fn known(key: &str, place: &Place) -> Result<&'static Keyword, ConfigError> {
    keywords::find(key).ok_or_else(|| ConfigError::UnknownKey {
        place: place.clone(),
        nearest: keywords::nearest(key).map(|known| (key.to_owned(), known)),
    })
}
