//! The keys that libpq of PostgreSQL 15 to 18 knows, with their variables.

use strsim::levenshtein as distance;

/// What peaje does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It is followed.
    Followed,
    /// It is accepted and changes nothing here; the words say why.
    NoEffect(&'static str),
    /// It would change what is asked of the server or of the check, and is refused.
    Refused(&'static str),
}

/// A key of a connection string.
#[derive(Debug)]
pub(super) struct Keyword {
    /// Its name.
    pub(super) name: &'static str,
    /// The environment variable behind it.
    pub(super) variable: Option<&'static str>,
    /// What becomes of it.
    pub(super) used: Use,
}

const fn followed(name: &'static str, variable: Option<&'static str>) -> Keyword {
    Keyword { name, variable, used: Use::Followed }
}

const fn no_effect(name: &'static str, variable: Option<&'static str>, why: &'static str) -> Keyword {
    Keyword { name, variable, used: Use::NoEffect(why) }
}

const fn refused(name: &'static str, variable: Option<&'static str>, why: &'static str) -> Keyword {
    Keyword { name, variable, used: Use::Refused(why) }
}

const SOCKET: &str = "sockets keep the system's settings";
const KERBEROS: &str = "Kerberos is not spoken";
const OAUTH: &str = "OAuth is not spoken";
const SCRAM_KEYS: &str = "keys without a password are not supported; give the password";

/// Every key.
pub(super) const KEYWORDS: &[Keyword] = &[
    followed("service", Some("PGSERVICE")),
    followed("servicefile", Some("PGSERVICEFILE")),
    followed("host", Some("PGHOST")),
    followed("hostaddr", Some("PGHOSTADDR")),
    followed("port", Some("PGPORT")),
    followed("user", Some("PGUSER")),
    followed("password", Some("PGPASSWORD")),
    followed("passfile", Some("PGPASSFILE")),
    followed("dbname", Some("PGDATABASE")),
    followed("sslmode", Some("PGSSLMODE")),
    followed("sslnegotiation", Some("PGSSLNEGOTIATION")),
    followed("sslrootcert", Some("PGSSLROOTCERT")),
    followed("sslcert", Some("PGSSLCERT")),
    followed("sslkey", Some("PGSSLKEY")),
    followed("sslcertmode", Some("PGSSLCERTMODE")),
    followed("sslsni", Some("PGSSLSNI")),
    followed("ssl_min_protocol_version", Some("PGSSLMINPROTOCOLVERSION")),
    followed("ssl_max_protocol_version", Some("PGSSLMAXPROTOCOLVERSION")),
    followed("channel_binding", Some("PGCHANNELBINDING")),
    followed("require_auth", Some("PGREQUIREAUTH")),
    followed("connect_timeout", Some("PGCONNECT_TIMEOUT")),
    followed("application_name", Some("PGAPPNAME")),
    followed("fallback_application_name", None),
    followed("options", Some("PGOPTIONS")),
    followed("target_session_attrs", Some("PGTARGETSESSIONATTRS")),
    followed("load_balance_hosts", Some("PGLOADBALANCEHOSTS")),
    followed("gssencmode", Some("PGGSSENCMODE")),
    no_effect("sslpassword", None, "encrypted keys are not supported; decrypt the key with `openssl pkey`"),
    no_effect("sslcompression", Some("PGSSLCOMPRESSION"), "TLS compression no longer exists"),
    no_effect("sslcrl", Some("PGSSLCRL"), "revocation lists are not read"),
    no_effect("sslcrldir", Some("PGSSLCRLDIR"), "revocation lists are not read"),
    no_effect("sslkeylogfile", None, "TLS keys are never written to a file"),
    no_effect("client_encoding", Some("PGCLIENTENCODING"), "peaje speaks UTF-8"),
    no_effect("keepalives", None, SOCKET),
    no_effect("keepalives_idle", None, SOCKET),
    no_effect("keepalives_interval", None, SOCKET),
    no_effect("keepalives_count", None, SOCKET),
    no_effect("tcp_user_timeout", None, SOCKET),
    no_effect("krbsrvname", Some("PGKRBSRVNAME"), KERBEROS),
    no_effect("gsslib", Some("PGGSSLIB"), KERBEROS),
    no_effect("gssdelegation", Some("PGGSSDELEGATION"), KERBEROS),
    no_effect("min_protocol_version", Some("PGMINPROTOCOLVERSION"), "peaje speaks protocol 3.0"),
    no_effect("max_protocol_version", Some("PGMAXPROTOCOLVERSION"), "peaje speaks protocol 3.0"),
    no_effect("oauth_issuer", None, OAUTH),
    no_effect("oauth_client_id", None, OAUTH),
    no_effect("oauth_client_secret", None, OAUTH),
    no_effect("oauth_scope", None, OAUTH),
    refused("requirepeer", Some("PGREQUIREPEER"), "the owner of a socket is not checked; leave it out"),
    refused("replication", None, "replication sessions are not ordinary logins; leave it out"),
    refused("scram_client_key", None, SCRAM_KEYS),
    refused("scram_server_key", None, SCRAM_KEYS),
];

/// A key by its name.
pub(super) fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|k| k.name == name)
}

/// The known key that differs least from what was written; `None` when none is near.
pub(super) fn nearest(written: &str) -> Option<&'static str> {
    if written.len() > 40 {
        return None;
    }
    let limit = if written.len() < 5 { 1 } else { 2 };
    let lower = written.to_lowercase();
    KEYWORDS
        .iter()
        .map(|k| (distance(&lower, k.name), k.name))
        .chain(ALIASES.iter().map(|&(other, name)| (if lower == other { 0 } else { usize::MAX }, name)))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// Words of other drivers for the same thing.
const ALIASES: &[(&str, &str)] = &[
    ("database", "dbname"),
    ("db", "dbname"),
    ("server", "host"),
    ("hostname", "host"),
    ("username", "user"),
    ("user id", "user"),
    ("uid", "user"),
    ("pwd", "password"),
    ("timeout", "connect_timeout"),
    ("ssl_mode", "sslmode"),
    ("ssl", "sslmode"),
    ("applicationname", "application_name"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = KEYWORDS.iter().map(|k| k.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KEYWORDS.len());
    }

    #[test]
    fn nearest_key() {
        for (written, expected) in [
            ("sslmod", Some("sslmode")),
            ("hots", None),
            ("hst", Some("host")),
            ("passwrod", Some("password")),
            ("database", Some("dbname")),
            ("HOST", Some("host")),
            ("swordfish", None),
            ("", None),
        ] {
            assert_eq!(nearest(written), expected, "{written}");
        }
    }

    #[test]
    fn distance_of_known_pairs() {
        for (a, b, d) in [("kitten", "sitting", 3), ("", "abc", 3), ("flaw", "lawn", 2), ("same", "same", 0)] {
            assert_eq!(distance(a, b), d);
        }
    }
}
