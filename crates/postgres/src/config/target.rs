//! The parsed connection string: where to log in, as whom, and how.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use peaje_engine::{Endpoint, PasswordOrigin, Vendor, vendor};
use peaje_model::Secret;

use super::pasted::{self, Pasted};
use super::values::{
    ChannelBindingMode, RequireAuth, RootCert, SslMode, SslNegotiation, TargetSessionAttrs, TlsVersion,
};
use super::{ConfigError, Place, Surroundings, assemble, jdbc, key_value, keywords, uri};

/// Everything a login needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// Hosts in the order in which they are tried; never empty.
    pub endpoints: Vec<Endpoint>,
    /// Login name.
    pub user: String,
    /// Password of the connection string, the service file or `PGPASSWORD`; a caller that prompts puts the answer
    /// here. It wins over the password file.
    pub password: Option<Secret>,
    /// Where that password came from, for advice.
    pub password_origin: PasswordOrigin,
    /// Password found in the password file for each endpoint.
    pub(super) file_passwords: Vec<Option<Secret>>,
    /// Database name.
    pub database: String,
    /// Whether and how strictly TLS is used.
    pub ssl_mode: SslMode,
    /// Whether `sslmode` was said anywhere (the string, the service file, a variable), be it the default's own value.
    pub ssl_mode_is_set: bool,
    /// How TLS begins.
    pub ssl_negotiation: SslNegotiation,
    /// Trusted roots.
    pub ssl_root_cert: Option<RootCert>,
    /// Client certificate chain (PEM).
    pub ssl_cert: Option<PathBuf>,
    /// Client key (PEM).
    pub ssl_key: Option<PathBuf>,
    /// Lowest TLS version allowed.
    pub ssl_min_version: Option<TlsVersion>,
    /// Highest TLS version allowed.
    pub ssl_max_version: Option<TlsVersion>,
    /// Whether the host name is sent in the TLS handshake.
    pub ssl_sni: bool,
    /// SCRAM bound to the channel?
    pub channel_binding: ChannelBindingMode,
    /// Authentication methods insisted on.
    pub require_auth: RequireAuth,
    /// Options for the server (`-c name=value`).
    pub options: Option<String>,
    /// Program name asked for, or the fallback one.
    pub application_name: Option<String>,
    /// Limit for each address; `None` = without limit.
    pub connect_timeout: Option<Duration>,
    /// Which of several servers will do.
    pub target_session_attrs: TargetSessionAttrs,
    /// What was accepted and has no effect, files that were not used, …: for a person, without secrets.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads a connection string.
    pub fn parse(text: &str, surroundings: &dyn Surroundings) -> Result<Config, ConfigError> {
        let text = text.trim();
        // A zero byte would end the field early in the start-up packet, and what follows would be another field.
        if let Some(at) = text.find('\0') {
            let (problem, next_step) = ("a zero byte is not allowed".to_owned(), "remove it");
            return Err(ConfigError::Syntax { place: Place::Text { at }, problem, next_step });
        }
        let (settings, notes) = if let Some(start) = uri::after_scheme(text) {
            (uri::parse(text, start)?, Vec::new())
        } else if let Some(pasted) = pasted(text)? {
            (pasted.settings, pasted.notes)
        } else {
            (key_value::parse(text)?, Vec::new())
        };
        let mut config = assemble::assemble(settings, surroundings)?;
        config.warnings.splice(0..0, notes);
        Ok(config)
    }

    /// Whether a word of the command line looks like a PostgreSQL connection string: the scheme of a URI, `key=value`
    /// with a key that libpq knows, or an application's `key=value;…` that is no other engine's.
    pub fn is_target(text: &str) -> bool {
        let text = text.trim();
        if uri::after_scheme(text).is_some() || jdbc::after_scheme(text).is_some() || jdbc::lacks_host(text) {
            return true;
        }
        match vendor(text) {
            Some(vendor) => vendor == Vendor::Postgres,
            None => text.split_once('=').is_some_and(|(key, _)| keywords::find(key.trim_end()).is_some()),
        }
    }

    /// The password for one endpoint; `None` = none is known: should the server ask for one, a person has to.
    pub fn password_for(&self, endpoint: usize) -> Option<&Secret> {
        self.password.as_ref().or_else(|| self.file_passwords.get(endpoint)?.as_ref())
    }

    /// Whether a password is known for every endpoint.
    pub fn has_password(&self) -> bool {
        (0..self.endpoints.len()).all(|endpoint| self.password_for(endpoint).is_some())
    }

    /// The connection string as a URI, without the password.
    pub fn display_url(&self) -> String {
        let mut url = format!("postgresql://{}@", encode(&self.user));
        for (i, endpoint) in self.endpoints.iter().enumerate() {
            if i > 0 {
                url.push(',');
            }
            write_endpoint(&mut url, endpoint);
        }
        let _ = write!(url, "/{}", encode(&self.database));
        let mut separator = '?';
        for (key, value) in self.shown_parameters() {
            let _ = write!(url, "{separator}{key}={}", encode(&value));
            separator = '&';
        }
        url
    }

    /// Settings that change what is measured, where they are not the default.
    fn shown_parameters(&self) -> Vec<(&'static str, String)> {
        let mut shown = Vec::new();
        if self.ssl_mode != SslMode::Prefer {
            shown.push(("sslmode", self.ssl_mode.name().to_owned()));
        }
        if self.ssl_negotiation != SslNegotiation::Postgres {
            shown.push(("sslnegotiation", self.ssl_negotiation.name().to_owned()));
        }
        if self.channel_binding != ChannelBindingMode::Prefer {
            shown.push(("channel_binding", self.channel_binding.name().to_owned()));
        }
        if self.target_session_attrs != TargetSessionAttrs::Any {
            shown.push(("target_session_attrs", self.target_session_attrs.name().to_owned()));
        }
        shown
    }
}

/// What an application's string says; `None` = it is not one.
fn pasted(text: &str) -> Result<Option<Pasted>, ConfigError> {
    if let Some(start) = jdbc::after_scheme(text) {
        return uri::parse_jdbc(text, start).map(Some);
    }
    if jdbc::lacks_host(text) {
        let next_step = "write the host: jdbc:postgresql://localhost/database";
        let problem = "a JDBC URL without a host".to_owned();
        return Err(ConfigError::Syntax { place: Place::Text { at: 1 }, problem, next_step });
    }
    if vendor(text) == Some(Vendor::Postgres) { pasted::parse(text).map(Some) } else { Ok(None) }
}

/// A Unix socket is written as libpq reads it: the percent-encoded folder in the place of the host.
fn write_endpoint(url: &mut String, endpoint: &Endpoint) {
    match endpoint {
        Endpoint::Tcp { host, address, port } => {
            let shown = if host.is_empty() { address.map(|a| a.to_string()).unwrap_or_default() } else { host.clone() };
            let host = if shown.contains(':') {
                // The zone of a link-local address follows a `%`.
                format!("[{}]", shown.replace('%', "%25"))
            } else {
                encode(&shown)
            };
            let _ = write!(url, "{host}:{port}");
        }
        Endpoint::Unix { path } => {
            let folder = path.parent().map(|p| p.display().to_string()).unwrap_or_default();
            let port = path.extension().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
            let _ = write!(url, "{}:{port}", encode(&folder));
        }
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
