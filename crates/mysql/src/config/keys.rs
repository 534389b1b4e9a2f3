//! The keys of connection strings and option files, in the spellings of the clients people paste them from.
//!
//! Hyphens, underscores and capitals do not tell keys apart (`ssl-mode`, `ssl_mode`, `sslMode`), with one exception:
//! `connectTimeout` counts milliseconds, `connect-timeout` seconds.

use strsim::levenshtein as distance;

/// What peaje does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It is followed.
    Followed,
    /// It is accepted and changes nothing here; the words say why.
    NoEffect(&'static str),
    /// It would change what is checked or asked of the server, and is refused; the words say what to do.
    Refused(&'static str),
}

/// A key.
#[derive(Debug)]
pub(super) struct Key {
    /// Its name here.
    pub(super) name: &'static str,
    /// Other names, without hyphens and in lower case.
    others: &'static [&'static str],
    /// What becomes of it.
    pub(super) used: Use,
}

const fn followed(name: &'static str, others: &'static [&'static str]) -> Key {
    Key { name, others, used: Use::Followed }
}

const fn no_effect(name: &'static str, others: &'static [&'static str], why: &'static str) -> Key {
    Key { name, others, used: Use::NoEffect(why) }
}

const fn refused(name: &'static str, others: &'static [&'static str], next_step: &'static str) -> Key {
    Key { name, others, used: Use::Refused(next_step) }
}

const PEM: &str = "give PEM files with ssl-ca, ssl-cert and ssl-key";
const DRIVER: &str = "it is a setting of the driver";
const CIPHERS: &str = "the library's own choice of ciphers is used";
const COMPRESSION: &str = "sessions are not compressed";
const SOCKETS: &str = "sockets keep the system's settings";

/// Every key.
pub(super) const KEYS: &[Key] = &[
    followed("host", &["hostname"]),
    followed("port", &[]),
    followed("socket", &["unixsocket", "localsocket"]),
    followed("protocol", &[]),
    followed("user", &["username"]),
    followed("password", &["pwd"]),
    followed("database", &["schema", "dbname"]),
    followed("ssl-mode", &["sslmode"]),
    followed("ssl", &["usessl"]),
    followed("tls", &[]),
    followed("skip-ssl", &["disablessl"]),
    followed("requireSSL", &[]),
    followed("ssl-verify-server-cert", &["verifyservercertificate"]),
    followed("skip-ssl-verify-server-cert", &["disablesslverifyservercert"]),
    followed("trustServerCertificate", &[]),
    followed("ssl-ca", &["serversslcert"]),
    followed("ssl-capath", &[]),
    followed("ssl-cert", &[]),
    followed("ssl-key", &[]),
    followed("tls-version", &["tlsversions", "enabledtlsprotocols", "enabledsslprotocolsuites"]),
    followed("enable-cleartext-plugin", &["allowcleartextpasswords"]),
    followed("secure-auth", &[]),
    followed("skip-secure-auth", &["disablesecureauth"]),
    followed("allowOldPasswords", &[]),
    followed("get-server-public-key", &["allowpublickeyretrieval"]),
    followed("server-public-key-path", &["serverrsapublickeyfile"]),
    followed("default-auth", &["defaultauthenticationplugin"]),
    followed("init-command", &["initsql"]),
    followed("sessionVariables", &[]),
    followed("connect-timeout", &[]),
    followed("connectTimeout", &[]),
    followed("program-name", &[]),
    no_effect("compress", &["usecompression", "compression", "compressionalgorithms"], COMPRESSION),
    no_effect("zstd-compression-level", &["compressionlevel"], COMPRESSION),
    no_effect(
        "default-character-set",
        &["charset", "characterset", "characterencoding", "useunicode"],
        "it is utf8mb4",
    ),
    no_effect("collation", &["connectioncollation"], "it is utf8mb4_general_ci"),
    no_effect("ssl-cipher", &["tlsciphersuites", "enabledsslciphersuites", "enabledtlsciphersuites"], CIPHERS),
    no_effect("socketTimeout", &["readtimeout", "writetimeout"], "a login is limited by --login-timeout"),
    no_effect("tcpKeepAlive", &["tcpnodelay", "tcprcvbuf", "tcpsndbuf"], SOCKETS),
    no_effect("serverTimezone", &["connectiontimezone", "time-zone", "loc", "parsetime"], DRIVER),
    no_effect("autoReconnect", &["reconnect", "maxreconnects", "failoverreadonly"], "each login is made anew"),
    no_effect("zeroDateTimeBehavior", &["zerodatetimeconverttonull", "tinyint1isbit", "allowmultiqueries"], DRIVER),
    no_effect("rewriteBatchedStatements", &["cacheprepstmts", "useserverprepstmts", "prepstmtcachesize"], DRIVER),
    no_effect("allowLoadLocalInfile", &["localinfile", "allowlocalinfile", "loaddatalocaldir"], "no file is sent"),
    no_effect("max-allowed-packet", &["maxallowedpacket"], "answers of any length are read"),
    no_effect("auth", &["authmethod"], "it is an authentication method of the X protocol"),
    refused("ssl-crl", &["sslcrlpath"], "revocation lists are not read: leave it out if that is acceptable"),
    refused("ssl-fips-mode", &[], "the library has no such mode: leave it out"),
    refused("tls-sni-servername", &[], "the host's name is sent: leave it out"),
    refused("trustCertificateKeyStoreUrl", &["truststore", "truststoretype"], PEM),
    refused("clientCertificateKeyStoreUrl", &["keystore", "keystoretype"], PEM),
    refused(
        "defaults-file",
        &["defaultsextrafile", "defaultsgroupsuffix"],
        "put its settings into ~/.my.cnf or the URL",
    ),
];

/// Without hyphens and underscores, in lower case.
fn stripped(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// A key by one of its names.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    let exact = KEYS.iter().find(|key| key.name == name);
    exact.or_else(|| {
        let wanted = stripped(name);
        KEYS.iter().find(|key| stripped(key.name) == wanted || key.others.contains(&wanted.as_str()))
    })
}

/// The known key that a misspelled one most resembles, if any does.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let wanted = stripped(name);
    let spellings = KEYS.iter().flat_map(|key| {
        let own = std::iter::once((stripped(key.name), key.name));
        own.chain(key.others.iter().map(|other| ((*other).to_owned(), key.name)))
    });
    let near = |known: &str| distance(known, &wanted) <= if known.len().min(wanted.len()) < 6 { 1 } else { 2 };
    spellings.filter(|(spelled, _)| near(spelled)).min_by_key(|(s, _)| distance(s, &wanted)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let table = [
            ("ssl-mode", "ssl-mode"),
            ("ssl_mode", "ssl-mode"),
            ("sslMode", "ssl-mode"),
            ("useSSL", "ssl"),
            ("allowPublicKeyRetrieval", "get-server-public-key"),
            ("get-server-public-key", "get-server-public-key"),
            ("serverRSAPublicKeyFile", "server-public-key-path"),
            ("connectTimeout", "connectTimeout"),
            ("connect_timeout", "connect-timeout"),
            ("verifyServerCertificate", "ssl-verify-server-cert"),
            ("characterEncoding", "default-character-set"),
        ];
        for (spelled, name) in table {
            assert_eq!(find(spelled).map(|k| k.name), Some(name), "{spelled}");
        }
        assert!(find("sslmod").is_none());
    }

    #[test]
    fn no_spelling_is_listed_twice() {
        let mut seen = std::collections::HashSet::new();
        for key in KEYS {
            // The one exception is found by its exact name.
            if key.name != "connectTimeout" {
                assert!(seen.insert(stripped(key.name)), "{}", key.name);
            }
            for other in key.others {
                let own = stripped(key.name) == *other;
                assert!(own || seen.insert((*other).to_owned()), "{other}");
            }
        }
    }

    #[test]
    fn misspelled_keys() {
        assert_eq!(nearest("sslmod"), Some("ssl-mode"));
        assert_eq!(nearest("alowPublicKeyRetrieval"), Some("get-server-public-key"));
        for other in ["hunter2", "", "x", "sslxy"] {
            assert_eq!(nearest(other), None, "{other}");
        }
        assert_eq!((distance("kitten", "sitting"), distance("", "abc"), distance("a", "a")), (3, 3, 0));
    }
}
