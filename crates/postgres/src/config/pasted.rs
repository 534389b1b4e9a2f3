//! Strings pasted from applications: Npgsql's `Host=…;Username=…` and psqlODBC's `Driver={PostgreSQL Unicode};…`.
//!
//! A newcomer would refuse an unknown key, as libpq does. A driver has dozens of its own that say nothing about a login:
//! they are noted, and never repeated, since a key may be the rest of an unquoted password.

use peaje_engine::{Grammar, Pair, PairError, folded, pairs};

use super::settings::Settings;
use super::{ConfigError, Place};

/// What a string says, and what was noted about it.
#[derive(Default)]
pub(super) struct Pasted {
    pub(super) settings: Settings,
    pub(super) notes: Vec<String>,
}

/// Keys, folded, with libpq's names for them.
const RENAMED: &[(&str, &str)] = &[
    ("host", "host"),
    ("server", "host"),
    ("servername", "host"),
    ("datasource", "host"),
    ("addr", "host"),
    ("address", "host"),
    ("port", "port"),
    ("username", "user"),
    ("userid", "user"),
    ("user", "user"),
    ("uid", "user"),
    ("password", "password"),
    ("psw", "password"),
    ("pwd", "password"),
    ("database", "dbname"),
    ("db", "dbname"),
    ("dbname", "dbname"),
    ("initialcatalog", "dbname"),
    ("passfile", "passfile"),
    ("sslmode", "sslmode"),
    ("sslnegotiation", "sslnegotiation"),
    ("rootcertificate", "sslrootcert"),
    ("sslrootcert", "sslrootcert"),
    ("sslcertificate", "sslcert"),
    ("sslcert", "sslcert"),
    ("sslkey", "sslkey"),
    ("channelbinding", "channel_binding"),
    ("requireauth", "require_auth"),
    ("timeout", "connect_timeout"),
    ("connectiontimeout", "connect_timeout"),
    ("applicationname", "application_name"),
    ("options", "options"),
    ("targetsessionattributes", "target_session_attrs"),
];

/// Keys of importance to the driver's pool and types only, folded; nothing is said about them.
const OF_THE_DRIVER: &[&str] = &[
    "autoprepareminusages",
    "boolsaschar",
    "bytea",
    "byteaaslongvarbinary",
    "cancellationtimeout",
    "commandtimeout",
    "connectionidlelifetime",
    "connectionlifetime",
    "connectionpruninginterval",
    "description",
    "driver",
    "enlist",
    "fetch",
    "includeerrordetail",
    "includeerrordetails",
    "internalcommandtimeout",
    "keepalive",
    "loadtablecomposites",
    "logparameters",
    "maxautoprepare",
    "maximumpoolsize",
    "maxpoolsize",
    "maxvarcharsize",
    "minimumpoolsize",
    "minpoolsize",
    "multiplexing",
    "noresetonclose",
    "persistsecurityinfo",
    "pooling",
    "protocol",
    "readbuffersize",
    "readonly",
    "showoidcolumn",
    "socketreceivebuffersize",
    "socketsendbuffersize",
    "tcpkeepalive",
    "updatablecursors",
    "usedeclarefetch",
    "writebuffersize",
    // What `SSL Mode` says already: without a check it is not needed, with one Npgsql refuses it.
    "trustservercertificate",
];

/// Reads a string.
pub(super) fn parse(text: &str) -> Result<Pasted, ConfigError> {
    let grammar = Grammar::of(text);
    let mut pasted = Pasted::default();
    for pair in pairs(text, 0, grammar).map_err(syntax)? {
        pasted.take(pair, grammar)?;
    }
    pasted.split_hosts()?;
    Ok(pasted)
}

fn syntax(error: PairError) -> ConfigError {
    let place = Place::Text { at: error.at };
    ConfigError::Syntax { place, problem: error.problem.to_owned(), next_step: error.next_step }
}

impl Pasted {
    fn take(&mut self, pair: Pair, grammar: Grammar) -> Result<(), ConfigError> {
        let (key, place) = (folded(&pair.key), Place::Text { at: pair.at });
        if let Some(at) = pair.braces_at {
            self.notes.push(format!("at character {at} of the connection string: {{…}} is read as quotes, as in ODBC"));
        }
        let Some((_, name)) = RENAMED.iter().find(|(known, _)| *known == key) else {
            if !OF_THE_DRIVER.contains(&key.as_str()) {
                self.notes
                    .push(format!("{place}: an unknown key has no effect (a value that contains `;` needs quotes)"));
            }
            return Ok(());
        };
        if grammar == Grammar::Odbc && self.settings.raw(name).is_some() {
            return Ok(());
        }
        self.settings.set(name, word(name, pair.value), place)
    }

    /// Npgsql writes ports into the list of hosts: `Host=a:5433,b`.
    fn split_hosts(&mut self) -> Result<(), ConfigError> {
        let Some(value) = self.settings.get("host") else { return Ok(()) };
        let (place, common) = (value.place.clone(), self.settings.text("port").unwrap_or_default());
        let hosts: Vec<(String, Option<String>)> = value.text.split(',').map(host_and_port).collect();
        if hosts.iter().all(|(_, port)| port.is_none()) {
            return Ok(());
        }
        let ports: Vec<String> = hosts.iter().map(|(_, port)| port.clone().unwrap_or(common.clone())).collect();
        let names: Vec<String> = hosts.into_iter().map(|(host, _)| host).collect();
        self.settings.set("host", names.join(","), place.clone())?;
        self.settings.set("port", ports.join(","), place)
    }
}

fn host_and_port(item: &str) -> (String, Option<String>) {
    let item = item.trim();
    match item.split_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (host.to_owned(), Some(port.to_owned()))
        }
        _ => (item.to_owned(), None),
    }
}

/// Words of closed lists in libpq's spelling; a wrong one is left for the check to refuse.
fn word(name: &str, value: String) -> String {
    match name {
        "sslmode" => match value.to_ascii_lowercase().as_str() {
            "verifyca" => "verify-ca".to_owned(),
            "verifyfull" => "verify-full".to_owned(),
            other => other.to_owned(),
        },
        "sslnegotiation" | "channel_binding" | "target_session_attrs" => value.to_ascii_lowercase(),
        _ => value,
    }
}
