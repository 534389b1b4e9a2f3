//! The form `postgresql://user:password@host:port,host:port/database?key=value`.
//!
//! A newcomer would hand this to a URL library. libpq's URIs are not URLs: several hosts with ports, a socket folder
//! in place of a host, an empty host. And an unescaped `/` or `@` in a password shifts everything after it, so no
//! error may repeat the text.

use peaje_engine::{Plus, Undecodable, Zero, percent_decode};

use super::jdbc::{self, SslWords};
use super::pasted::Pasted;
use super::settings::Settings;
use super::{ConfigError, Place};

const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];
const ENCODE_IT: &str =
    "percent-encode special characters of user and password (`@` is %40, `/` is %2F, `:` is %3A, `%` is %25)";

/// Where the text after the scheme begins; `None` when it is no PostgreSQL URI.
pub(super) fn after_scheme(text: &str) -> Option<usize> {
    SCHEMES
        .iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
        .map(|s| s.len())
}

/// Reads a URI; the scheme ends at byte `start`.
pub(super) fn parse(text: &str, start: usize) -> Result<Settings, ConfigError> {
    let uri = Uri { text };
    let mut settings = Settings::default();
    let query = uri.before_parameters(start, Dialect::Libpq, &mut settings)?;
    if query < text.len() {
        for Parameter { key, value, place } in uri.parameters(query + 1, Dialect::Libpq)? {
            if key == "ssl" && value == "true" {
                // The spelling of JDBC, which libpq accepts too, and reads in its own way.
                settings.set("sslmode", "require".to_owned(), place)?;
            } else {
                settings.set(&key, value, place)?;
            }
        }
    }
    Ok(settings)
}

/// Reads a URL of JDBC; the scheme ends at byte `start`.
pub(super) fn parse_jdbc(text: &str, start: usize) -> Result<Pasted, ConfigError> {
    let uri = Uri { text };
    let (mut pasted, mut ssl) = (Pasted::default(), SslWords::default());
    let query = uri.before_parameters(start, Dialect::Jdbc, &mut pasted.settings)?;
    // Without a host the driver goes to localhost, and never to a socket.
    if pasted.settings.raw("host").is_none() {
        pasted.settings.set("host", "localhost".to_owned(), Place::Default)?;
    }
    if query < text.len() {
        for Parameter { key, value, place } in uri.parameters(query + 1, Dialect::Jdbc)? {
            jdbc::note(&mut pasted, &mut ssl, &key, value, place)?;
        }
    }
    jdbc::finish(&mut pasted, ssl)?;
    Ok(pasted)
}

/// Whose URL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Libpq,
    /// A key may stand alone, a value may contain `=`, and a `+` is a space.
    Jdbc,
}

/// A parameter behind the `?`; its value may be a password.
struct Parameter {
    key: String,
    value: String,
    place: Place,
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

    /// User, hosts and database; returns where the parameters begin.
    fn before_parameters(&self, start: usize, dialect: Dialect, settings: &mut Settings) -> Result<usize, ConfigError> {
        let text = self.text;
        // As in libpq: what stands before the first `@` is the user, unless a `/` comes first. JDBC has the password
        // behind the `?`, with an `@` as it likes.
        let ends: &[char] = if dialect == Dialect::Jdbc { &['@', '/', '?'] } else { &['@', '/'] };
        let authority_start = match text[start..].find(ends) {
            Some(i) if text.as_bytes()[start + i] == b'@' => {
                self.credentials(start, start + i, settings)?;
                start + i + 1
            }
            _ => start,
        };
        let after_hosts = self.hosts(authority_start, settings)?;
        let query = text[after_hosts..].find('?').map_or(text.len(), |i| after_hosts + i);
        self.database(after_hosts, query, settings)?;
        Ok(query)
    }

    fn credentials(&self, start: usize, end: usize, settings: &mut Settings) -> Result<(), ConfigError> {
        let colon = self.text[start..end].find(':').map(|i| start + i);
        let user = self.decode(start, colon.unwrap_or(end))?;
        if !user.is_empty() {
            settings.set("user", user, self.place(start))?;
        }
        if let Some(colon) = colon {
            let password = self.decode(colon + 1, end)?;
            if !password.is_empty() {
                settings.set("password", password, self.place(colon + 1))?;
            }
        }
        Ok(())
    }

    /// Hosts and ports up to the path or the query; returns where that begins.
    fn hosts(&self, start: usize, settings: &mut Settings) -> Result<usize, ConfigError> {
        let (mut hosts, mut ports) = (Vec::new(), Vec::new());
        let mut at = start;
        loop {
            let (host, after) = self.host(at)?;
            hosts.push(host);
            at = after;
            let mut port = String::new();
            if self.text[at..].starts_with(':') {
                let end = self.find(at + 1, &['/', '?', ',']);
                port = self.decode(at + 1, end)?;
                if !port.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(self.syntax(at + 1, "the port is not a number", ENCODE_IT));
                }
                at = end;
            }
            ports.push(port);
            if !self.text[at..].starts_with(',') {
                break;
            }
            at += 1;
        }
        for (key, list) in [("host", hosts), ("port", ports)] {
            if list.iter().any(|item| !item.is_empty()) {
                settings.set(key, list.join(","), self.place(start))?;
            }
        }
        Ok(at)
    }

    /// One host and where it ends.
    fn host(&self, start: usize) -> Result<(String, usize), ConfigError> {
        if !self.text[start..].starts_with('[') {
            let end = self.find(start, &[':', '/', '?', ',']);
            if self.text[start..end].contains('@') {
                return Err(self.syntax(start, "there is an `@` in the host", ENCODE_IT));
            }
            return Ok((self.decode(start, end)?, end));
        }
        const BRACKETS: &str = "write an IPv6 address as [address]:port";
        let Some(length) = self.text[start..].find(']') else {
            return Err(self.syntax(start, "the `[` of an IPv6 address is not closed", BRACKETS));
        };
        let end = start + length;
        if length == 1 {
            return Err(self.syntax(start, "the IPv6 address is empty", BRACKETS));
        }
        if self.text[end + 1..].starts_with(|c| ![':', '/', '?', ','].contains(&c)) {
            return Err(self.syntax(end + 1, "unexpected text after an IPv6 address", BRACKETS));
        }
        Ok((self.decode(start + 1, end)?, end + 1))
    }

    fn database(&self, start: usize, end: usize, settings: &mut Settings) -> Result<(), ConfigError> {
        let Some(name) = self.text[start..end].strip_prefix('/') else { return Ok(()) };
        if name.contains('@') {
            return Err(self.syntax(start + 1, "there is an `@` in the database name", ENCODE_IT));
        }
        let name = self.decode(start + 1, end)?;
        if !name.is_empty() {
            settings.set("dbname", name, self.place(start + 1))?;
        }
        Ok(())
    }

    fn parameters(&self, start: usize, dialect: Dialect) -> Result<Vec<Parameter>, ConfigError> {
        const PAIRS: &str = "write ?key=value&key=value; inside a value `&` is %26 and `=` is %3D";
        let (mut at, mut list) = (start, Vec::new());
        loop {
            let end = self.find(at, &['&']);
            let pair = &self.text[at..end];
            let equals = pair.find('=').map(|i| at + i);
            match (equals, dialect) {
                (None, Dialect::Libpq) => return Err(self.syntax(at, "a parameter has no `=`", PAIRS)),
                (Some(equals), Dialect::Libpq) if self.text[equals + 1..end].contains('=') => {
                    return Err(self.syntax(equals + 1, "a parameter has more than one `=`", PAIRS));
                }
                _ => {}
            }
            let key = self.decode_as(dialect, at, equals.unwrap_or(end))?;
            let value = self.decode_as(dialect, equals.map_or(end, |i| i + 1), end)?;
            if !pair.is_empty() {
                list.push(Parameter { key, value, place: self.place(at) });
            }
            if end == self.text.len() {
                return Ok(list);
            }
            at = end + 1;
        }
    }

    fn find(&self, from: usize, ends: &[char]) -> usize {
        self.text[from..].find(ends).map_or(self.text.len(), |i| from + i)
    }

    /// Percent-decodes a part. A `+` stays a `+`.
    fn decode(&self, start: usize, end: usize) -> Result<String, ConfigError> {
        self.decode_as(Dialect::Libpq, start, end)
    }

    fn decode_as(&self, dialect: Dialect, start: usize, end: usize) -> Result<String, ConfigError> {
        let plus = if dialect == Dialect::Jdbc { Plus::Space } else { Plus::Kept };
        percent_decode(&self.text[start..end], plus, Zero::Refused).map_err(|error| match error {
            Undecodable::Zero(at) => self.syntax(start + at, "%00 is not allowed", ENCODE_IT),
            Undecodable::Digits(at) => {
                self.syntax(start + at, "`%` is not followed by two hexadecimal digits", ENCODE_IT)
            }
            Undecodable::NotUtf8 => self.syntax(start, "the percent-encoded bytes are not UTF-8", ENCODE_IT),
        })
    }
}
