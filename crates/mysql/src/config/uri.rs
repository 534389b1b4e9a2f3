//! The form `mysql://user:password@host:port,host:port/database?key=value`, as drivers and MySQL Shell write it, and
//! `jdbc:mysql://…`.
//!
//! A newcomer would hand this to a URL library. There are several hosts with ports, socket paths in the place of a
//! host, and passwords whose unescaped `/` or `?` shifts everything after it, so no error may repeat the text.

use peaje_engine::{Plus, Undecodable, Zero, percent_decode};

use super::scheme::{Scheme, scheme};
use super::settings::Settings;
use super::{ConfigError, Place};

const ENCODE_IT: &str =
    "percent-encode special characters of user and password (`@` is %40, `/` is %2F, `:` is %3A, `?` is %3F)";

/// Reads a URL. Also gives the names of unknown JDBC keys that were left out.
pub(super) fn parse(text: &str) -> Result<Parsed, ConfigError> {
    let start = text.find("://").map_or(0, |i| i + 3);
    let uri = Uri { text };
    let scheme = match scheme(text) {
        Some(Scheme::Refused(problem, next_step)) => {
            let (place, problem) = (Place::Text { at: 1 }, problem.to_owned());
            return Err(ConfigError::Unsupported { place, problem, next_step });
        }
        Some(known) => known,
        None => return Err(uri.syntax(0, "no MySQL URL", "write mysql://user@host:port/database")),
    };
    let mut parsed = Parsed::default();
    let authority_end = uri.authority_end(start);
    let hosts_start = match text[start..authority_end].rfind('@') {
        // An `@` of the user's or the password's own is forgiven: the last one ends them.
        Some(i) => {
            uri.credentials(start, start + i, &mut parsed.settings)?;
            start + i + 1
        }
        None => start,
    };
    uri.hosts(hosts_start, authority_end, &mut parsed)?;
    let query = uri.find(authority_end, text.len(), '?');
    uri.database(authority_end, query, &mut parsed.settings)?;
    if query < text.len() {
        uri.parameters(query + 1, scheme, &mut parsed)?;
    }
    Ok(parsed)
}

/// One host as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// Name or address, and the port if there is one.
    Tcp(String, Option<u16>),
    /// A socket's path.
    Socket(String),
}

/// What a URL says.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) hosts: Vec<Host>,
    pub(super) settings: Settings,
    /// Keys of the driver's own.
    pub(super) left_out: Vec<String>,
}

struct Uri<'a> {
    text: &'a str,
}

impl Uri<'_> {
    fn place(&self, byte: usize) -> Place {
        Place::Text { at: self.text[..byte].chars().count() + 1 }
    }

    fn syntax(&self, byte: usize, problem: &str, next_step: &'static str) -> ConfigError {
        ConfigError::Syntax { place: self.place(byte), problem: problem.to_owned(), next_step }
    }

    fn find(&self, from: usize, to: usize, end: char) -> usize {
        self.text[from..to].find(end).map_or(to, |i| from + i)
    }

    /// Where user, password and hosts end: at the first `/` or `?` outside of a socket's parentheses.
    fn authority_end(&self, start: usize) -> usize {
        let (mut in_parentheses, mut before) = (false, '@');
        for (i, c) in self.text[start..].char_indices() {
            match c {
                '(' if matches!(before, '@' | ',') && self.text[start + i..].contains(')') => in_parentheses = true,
                ')' => in_parentheses = false,
                '/' | '?' if !in_parentheses => return start + i,
                _ => {}
            }
            before = c;
        }
        self.text.len()
    }

    fn credentials(&self, start: usize, end: usize, settings: &mut Settings) -> Result<(), ConfigError> {
        let colon = self.find(start, end, ':');
        let user = self.decode(start, colon)?;
        if !user.is_empty() {
            settings.set("user", Some(user), self.place(start))?;
        }
        if colon < end {
            // `user:@host` says that there is no password: nobody needs to be asked for it.
            settings.set("password", Some(self.decode(colon + 1, end)?), self.place(colon + 1))?;
        }
        Ok(())
    }

    fn hosts(&self, start: usize, end: usize, parsed: &mut Parsed) -> Result<(), ConfigError> {
        if start == end {
            return Ok(());
        }
        let mut at = start;
        loop {
            let stop = self.host_end(at, end);
            parsed.hosts.push(self.host(at, stop)?);
            if stop == end {
                return Ok(());
            }
            at = stop + 1;
        }
    }

    /// Where one host ends: at a comma outside of brackets and parentheses.
    fn host_end(&self, start: usize, end: usize) -> usize {
        let mut depth = 0usize;
        for (i, c) in self.text[start..end].char_indices() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => return start + i,
                _ => {}
            }
        }
        end
    }

    fn host(&self, start: usize, end: usize) -> Result<Host, ConfigError> {
        const BRACKETS: &str = "write an IPv6 address as [address]:port";
        let text = &self.text[start..end];
        if text.to_ascii_lowercase().starts_with("address=") {
            return Err(self.syntax(start, "the form address=(…) is not read", "write host:port"));
        }
        if text.contains(['(', ')']) {
            return self.parenthesized(start, end);
        }
        let (name, after) = if text.starts_with('[') {
            let close = self.find(start, end, ']');
            if close == end || close == start + 1 {
                return Err(self.syntax(start, "the IPv6 address in brackets is not complete", BRACKETS));
            }
            (self.decode(start + 1, close)?, close + 1)
        } else {
            let colon = self.find(start, end, ':');
            (self.decode(start, colon)?, colon)
        };
        if name.starts_with('/') {
            return if after == end { Ok(Host::Socket(name)) } else { Err(self.not_a_port(after)) };
        }
        if name.is_empty() {
            return Err(self.syntax(
                start,
                "a host is empty",
                "write host:port, or nothing at all for the local server",
            ));
        }
        Ok(Host::Tcp(name, self.port(after, end)?))
    }

    /// MySQL Shell's `(/path/to/socket)`; Go's drivers write `tcp(host:port)` and are not understood here.
    fn parenthesized(&self, start: usize, end: usize) -> Result<Host, ConfigError> {
        let inner = self.text[start..end].strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let inner = inner.filter(|path| path.starts_with('/'));
        match inner {
            Some(path) => Ok(Host::Socket(path.to_owned())),
            None => Err(self.syntax(
                start,
                "parentheses hold a socket's path",
                "write (/path/to/mysql.sock), or host:port without them",
            )),
        }
    }

    fn port(&self, start: usize, end: usize) -> Result<Option<u16>, ConfigError> {
        if start == end {
            return Ok(None);
        }
        let digits = self.text[start..end].strip_prefix(':').ok_or_else(|| self.not_a_port(start))?;
        if digits.is_empty() {
            return Ok(None);
        }
        match digits.parse::<u16>() {
            Ok(port) if port > 0 && digits.bytes().all(|b| b.is_ascii_digit()) => Ok(Some(port)),
            _ => Err(self.not_a_port(start)),
        }
    }

    fn not_a_port(&self, byte: usize) -> ConfigError {
        self.syntax(byte, "the port is not a number from 1 to 65535", ENCODE_IT)
    }

    fn database(&self, start: usize, end: usize, settings: &mut Settings) -> Result<(), ConfigError> {
        let Some(name) = self.text[start..end].strip_prefix('/') else { return Ok(()) };
        if name.contains('@') {
            return Err(self.syntax(start + 1, "there is an `@` in the database name", ENCODE_IT));
        }
        let name = self.decode(start + 1, end)?;
        if !name.is_empty() {
            settings.set("database", Some(name), self.place(start + 1))?;
        }
        Ok(())
    }

    fn parameters(&self, start: usize, scheme: Scheme, parsed: &mut Parsed) -> Result<(), ConfigError> {
        const PAIRS: &str = "write ?key=value&key=value; inside a value `&` is %26 and `=` is %3D";
        let mut at = start;
        loop {
            let end = self.find(at, self.text.len(), '&');
            let equals = self.find(at, end, '=');
            if equals == end && at < end {
                return Err(self.syntax(at, "a parameter has no `=`", PAIRS));
            }
            if at < end {
                let key = self.decode(at, equals)?;
                let value = self.decode(equals + 1, end)?;
                match parsed.settings.set(&key, Some(value), self.place(at)) {
                    Err(ConfigError::UnknownKey { nearest: None, .. })
                        if scheme == Scheme::Jdbc && !touches_security(&key) =>
                    {
                        parsed.left_out.push(key);
                    }
                    result => result?,
                }
            }
            if end == self.text.len() {
                return Ok(());
            }
            at = end + 1;
        }
    }

    /// Percent-decodes a part. A `+` stays a `+`.
    fn decode(&self, start: usize, end: usize) -> Result<String, ConfigError> {
        percent_decode(&self.text[start..end], Plus::Kept, Zero::Refused).map_err(|error| match error {
            Undecodable::Zero(at) => self.syntax(start + at, "%00 is not allowed", ENCODE_IT),
            Undecodable::Digits(at) => {
                self.syntax(start + at, "`%` is not followed by two hexadecimal digits", ENCODE_IT)
            }
            Undecodable::NotUtf8 => self.syntax(start, "the percent-encoded bytes are not UTF-8", ENCODE_IT),
        })
    }
}

/// Whether a key looks as if something were checked less when it is left out.
fn touches_security(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["ssl", "tls", "cert", "auth", "key"].iter().any(|part| key.contains(part))
}
