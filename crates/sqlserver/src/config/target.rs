//! The parsed connection string: where to log in, as whom, and how.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use peaje_engine::{Endpoint, PasswordOrigin, Vendor, is_guess, vendor};
use peaje_model::{Dialling, Secret};

use super::key_value::{self, Family};
use super::{ApplicationIntent, ConfigError, Encrypt, Place, PoolSettings, Surroundings, assemble, url};

/// Everything a login needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// The server; one entry. Its port is 0 when the SQL Browser has to be asked for it (see [`Config::instance`]).
    pub endpoints: Vec<Endpoint>,
    /// Named instance; `None` = the default instance.
    pub instance: Option<String>,
    /// Login name; empty = none given (an access token needs none).
    pub user: String,
    /// Password of the connection string or `SQLCMDPASSWORD`; a caller that prompts puts the answer here.
    pub password: Option<Secret>,
    /// Where that password came from, for advice.
    pub password_origin: PasswordOrigin,
    /// Database; `None` = the login's own default.
    pub database: Option<String>,
    /// What is encrypted.
    pub encrypt: Encrypt,
    /// Whether `Encrypt` was written.
    pub encrypt_is_set: bool,
    /// Whether the server's certificate is taken unseen. Without effect on `Encrypt=strict`.
    pub trust_server_certificate: bool,
    /// Name to look for in the certificate in place of the host's.
    pub host_name_in_certificate: Option<String>,
    /// File with the certificate to trust (PEM or DER).
    pub server_certificate: Option<PathBuf>,
    /// The application's pool.
    pub pool: PoolSettings,
    /// `Connect Timeout`: for the whole login, as in ADO.NET; `None` = not written, or without limit.
    pub connect_timeout: Option<Duration>,
    /// Program name.
    pub application_name: Option<String>,
    /// Reads only, or writes too.
    pub application_intent: ApplicationIntent,
    /// Whether all addresses of the name are dialled at once.
    pub multi_subnet_failover: bool,
    /// Packet size to ask for; `None` = the driver's default.
    pub packet_size: Option<u32>,
    /// Name of this machine as the server is to see it.
    pub workstation: String,
    /// Language of the session.
    pub language: Option<String>,
    /// What was accepted and has no effect: for a person, without secrets.
    pub warnings: Vec<String>,
}

impl Config {
    /// How several addresses of a host are dialled (`MultiSubnetFailover`).
    pub fn dialling(&self) -> Dialling {
        if self.multi_subnet_failover { Dialling::AtOnce } else { Dialling::InTurn }
    }

    /// Reads a connection string.
    pub fn parse(text: &str, surroundings: &dyn Surroundings) -> Result<Config, ConfigError> {
        let text = text.trim();
        if let Some(at) = text.find('\0') {
            let at = text[..at].chars().count() + 1;
            let (problem, next_step) = ("a zero byte is not allowed", "remove it");
            return Err(ConfigError::Syntax { place: Place::Text { at }, problem, next_step });
        }
        let (settings, family) = if let Some(start) = url::after_scheme(text) {
            (url::parse(text, start)?, Family::Jdbc)
        } else {
            let (mut settings, family) = key_value::parse(text)?;
            if is_guess(text) {
                settings.warnings.push(
                    "read as SQL Server's connection string (port 1433); for MySQL or PostgreSQL add Port=…, or write a \
                     URL"
                        .to_owned(),
                );
            }
            (settings, family)
        };
        assemble::assemble(&settings, family, surroundings)
    }

    /// Whether a word of the command line looks like a connection string of SQL Server: the scheme of a URL, or
    /// `key=value;…` with a server's key and none of another engine's.
    pub fn is_target(text: &str) -> bool {
        let text = text.trim();
        url::after_scheme(text).is_some() || vendor(text) == Some(Vendor::SqlServer)
    }

    /// Whether a password is known.
    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// The connection string as a URL, without the password. It can be read again.
    pub fn display_url(&self) -> String {
        let mut url = String::from("mssql://");
        if !self.user.is_empty() {
            let _ = write!(url, "{}@", encode(&self.user));
        }
        if let Some(endpoint) = self.endpoints.first() {
            let host = endpoint.host();
            let _ = if host.contains(':') {
                write!(url, "[{}]", host.replace('%', "%25"))
            } else {
                write!(url, "{}", encode(&host))
            };
            if let Some(port) = endpoint.port().filter(|p| *p != 0) {
                let _ = write!(url, ":{port}");
            }
        }
        url.push('/');
        url.push_str(&self.database.as_deref().map(encode).unwrap_or_default());
        let mut separator = '?';
        for (key, value) in self.shown_parameters() {
            let _ = write!(url, "{separator}{key}={}", encode(&value));
            separator = '&';
        }
        url
    }

    /// Settings that change what is measured, where they are not the default.
    fn shown_parameters(&self) -> Vec<(&'static str, String)> {
        let yes = |key, flag: bool| flag.then(|| (key, "yes".to_owned()));
        let read_only = self.application_intent == ApplicationIntent::ReadOnly;
        [
            self.instance.clone().map(|i| ("instance", i)),
            self.encrypt_is_set.then(|| ("encrypt", self.encrypt.name().to_owned())),
            yes("trustServerCertificate", self.trust_server_certificate),
            self.host_name_in_certificate.clone().map(|n| ("hostNameInCertificate", n)),
            self.server_certificate.as_ref().map(|p| ("serverCertificate", p.display().to_string())),
            read_only.then(|| ("applicationIntent", "ReadOnly".to_owned())),
            yes("multiSubnetFailover", self.multi_subnet_failover),
            self.packet_size.map(|n| ("packetSize", n.to_string())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Percent-encodes everything but RFC 3986's unreserved characters.
fn encode(text: &str) -> String {
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
