//! Pools as a user declares them: `orders=min:10,max:50,idle:60s,lifetime:30m`.
//!
//! What is not declared is unknown, not a default: every pool has defaults of its own.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The settings of one kind of pool: every client process of the application has one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeclaredPool {
    /// The application's name, as its sessions give it; `None` = every application.
    pub app: Option<String>,
    /// Sessions that the pool keeps.
    pub min: Option<u32>,
    /// Sessions that it opens at most.
    pub max: Option<u32>,
    /// Idle time after which it closes a session, seconds.
    pub idle_s: Option<f64>,
    /// Age at which it replaces a session, seconds.
    pub lifetime_s: Option<f64>,
    /// How often it looks for idle sessions, seconds.
    pub sweep_s: Option<f64>,
    /// Client processes with such a pool.
    pub clients: Option<u32>,
}

/// A declaration that cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DeclaredPoolError {
    /// A part is not `key:value`.
    #[error("`{0}` is no setting of a pool: write key:value, as in app=min:10,max:50,idle:60s,lifetime:30m")]
    NoSetting(String),
    /// A key nobody knows.
    #[error("a pool has no setting `{0}`: there are min, max, idle, lifetime, sweep and clients")]
    UnknownKey(String),
    /// A number that cannot be read.
    #[error("`{key}:{value}` is no number of sessions")]
    NoNumber {
        /// The setting.
        key: String,
        /// What stood there.
        value: String,
    },
    /// A time that cannot be read.
    #[error("`{key}:{value}` is no time: write 60s, 30m, 1h or 500ms")]
    NoTime {
        /// The setting.
        key: String,
        /// What stood there.
        value: String,
    },
    /// The same key twice.
    #[error("`{0}` stands there twice")]
    Twice(String),
    /// More kept than opened.
    #[error("the minimum {min} is above the maximum {max}")]
    MinAboveMax {
        /// Sessions kept.
        min: u32,
        /// Sessions opened.
        max: u32,
    },
}

impl DeclaredPool {
    /// Whether it is a pool of this application; a declaration without a name is of every one.
    pub fn is_of(&self, application: &str) -> bool {
        self.app.as_deref().is_none_or(|app| app.eq_ignore_ascii_case(application))
    }
}

impl FromStr for DeclaredPool {
    type Err = DeclaredPoolError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (app, settings) = match text.rsplit_once('=') {
            Some((app, settings)) => (Some(app.trim()).filter(|app| !app.is_empty()), settings),
            None => (None, text),
        };
        let mut pool = Self { app: app.map(str::to_owned), ..Self::default() };
        for setting in settings.split(',').map(str::trim) {
            pool.set(setting)?;
        }
        match (pool.min, pool.max) {
            (Some(min), Some(max)) if min > max => Err(DeclaredPoolError::MinAboveMax { min, max }),
            _ => Ok(pool),
        }
    }
}

/// As it is declared: what this writes can be read again.
impl fmt::Display for DeclaredPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(app) = &self.app {
            write!(f, "{app}=")?;
        }
        let number = |key: &str, value: Option<u32>| value.map(|value| format!("{key}:{value}"));
        let time = |key: &str, value: Option<f64>| value.map(|value| format!("{key}:{value}s"));
        let settings = [
            number("min", self.min),
            number("max", self.max),
            time("idle", self.idle_s),
            time("lifetime", self.lifetime_s),
            time("sweep", self.sweep_s),
            number("clients", self.clients),
        ];
        f.write_str(&settings.into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

impl DeclaredPool {
    fn set(&mut self, setting: &str) -> Result<(), DeclaredPoolError> {
        let (key, value) = setting.split_once(':').ok_or_else(|| DeclaredPoolError::NoSetting(setting.to_owned()))?;
        let (key, value) = (key.trim(), value.trim());
        match key {
            "min" => once(&mut self.min, key, number(key, value)?),
            "max" => once(&mut self.max, key, number(key, value)?),
            "clients" => once(&mut self.clients, key, number(key, value)?),
            "idle" => once(&mut self.idle_s, key, seconds(key, value)?),
            "lifetime" => once(&mut self.lifetime_s, key, seconds(key, value)?),
            "sweep" => once(&mut self.sweep_s, key, seconds(key, value)?),
            _ => Err(DeclaredPoolError::UnknownKey(key.to_owned())),
        }
    }
}

fn once<T>(place: &mut Option<T>, key: &str, value: T) -> Result<(), DeclaredPoolError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(DeclaredPoolError::Twice(key.to_owned())),
    }
}

fn number(key: &str, value: &str) -> Result<u32, DeclaredPoolError> {
    let wrong = |_| DeclaredPoolError::NoNumber { key: key.to_owned(), value: value.to_owned() };
    value.parse().map_err(wrong)
}

/// A time with its unit; a bare number is seconds.
fn seconds(key: &str, value: &str) -> Result<f64, DeclaredPoolError> {
    let wrong = || DeclaredPoolError::NoTime { key: key.to_owned(), value: value.to_owned() };
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &value[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    if number.is_finite() && number >= 0.0 { Ok(number * unit) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<DeclaredPool, DeclaredPoolError> {
        text.parse()
    }

    #[test]
    fn the_documented_form_is_read() {
        let pool = read("orders=min:10,max:50,idle:60s,lifetime:30m").unwrap();
        let expected = DeclaredPool {
            app: Some("orders".to_owned()),
            min: Some(10),
            max: Some(50),
            idle_s: Some(60.0),
            lifetime_s: Some(1800.0),
            sweep_s: None,
            clients: None,
        };
        assert_eq!(pool, expected);
        assert!(pool.is_of("Orders") && !pool.is_of("billing"));
    }

    #[test]
    fn a_name_may_hold_what_it_likes_and_may_be_left_out() {
        assert_eq!(read("a=b = c=min:1").unwrap().app.as_deref(), Some("a=b = c"));
        let nameless = read("idle:500ms, sweep:2h, clients:330").unwrap();
        assert_eq!((nameless.app.clone(), nameless.idle_s, nameless.sweep_s), (None, Some(0.5), Some(7200.0)));
        assert!(nameless.is_of("anything") && nameless.clients == Some(330));
        assert_eq!(read("idle:90").unwrap().idle_s, Some(90.0));
    }

    #[test]
    fn every_mistake_is_named() {
        use DeclaredPoolError::{MinAboveMax, NoNumber, NoSetting, NoTime, Twice, UnknownKey};
        let (key, value) = ("min".to_owned(), "-3".to_owned());
        assert_eq!(read("app=min:-3"), Err(NoNumber { key, value }));
        let (key, value) = ("idle".to_owned(), "60x".to_owned());
        assert_eq!(read("app=idle:60x"), Err(NoTime { key, value }));
        let (key, value) = ("idle".to_owned(), "inf".to_owned());
        assert_eq!(read("app=idle:inf"), Err(NoTime { key, value }));
        assert_eq!(read("app=minimum:3"), Err(UnknownKey("minimum".to_owned())));
        assert_eq!(read("app=min"), Err(NoSetting("min".to_owned())));
        assert_eq!(read("app="), Err(NoSetting(String::new())));
        assert_eq!(read("app=min:1,min:2"), Err(Twice("min".to_owned())));
        assert_eq!(read("app=min:5,max:2"), Err(MinAboveMax { min: 5, max: 2 }));
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        for text in ["min:1", "shop=min:10,max:50,idle:60s,lifetime:1800s,sweep:0.5s,clients:40", "a=b=max:3"] {
            assert_eq!(text.parse::<DeclaredPool>().expect("a declaration").to_string(), text);
        }
    }
}
