//! Settings of a session: what `show` and `set` speak of, and what clients are told of.
//!
//! A newcomer would store every setting in every session. A session stores only what its client has changed.

use super::reply::SqlError;
use super::sql::no_setting;

/// Settings a session may change at most, and the length of a value.
const MOST_CHANGED: usize = 100;
const LONGEST_VALUE: usize = 4096;

/// Who may change a setting, and who is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The client may change it; it is told at login and whenever it changes.
    Reported,
    /// The client may change it.
    Quiet,
    /// Fixed; told at login.
    FixedReported,
    /// Fixed.
    Fixed,
}

/// What every PostgreSQL session knows and drivers ask for. Those that differ between servers or sessions stand in
/// [`Own`].
const KNOWN: &[(&str, &str, Kind)] = &[
    ("application_name", "", Kind::Reported),
    ("client_encoding", "UTF8", Kind::Reported),
    ("DateStyle", "ISO, MDY", Kind::Reported),
    ("default_transaction_read_only", "off", Kind::Reported),
    ("in_hot_standby", "off", Kind::FixedReported),
    ("integer_datetimes", "on", Kind::FixedReported),
    ("IntervalStyle", "postgres", Kind::Reported),
    ("is_superuser", "off", Kind::FixedReported),
    ("peaje.reference_server", "on", Kind::FixedReported),
    ("server_encoding", "UTF8", Kind::FixedReported),
    ("server_version", SERVER_VERSION, Kind::FixedReported),
    ("session_authorization", "", Kind::FixedReported),
    ("standard_conforming_strings", "on", Kind::Reported),
    ("TimeZone", "UTC", Kind::Reported),
    ("authentication_timeout", "1min", Kind::Fixed),
    ("bytea_output", "hex", Kind::Quiet),
    ("client_min_messages", "notice", Kind::Quiet),
    ("default_transaction_isolation", "read committed", Kind::Quiet),
    ("extra_float_digits", "1", Kind::Quiet),
    ("idle_in_transaction_session_timeout", "0", Kind::Quiet),
    ("lc_messages", "C", Kind::Quiet),
    ("lock_timeout", "0", Kind::Quiet),
    ("log_connections", "off", Kind::Fixed),
    ("log_disconnections", "off", Kind::Fixed),
    ("max_connections", "", Kind::Fixed),
    ("max_identifier_length", "63", Kind::Fixed),
    ("password_encryption", "scram-sha-256", Kind::Quiet),
    ("port", "", Kind::Fixed),
    ("reserved_connections", "0", Kind::Fixed),
    ("search_path", "\"$user\", public", Kind::Quiet),
    ("server_version_num", SERVER_VERSION_NUM, Kind::Fixed),
    ("session_preload_libraries", "", Kind::Fixed),
    ("shared_preload_libraries", "", Kind::Fixed),
    ("ssl", "", Kind::Fixed),
    ("statement_timeout", "0", Kind::Quiet),
    ("superuser_reserved_connections", "0", Kind::Fixed),
    ("transaction_isolation", "read committed", Kind::Quiet),
    ("transaction_read_only", "off", Kind::Quiet),
];

/// The version drivers decide by: that of a PostgreSQL whose protocol is spoken, and whose it is not.
pub(crate) const SERVER_VERSION: &str = "15.0 (peaje reference server)";

/// The same as a number.
pub(crate) const SERVER_VERSION_NUM: &str = "150000";

/// Values that differ between servers or users.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Own<'a> {
    pub(crate) user: &'a str,
    pub(crate) session_limit: u64,
    pub(crate) port: u16,
    pub(crate) tls: bool,
}

impl Own<'_> {
    fn value(&self, name: &str) -> Option<String> {
        Some(match name {
            "session_authorization" => self.user.to_owned(),
            "max_connections" => self.session_limit.to_string(),
            "port" => self.port.to_string(),
            "ssl" => if self.tls { "on" } else { "off" }.to_owned(),
            _ => return None,
        })
    }
}

/// What the client of a session has changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    changed: Vec<(String, String)>,
    /// Settings the client has not been told of yet.
    untold: Vec<&'static str>,
}

impl Settings {
    /// Changes a setting, or gives it back its default.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), SqlError> {
        let known = KNOWN.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
        if let Some((name, _, Kind::Fixed | Kind::FixedReported)) = known {
            return Err(SqlError::new("55P02", format!("parameter \"{name}\" cannot be changed")));
        }
        if known.is_none() && !is_name(name) {
            return Err(SqlError::new("42602", format!("invalid configuration parameter name \"{name}\"")));
        }
        let name = known.map_or(name, |(name, ..)| name);
        self.changed.retain(|(changed, _)| changed != name);
        if let Some(value) = value {
            if self.changed.len() >= MOST_CHANGED || value.len() > LONGEST_VALUE {
                return Err(SqlError::new("54000", "the reference server keeps 100 settings of 4096 bytes at most"));
            }
            self.changed.push((name.to_owned(), value.to_owned()));
        }
        if let Some((name, _, Kind::Reported)) = known
            && !self.untold.contains(name)
        {
            self.untold.push(name);
        }
        Ok(())
    }

    /// Gives all settings back their defaults; `keep` stays.
    pub(crate) fn reset_all(&mut self, keep: &str) {
        let names: Vec<String> = self.changed.iter().map(|(name, _)| name.clone()).collect();
        for name in names.iter().filter(|name| *name != keep) {
            // It was changed, so it can be.
            let _ = self.set(name, None);
        }
    }

    /// Takes everything back to what it was.
    pub(crate) fn become_like(&mut self, before: Settings) {
        for (name, _, kind) in KNOWN {
            if *kind == Kind::Reported && self.changed(name) != before.changed(name) && !self.untold.contains(name) {
                self.untold.push(name);
            }
        }
        self.changed = before.changed;
    }

    /// The value as the client has changed it.
    pub(crate) fn changed(&self, name: &str) -> Option<&str> {
        self.changed.iter().find(|(changed, _)| changed.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Canonical name and value of a setting.
    pub(crate) fn show(&self, name: &str, own: Own<'_>) -> Result<(String, String), SqlError> {
        let known = KNOWN.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name));
        let canonical = known.map_or(name, |(name, ..)| name);
        let value = self.changed(name).map(str::to_owned).or_else(|| own.value(canonical));
        match value.or_else(|| known.map(|(_, value, _)| (*value).to_owned())) {
            Some(value) => Ok((canonical.to_owned(), value)),
            None => Err(no_setting(name)),
        }
    }

    /// All known settings with their values.
    pub(crate) fn show_all(&self, own: Own<'_>) -> Vec<(String, String)> {
        KNOWN.iter().filter_map(|(name, ..)| self.show(name, own).ok()).collect()
    }

    /// Those that changed since the last call and that the client is told of.
    pub(crate) fn take_untold(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.untold)
    }

    /// Nothing has changed that the client would have to be told.
    pub(crate) fn all_told(&self) -> bool {
        self.untold.is_empty()
    }
}

/// Names of the settings a client is told of at login.
pub(crate) fn reported() -> impl Iterator<Item = (&'static str, &'static str)> {
    KNOWN.iter().filter(|(.., kind)| matches!(kind, Kind::Reported | Kind::FixedReported)).map(|(n, v, _)| (*n, *v))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() < 128 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Own<'static> = Own { user: "ana", session_limit: 7, port: 20_000, tls: true };

    fn value(settings: &Settings, name: &str) -> String {
        settings.show(name, OWN).unwrap().1
    }

    #[test]
    fn defaults_changes_and_resets() {
        let mut settings = Settings::default();
        assert_eq!(value(&settings, "timezone"), "UTC");
        settings.set("timezone", Some("Europe/Madrid")).unwrap();
        settings.set("statement_timeout", Some("5s")).unwrap();
        settings.set("my.own", Some("x")).unwrap();
        assert_eq!(settings.show("TIMEZONE", OWN).unwrap(), ("TimeZone".into(), "Europe/Madrid".into()));
        assert_eq!(value(&settings, "my.own"), "x");
        assert_eq!(settings.take_untold(), ["TimeZone"]);
        settings.reset_all("statement_timeout");
        assert_eq!(value(&settings, "TimeZone"), "UTC");
        assert_eq!(value(&settings, "statement_timeout"), "5s");
        assert_eq!(settings.show("my.own", OWN).unwrap_err().code, "42704");
    }

    #[test]
    fn the_servers_own() {
        let settings = Settings::default();
        for (name, expected) in [
            ("max_connections", "7"),
            ("port", "20000"),
            ("ssl", "on"),
            ("session_authorization", "ana"),
            ("peaje.reference_server", "on"),
        ] {
            assert_eq!(value(&settings, name), expected);
            let changed = Settings::default().set(name, Some("1"));
            assert_eq!(changed.unwrap_err().code, "55P02", "{name}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut settings = Settings::default();
        let errors = (0..200).filter(|n| settings.set(&format!("a.b{n}"), Some("x")).is_err()).count();
        assert_eq!(errors, 100);
        assert_eq!(settings.set("a.b1", Some(&"x".repeat(5000))).unwrap_err().code, "54000");
        assert_eq!(settings.set("a b", Some("x")).unwrap_err().code, "42602");
    }
}
