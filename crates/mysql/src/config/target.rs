//! The parsed connection string: where to log in, as whom, and how.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use peaje_engine::{Endpoint, PasswordOrigin, Vendor, vendor};
use peaje_model::Secret;

use super::values::{Cleartext, OldPassword, PublicKeyRetrieval, SslMode, TlsVersion};
use super::{ConfigError, Place, Surroundings, assemble, pasted, scheme, uri};

/// Everything a login needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// Hosts in the order in which they are tried; never empty.
    pub endpoints: Vec<Endpoint>,
    /// Login name.
    pub user: String,
    /// Password of the connection string, an option file or `MYSQL_PWD`; a caller that prompts puts the answer here.
    pub password: Option<Secret>,
    /// Where that password came from, for advice.
    pub password_origin: PasswordOrigin,
    /// Database to enter at login; `None` = none.
    pub database: Option<String>,
    /// Whether and how strictly TLS is used.
    pub ssl_mode: SslMode,
    /// Whether TLS was spoken of anywhere (the string, an option file), be it the default's own value.
    pub ssl_mode_is_set: bool,
    /// Trusted roots (PEM); the operating system's when both this and `ssl_ca_path` are `None`.
    pub ssl_ca: Option<PathBuf>,
    /// Folder of trusted roots (PEM).
    pub ssl_ca_path: Option<PathBuf>,
    /// Client certificate chain (PEM).
    pub ssl_cert: Option<PathBuf>,
    /// Client key (PEM).
    pub ssl_key: Option<PathBuf>,
    /// TLS versions allowed; empty = 1.2 and 1.3.
    pub tls_versions: Vec<TlsVersion>,
    /// Whether the server may ask for the password in clear.
    pub cleartext: Cleartext,
    /// Whether the server may ask in the way of versions before 4.1.
    pub old_password: OldPassword,
    /// Whether the server may send its RSA key.
    pub public_key_retrieval: PublicKeyRetrieval,
    /// The server's RSA key (PEM), so that it need not be asked for.
    pub server_public_key: Option<PathBuf>,
    /// Authentication plugin to begin with; `None` = the one the server names.
    pub default_auth: Option<String>,
    /// Statements to run at the end of each login (`init-command`).
    pub init_commands: Vec<String>,
    /// Program name asked for.
    pub program_name: Option<String>,
    /// Limit for each address; `None` = without limit.
    pub connect_timeout: Option<Duration>,
    /// What was accepted and has no effect, files that were not used, …: for a person, without secrets.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads a connection string.
    pub fn parse(text: &str, surroundings: &dyn Surroundings) -> Result<Config, ConfigError> {
        let text = text.trim();
        // A zero byte would end the field early in the login packet, and what follows would be another field.
        if let Some(at) = text.find('\0') {
            let (problem, next_step) = ("a zero byte is not allowed".to_owned(), "remove it");
            return Err(ConfigError::Syntax { place: Place::Text { at: at + 1 }, problem, next_step });
        }
        if vendor(text) != Some(Vendor::Mysql) {
            return assemble::assemble(uri::parse(text)?, surroundings);
        }
        let (parsed, notes) = pasted::parse(text)?;
        let mut config = assemble::assemble(parsed, surroundings)?;
        config.warnings.splice(0..0, notes);
        Ok(config)
    }

    /// Whether a word of the command line looks like a connection string of MySQL or MariaDB: the scheme of a URL, or an
    /// application's `key=value;…` that is no other engine's.
    pub fn is_target(text: &str) -> bool {
        scheme::scheme(text.trim()).is_some() || vendor(text) == Some(Vendor::Mysql)
    }

    /// Whether a password is known; an empty one is a password too.
    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// The connection string as a URL, without the password.
    pub fn display_url(&self) -> String {
        let mut url = format!("mysql://{}@", encode(&self.user));
        for (i, endpoint) in self.endpoints.iter().enumerate() {
            if i > 0 {
                url.push(',');
            }
            write_endpoint(&mut url, endpoint);
        }
        let _ = write!(url, "/{}", self.database.as_deref().map(encode).unwrap_or_default());
        if self.ssl_mode != SslMode::Preferred {
            let _ = write!(url, "?ssl-mode={}", self.ssl_mode.name());
        }
        url
    }
}

/// A Unix socket is written as MySQL Shell reads it: the percent-encoded path in the place of the host.
fn write_endpoint(url: &mut String, endpoint: &Endpoint) {
    match endpoint {
        Endpoint::Tcp { host, port, .. } => {
            let host = if host.contains(':') { format!("[{}]", host.replace('%', "%25")) } else { encode(host) };
            let _ = write!(url, "{host}:{port}");
        }
        Endpoint::Unix { path } => url.push_str(&encode(&path.display().to_string())),
    }
}

/// Percent-encodes everything but RFC 3986's unreserved characters.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
