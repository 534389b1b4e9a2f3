//! Strings pasted from applications: `Server=…;Uid=…;Pwd=…` of MySqlConnector and Connector/NET, and
//! `Driver={MariaDB ODBC 3.1 Driver};…`.
//!
//! A newcomer would refuse an unknown key. A driver has dozens of its own that say nothing about a login: they are
//! noted, and never repeated, since a key may be the rest of an unquoted password.

use peaje_engine::{Grammar, Pair, PairError, folded, pairs};

use super::uri::{Host, Parsed};
use super::{ConfigError, Place};

/// What a key of a driver means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// The servers' names.
    Server,
    /// How they are reached; `unix` makes a server's name a path.
    Protocol,
    /// The setting of this name.
    Setting(&'static str),
}

use Meaning::{Protocol, Server, Setting};

/// Keys, folded.
const KEYS: &[(&str, Meaning)] = &[
    ("server", Server),
    ("host", Server),
    ("datasource", Server),
    ("addr", Server),
    ("address", Server),
    ("networkaddress", Server),
    ("servername", Server),
    ("port", Setting("port")),
    ("socket", Setting("socket")),
    ("protocol", Protocol),
    ("connectionprotocol", Protocol),
    ("uid", Setting("user")),
    ("user", Setting("user")),
    ("userid", Setting("user")),
    ("username", Setting("user")),
    ("pwd", Setting("password")),
    ("password", Setting("password")),
    ("database", Setting("database")),
    ("db", Setting("database")),
    ("initialcatalog", Setting("database")),
    ("sslmode", Setting("ssl-mode")),
    ("cacertificatefile", Setting("ssl-ca")),
    ("sslca", Setting("ssl-ca")),
    ("ssl-ca", Setting("ssl-ca")),
    ("sslcapath", Setting("ssl-capath")),
    ("sslcert", Setting("ssl-cert")),
    ("ssl-cert", Setting("ssl-cert")),
    ("sslkey", Setting("ssl-key")),
    ("ssl-key", Setting("ssl-key")),
    ("sslverify", Setting("ssl-verify-server-cert")),
    ("forcetls", Setting("requireSSL")),
    ("tlsversion", Setting("tls-version")),
    ("tlsversions", Setting("tls-version")),
    ("connectiontimeout", Setting("connect-timeout")),
    ("connecttimeout", Setting("connect-timeout")),
    ("conn_timeout", Setting("connect-timeout")),
    ("allowpublickeyretrieval", Setting("get-server-public-key")),
    ("get_server_public_key", Setting("get-server-public-key")),
    ("serverrsapublickeyfile", Setting("server-public-key-path")),
    ("rsakey", Setting("server-public-key-path")),
    ("enablecleartextplugin", Setting("enable-cleartext-plugin")),
    ("enable_cleartext_plugin", Setting("enable-cleartext-plugin")),
    ("default_auth", Setting("default-auth")),
    ("defaultauthenticationplugin", Setting("default-auth")),
    ("initstmt", Setting("init-command")),
    ("applicationname", Setting("program-name")),
];

/// Keys of importance to the driver's pool and types only, folded; nothing is said about them.
const OF_THE_DRIVER: &[&str] = &[
    "allowbatch",
    "allowuservariables",
    "allowzerodatetime",
    "autoenlist",
    "charset",
    "characterset",
    "commandtimeout",
    "connectionidlepingtime",
    "connectionidletimeout",
    "connectionlifetime",
    "connectionreset",
    "convertzerodatetime",
    "defaultcommandtimeout",
    "description",
    "driver",
    "guidformat",
    "interactivesession",
    "keepalive",
    "loadbalance",
    "maximumpoolsize",
    "maxpoolsize",
    "minimumpoolsize",
    "minpoolsize",
    "no_prompt",
    "oldguids",
    "option",
    "persistsecurityinfo",
    "pipelining",
    "pooling",
    "tcpip",
    "treattinyasboolean",
    "useaffectedrows",
    "usexatransactions",
];

/// Reads a string. Also gives notes for a person.
pub(super) fn parse(text: &str) -> Result<(Parsed, Vec<String>), ConfigError> {
    let grammar = Grammar::of(text);
    let mut pasted = Pasted::default();
    for pair in pairs(text, 0, grammar).map_err(syntax)? {
        pasted.take(pair, grammar)?;
    }
    pasted.parsed.hosts = pasted.hosts()?;
    Ok((pasted.parsed, pasted.notes))
}

fn syntax(error: PairError) -> ConfigError {
    let place = Place::Text { at: error.at };
    ConfigError::Syntax { place, problem: error.problem.to_owned(), next_step: error.next_step }
}

#[derive(Default)]
struct Pasted {
    parsed: Parsed,
    server: Option<(String, Place)>,
    over_socket: bool,
    notes: Vec<String>,
}

impl Pasted {
    fn take(&mut self, pair: Pair, grammar: Grammar) -> Result<(), ConfigError> {
        let (key, place) = (folded(&pair.key), Place::Text { at: pair.at });
        if let Some(at) = pair.braces_at {
            self.notes.push(format!("at character {at} of the connection string: {{…}} is read as quotes, as in ODBC"));
        }
        let Some((_, meaning)) = KEYS.iter().find(|(known, _)| *known == key) else {
            if !OF_THE_DRIVER.contains(&key.as_str()) {
                self.notes
                    .push(format!("{place}: an unknown key has no effect (a value that contains `;` needs quotes)"));
            }
            return Ok(());
        };
        let first_wins = grammar == Grammar::Odbc;
        match *meaning {
            Server if first_wins && self.server.is_some() => {}
            Server => self.server = Some((pair.value, place)),
            Protocol => self.over_socket = matches!(pair.value.to_ascii_lowercase().as_str(), "unix" | "unixsocket"),
            Setting(name) if first_wins && self.parsed.settings.raw(name).is_some() => {}
            Setting(name) => self.parsed.settings.set(name, Some(word(name, pair.value)), place)?,
        }
        Ok(())
    }

    /// The servers, in order; a path is a socket's.
    fn hosts(&self) -> Result<Vec<Host>, ConfigError> {
        let Some((text, place)) = &self.server else { return Ok(Vec::new()) };
        let mut hosts = Vec::new();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            hosts.push(if self.over_socket || name.starts_with('/') {
                Host::Socket(name.to_owned())
            } else {
                host(name, place)?
            });
        }
        Ok(hosts)
    }
}

/// `name`, or `name:port` as Connector/NET's lists have it.
fn host(name: &str, place: &Place) -> Result<Host, ConfigError> {
    let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match name.split_once(':') {
        Some((host, port)) if !port.contains(':') => match port.parse::<u16>() {
            Ok(port) if port > 0 => Ok(Host::Tcp(host.to_owned(), Some(port))),
            _ => Err(ConfigError::BadValue {
                key: "server",
                place: place.clone(),
                problem: "has a port that is not a number from 1 to 65535".to_owned(),
            }),
        },
        _ => Ok(Host::Tcp(inner.unwrap_or(name).to_owned(), None)),
    }
}

/// Words of closed lists in the spelling of MySQL's clients; a wrong one is left for the check to refuse.
fn word(name: &str, value: String) -> String {
    match name {
        "ssl-mode" => match value.to_ascii_lowercase().as_str() {
            "none" => "DISABLED".to_owned(),
            "verifyca" => "VERIFY_CA".to_owned(),
            "verifyfull" => "VERIFY_IDENTITY".to_owned(),
            _ => value,
        },
        // `TLS 1.2`, `Tls12`, `TLSv1.2`.
        "tls-version" => value.split(',').map(tls_version).collect::<Vec<_>>().join(","),
        _ => value,
    }
}

fn tls_version(word: &str) -> String {
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    match digits.as_str() {
        "12" => "TLSv1.2".to_owned(),
        "13" => "TLSv1.3".to_owned(),
        "1" | "10" => "TLSv1".to_owned(),
        "11" => "TLSv1.1".to_owned(),
        _ => word.to_owned(),
    }
}
