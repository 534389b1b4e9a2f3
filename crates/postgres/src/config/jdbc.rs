//! What the JDBC driver's parameters mean: `jdbc:postgresql://host/db?user=…&ssl=true`.
//!
//! A newcomer would read `ssl=true` as libpq does, as `require`. The JDBC driver checks certificate and host name then,
//! unless `sslfactory` names the one that checks nothing.

use super::pasted::Pasted;
use super::{ConfigError, Place};

const SCHEME: &str = "jdbc:postgresql:";

/// Where the part behind `jdbc:postgresql://` begins; `None` when it is no such URL.
pub(super) fn after_scheme(text: &str) -> Option<usize> {
    let scheme = text.get(..SCHEME.len())?.eq_ignore_ascii_case(SCHEME);
    (scheme && text[SCHEME.len()..].starts_with("//")).then_some(SCHEME.len() + 2)
}

/// Whether the host is left out (`jdbc:postgresql:database`), which the driver reads as `localhost`.
pub(super) fn lacks_host(text: &str) -> bool {
    text.get(..SCHEME.len()).is_some_and(|s| s.eq_ignore_ascii_case(SCHEME)) && after_scheme(text).is_none()
}

/// Parameters of the driver with libpq's names for them.
const RENAMED: &[(&str, &str)] = &[
    ("applicationname", "application_name"),
    ("channelbinding", "channel_binding"),
    ("connecttimeout", "connect_timeout"),
    ("gssencmode", "gssencmode"),
    ("options", "options"),
    ("password", "password"),
    ("pghost", "host"),
    ("pgport", "port"),
    ("pgdbname", "dbname"),
    ("requireauth", "require_auth"),
    ("sslcert", "sslcert"),
    ("sslkey", "sslkey"),
    ("sslmode", "sslmode"),
    ("sslnegotiation", "sslnegotiation"),
    ("sslrootcert", "sslrootcert"),
    ("user", "user"),
];

/// Parameters of the driver that change nothing about a login here.
const NO_EFFECT: &[&str] = &[
    "adaptiveFetch",
    "allowEncodingChanges",
    "assumeMinServerVersion",
    "autosave",
    "binaryTransfer",
    "cancelSignalTimeout",
    "currentSchema",
    "databaseMetadataCacheFields",
    "defaultRowFetchSize",
    "escapeSyntaxCallMode",
    "hostRecheckSeconds",
    "loadBalanceHosts",
    "loggerLevel",
    "loginTimeout",
    "preferQueryMode",
    "prepareThreshold",
    "preparedStatementCacheQueries",
    "preparedStatementCacheSizeMiB",
    "readOnly",
    "receiveBufferSize",
    "reWriteBatchedInserts",
    "sendBufferSize",
    "socketTimeout",
    "sslfactory",
    "sslhostnameverifier",
    "sslResponseTimeout",
    "stringtype",
    "tcpKeepAlive",
    "tcpNoDelay",
    "unknownLength",
];

/// What a URL's parameters say about TLS besides `sslmode`.
#[derive(Default)]
pub(super) struct SslWords {
    /// Where `ssl=true` stands.
    on: Option<Place>,
    checks_nothing: bool,
}

/// Takes one parameter.
pub(super) fn note(
    pasted: &mut Pasted,
    ssl: &mut SslWords,
    key: &str,
    value: String,
    place: Place,
) -> Result<(), ConfigError> {
    let lower = key.to_ascii_lowercase();
    match lower.as_str() {
        "ssl" => {
            if value.is_empty() || value.eq_ignore_ascii_case("true") {
                ssl.on = Some(place);
            }
            return Ok(());
        }
        "sslfactory" if value.ends_with("NonValidatingFactory") => {
            ssl.checks_nothing = true;
            return Ok(());
        }
        "targetservertype" => return pasted.settings.set("target_session_attrs", server_type(&value), place),
        _ => {}
    }
    if let Some((_, name)) = RENAMED.iter().find(|(known, _)| *known == lower) {
        let value = match *name {
            "gssencmode" if value.eq_ignore_ascii_case("allow") => "prefer".to_owned(),
            "gssencmode" | "sslmode" | "sslnegotiation" | "channel_binding" => value.to_ascii_lowercase(),
            _ => value,
        };
        return pasted.settings.set(name, value, place);
    }
    pasted.notes.push(match NO_EFFECT.iter().find(|known| known.eq_ignore_ascii_case(key)) {
        Some(known) => format!("{place}: `{known}` has no effect: it is a setting of the driver"),
        // The key could be the rest of a password.
        None => format!("{place}: an unknown parameter has no effect (`&` within a value is %26)"),
    });
    Ok(())
}

/// Without `sslmode`, `ssl=true` decides, as in the driver.
pub(super) fn finish(pasted: &mut Pasted, ssl: SslWords) -> Result<(), ConfigError> {
    let Some(place) = ssl.on.filter(|_| pasted.settings.raw("sslmode").is_none()) else { return Ok(()) };
    let mode = if ssl.checks_nothing { "require" } else { "verify-full" };
    pasted.notes.push(format!("{place}: `ssl=true` is read as sslmode={mode}, as the JDBC driver does"));
    pasted.settings.set("sslmode", mode.to_owned(), place)
}

fn server_type(word: &str) -> String {
    let libpq = match word.to_ascii_lowercase().as_str() {
        "master" | "primary" => "primary",
        "slave" | "secondary" => "standby",
        "preferslave" | "prefersecondary" => "prefer-standby",
        _ => return word.to_owned(),
    };
    libpq.to_owned()
}
