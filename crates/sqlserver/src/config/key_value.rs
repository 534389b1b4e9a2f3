//! `key=value;…`, in the grammar of the family the string belongs to.

use super::keys::{self, Key};
use super::{ConfigError, Place};

/// Whose grammar holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Values in `'…'` or `"…"`; the last of equal keys wins.
    AdoNet,
    /// Values in `{…}`; the first of equal keys wins.
    Odbc,
    /// Values in `{…}`; the last of equal keys wins.
    Jdbc,
}

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

/// Whether this is such a string of SQL Server's: a server's key, and nothing that only others have.
pub(super) fn is_target(text: &str) -> bool {
    let pairs: Vec<(String, String)> = text
        .split(';')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (keys::folded(key), value.to_ascii_lowercase()))
        .collect();
    let has = |names: &[&str]| pairs.iter().any(|(key, _)| names.contains(&key.as_str()));
    if let Some((_, driver)) = pairs.iter().find(|(key, _)| key == "driver") {
        return driver.contains("sql server") || driver.contains("freetds") || driver.contains("msodbcsql");
    }
    // MySQL's and PostgreSQL's strings of ADO.NET have `Server` too, and these.
    if has(&["host", "hostname", "hostaddr", "port", "sslmode", "dbname", "username", "charset"]) {
        return false;
    }
    has(&["server", "datasource", "addr", "address", "networkaddress"])
}

/// Reads a whole string of ADO.NET or ODBC.
pub(super) fn parse(text: &str) -> Result<(Settings, Family), ConfigError> {
    let is_odbc = text
        .split(';')
        .filter_map(|pair| pair.split_once('='))
        .any(|(key, _)| matches!(keys::find(key), Some(Key::Driver | Key::Dsn)));
    let family = if is_odbc { Family::Odbc } else { Family::AdoNet };
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
    let mut reader = Reader { text, at: before, family };
    while let Some((key, at)) = reader.key()? {
        let value = reader.value(&mut settings.warnings)?;
        settings.note(&key, value, at, family);
    }
    Ok(())
}

struct Reader<'a> {
    text: &'a str,
    /// Byte.
    at: usize,
    family: Family,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn position(&self, byte: usize) -> usize {
        self.text[..byte].chars().count() + 1
    }

    fn syntax(&self, byte: usize, problem: &'static str, next_step: &'static str) -> ConfigError {
        ConfigError::Syntax { place: Place::Text { at: self.position(byte) }, problem, next_step }
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.at += self.rest().len() - self.rest().trim_start_matches(skipped).len();
    }

    /// The next key and the character it starts at.
    fn key(&mut self) -> Result<Option<(String, usize)>, ConfigError> {
        self.skip(|c| c.is_whitespace() || c == ';' || c == '\0');
        let start = self.at;
        let mut key = String::new();
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { break };
            self.at += c.len_utf8();
            match c {
                // ADO.NET writes an equals sign within a key twice.
                '=' if self.family == Family::AdoNet && self.rest().starts_with('=') => {
                    self.at += 1;
                    key.push('=');
                }
                '=' => return Ok(Some((key.trim().to_owned(), self.position(start)))),
                ';' => break,
                c => key.push(c),
            }
        }
        if key.trim().is_empty() {
            return Ok(None);
        }
        Err(self.syntax(start, "a key without `=`", "write key=value; a value that contains `;` needs quotes"))
    }

    fn value(&mut self, warnings: &mut Vec<String>) -> Result<String, ConfigError> {
        self.skip(char::is_whitespace);
        let start = self.at;
        match (self.rest().chars().next(), self.family) {
            (Some(quote @ ('\'' | '"')), Family::AdoNet) => self.quoted(quote, quote),
            (Some('{'), Family::AdoNet) => {
                // ADO.NET takes braces as they are; strings for mssql-python have no Driver and quote with them.
                if let Ok(value) = self.quoted('{', '}') {
                    let at = self.position(start);
                    warnings.push(format!(
                        "at character {at} of the connection string: {{…}} is read as quotes, as in ODBC; if the braces \
                         belong to the value, write '{{…}}'"
                    ));
                    return Ok(value);
                }
                self.at = start;
                Ok(self.bare())
            }
            (Some('{'), Family::Odbc | Family::Jdbc) => self.quoted('{', '}'),
            _ => Ok(self.bare()),
        }
    }

    fn bare(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(';').unwrap_or(rest.len());
        let value = rest[..end].trim_end().to_owned();
        self.at += end;
        value
    }

    /// A closing quote that is written twice stands for itself.
    fn quoted(&mut self, open: char, close: char) -> Result<String, ConfigError> {
        let start = self.at;
        self.at += open.len_utf8();
        let mut value = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self.syntax(start, "a quote that is not closed", "close it, or write it twice"));
            };
            self.at += c.len_utf8();
            if c != close {
                value.push(c);
            } else if self.rest().starts_with(close) {
                self.at += close.len_utf8();
                value.push(close);
            } else {
                break;
            }
        }
        self.skip(char::is_whitespace);
        if self.rest().is_empty() || self.rest().starts_with(';') {
            return Ok(value);
        }
        Err(self.syntax(self.at, "text behind a closing quote", "write a quote within quotes twice"))
    }
}
