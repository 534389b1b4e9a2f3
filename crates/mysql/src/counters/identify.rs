//! What answered: the server itself, or something that stands in its place.

use std::net::{IpAddr, SocketAddr};

use peaje_model::{Fact, FactValue, Segment, WhatAnswered};

use super::session::{Row, number, text};

/// This side of the observer's connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OurEnd {
    /// Our address; `None` = a Unix socket.
    pub(super) address: Option<SocketAddr>,
    /// The number that the greeting gave the session.
    pub(super) session_id: u32,
}

/// What lies between peaje and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Nothing: the server sees our own end.
    Nothing,
    /// Something: the server sees another end than ours.
    Something,
    /// It cannot be told.
    Unknown,
}

/// Compares both ends of the connection. A proxy gives numbers of its own to sessions; a relay below the protocol does
/// not, but shows another port.
pub(super) fn compare(seen: &Row, ours: OurEnd) -> Between {
    let Some(session) = number(seen, "session_id") else { return Between::Unknown };
    // A number is cut to 32 bits in the greeting.
    if session as u32 != ours.session_id {
        return Between::Something;
    }
    let client = text(seen, "client").unwrap_or_default();
    let Some(address) = ours.address else {
        return if client.contains(':') { Between::Something } else { Between::Nothing };
    };
    // `localhost` without a port is a socket: another end than our TCP one.
    let Some((host, port)) = client.rsplit_once(':') else { return Between::Something };
    if port.parse() != Ok(address.port()) {
        return Between::Something;
    }
    match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(ip) if ip.to_canonical() != address.ip().to_canonical() => Between::Something,
        // A name stands there when the server resolves names: the port is what can be compared.
        Ok(_) | Err(_) => Between::Nothing,
    }
}

/// What the server says of itself, and what was found between.
#[derive(Debug, Default)]
pub(super) struct Identity<'a> {
    /// `version()`.
    pub(super) version: &'a str,
    /// `@@version_comment`.
    pub(super) comment: &'a str,
    /// The version in the greeting, which a proxy makes up.
    pub(super) greeting: &'a str,
    /// Answer to the question that ProxySQL answers itself.
    pub(super) proxysql: Option<&'a str>,
    /// MaxScale's version.
    pub(super) maxscale: Option<&'a str>,
}

/// Products that speak the protocol, by a word of the version or its comment.
const PRODUCTS: &[(&str, &str)] = &[
    ("peaje reference server", "peaje reference server"),
    ("tidb", "TiDB"),
    ("vitess", "Vitess"),
    ("singlestore", "SingleStore"),
    ("oceanbase", "OceanBase"),
    ("percona", "Percona Server"),
    ("mariadb", "MariaDB"),
    ("mysql", "MySQL"),
];

/// What answered.
pub(super) fn describe(identity: &Identity<'_>, between: Between, settings: &[Fact]) -> WhatAnswered {
    let words = format!("{} {}", identity.version, identity.comment).to_lowercase();
    // A server whose packager put in its own comment says nothing but a number: that is MySQL's own way.
    let known = PRODUCTS.iter().find(|(word, _)| words.contains(word)).map(|(_, product)| *product);
    let product = known.unwrap_or(if identity.version.is_empty() { "unknown" } else { "MySQL" });
    let service = service(identity, settings);
    let pooler = pooler(identity);
    let segment = match (between, &pooler) {
        (_, Some(_)) => Segment::Pooler,
        (Between::Something, None) => Segment::SomethingBetween,
        (Between::Nothing, None) => Segment::Server,
        (Between::Unknown, None) => Segment::Unknown,
    };
    let banner = format!("{} {}", identity.version, identity.comment).trim().to_owned();
    WhatAnswered {
        product: service.map_or_else(|| product.to_owned(), |service| format!("{product} ({service})")),
        version: version_in(identity.version),
        banner: Some(banner).filter(|b| !b.is_empty()),
        reference_server: product == "peaje reference server",
        segment,
        pooler,
    }
}

/// Managed services, by variables and spellings that only they have.
fn service(identity: &Identity<'_>, settings: &[Fact]) -> Option<&'static str> {
    let text = |name: &str| match settings.iter().find(|fact| fact.name == name).map(|fact| &fact.value) {
        Some(FactValue::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    if text("aurora_version").is_some() {
        return Some("Amazon Aurora");
    }
    if text("datadir").is_some_and(|folder| folder.starts_with("/rdsdbdata/")) {
        return Some("Amazon RDS");
    }
    if identity.version.contains("-google") {
        return Some("Google Cloud SQL");
    }
    identity.version.contains("-azure").then_some("Azure Database for MySQL")
}

/// A proxy that could be named.
fn pooler(identity: &Identity<'_>) -> Option<String> {
    if identity.proxysql == Some("(ProxySQL)") {
        return Some("ProxySQL".to_owned());
    }
    if let Some(version) = identity.maxscale {
        return Some(format!("MaxScale {version}"));
    }
    let says = |word: &str| identity.greeting.to_lowercase().contains(word);
    if says("maxscale") {
        return Some("MaxScale".to_owned());
    }
    says("proxysql").then(|| "ProxySQL".to_owned())
}

/// `10.11.19-MariaDB-0+deb12u1` gives `10.11.19`; `8.0.36-28` stays whole up to the first letter's part.
fn version_in(banner: &str) -> Option<String> {
    // MariaDB used to hide behind 5.5.5 in the greeting.
    let banner = banner.strip_prefix("5.5.5-").filter(|rest| rest.contains("MariaDB")).unwrap_or(banner);
    let parts: Vec<&str> =
        banner.split('-').take_while(|part| part.starts_with(|c: char| c.is_ascii_digit())).collect();
    let version = parts.iter().take(2).copied().collect::<Vec<_>>().join("-");
    (!version.is_empty()).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), Some((*v).to_owned()))).collect()
    }

    #[test]
    fn the_ends_are_compared() {
        let tcp = OurEnd { address: Some("10.0.0.7:50123".parse().expect("an address")), session_id: 42 };
        let socket = OurEnd { address: None, session_id: 42 };
        for (ours, session, client, expected) in [
            (tcp, "42", "10.0.0.7:50123", Between::Nothing),
            (tcp, "42", "client.example:50123", Between::Nothing),
            (tcp, "42", "::ffff:10.0.0.7:50123", Between::Nothing),
            (tcp, "42", "10.0.0.7:50124", Between::Something),
            (tcp, "42", "172.17.0.1:50123", Between::Something),
            (tcp, "42", "localhost", Between::Something),
            (tcp, "43", "10.0.0.7:50123", Between::Something),
            (tcp, "4294967338", "10.0.0.7:50123", Between::Nothing),
            (socket, "42", "localhost", Between::Nothing),
            (socket, "43", "localhost", Between::Something),
            (socket, "42", "10.0.0.7:50123", Between::Something),
        ] {
            let seen = row(&[("session_id", session), ("client", client)]);
            assert_eq!(compare(&seen, ours), expected, "{ours:?} {session} {client}");
        }
        assert_eq!(compare(&row(&[]), tcp), Between::Unknown);
    }

    #[test]
    fn products_versions_and_services() {
        for (version, comment, setting, product, number) in [
            ("10.11.19-MariaDB-0+deb12u1", "Debian 12", None, "MariaDB", "10.11.19"),
            ("5.5.5-10.4.12-MariaDB", "", None, "MariaDB", "10.4.12"),
            ("11.4.2-MariaDB-log", "mariadb.org binary distribution", None, "MariaDB", "11.4.2"),
            ("8.0.43", "MySQL Community Server - GPL", None, "MySQL", "8.0.43"),
            ("8.0.39-0ubuntu0.22.04.1", "(Ubuntu)", None, "MySQL", "8.0.39-0ubuntu0.22.04.1"),
            ("8.0.36-28", "Percona Server (GPL), Release 28", None, "Percona Server", "8.0.36-28"),
            ("8.0.39", "8bc99e28", Some(("aurora_version", "3.08.0")), "MySQL (Amazon Aurora)", "8.0.39"),
            ("8.0.40", "Source distribution", Some(("datadir", "/rdsdbdata/db/")), "MySQL (Amazon RDS)", "8.0.40"),
            ("8.0.37-google", "(Google)", None, "MySQL (Google Cloud SQL)", "8.0.37"),
            ("8.0.11-TiDB-v7.5.1", "TiDB Server (Apache License 2.0)", None, "TiDB", "8.0.11"),
            ("8.4.0-peaje", "peaje reference server 0.1.0", None, "peaje reference server", "8.4.0"),
        ] {
            let settings: Vec<Fact> = setting
                .iter()
                .map(|(name, value): &(&str, &str)| Fact {
                    name: (*name).to_owned(),
                    value: FactValue::Text((*value).to_owned()),
                    unit: None,
                    source: String::new(),
                    at: None,
                })
                .collect();
            let found = describe(&Identity { version, comment, ..Identity::default() }, Between::Nothing, &settings);
            assert_eq!((found.product.as_str(), found.version.as_deref()), (product, Some(number)));
            assert_eq!(found.reference_server, product == "peaje reference server");
        }
        assert_eq!(describe(&Identity::default(), Between::Unknown, &[]).product, "unknown");
    }

    #[test]
    fn the_segment_names_what_stands_between() {
        let base = Identity { version: "10.11.8-MariaDB", greeting: "8.0.11", ..Identity::default() };
        let segment = |identity: &Identity<'_>, between| {
            let what = describe(identity, between, &[]);
            (what.segment, what.pooler)
        };
        assert_eq!(segment(&base, Between::Nothing), (Segment::Server, None));
        assert_eq!(segment(&base, Between::Unknown), (Segment::Unknown, None));
        assert_eq!(segment(&base, Between::Something), (Segment::SomethingBetween, None));
        let proxysql = Identity { proxysql: Some("(ProxySQL)"), ..base };
        assert_eq!(segment(&proxysql, Between::Something), (Segment::Pooler, Some("ProxySQL".to_owned())));
        let maxscale = Identity { greeting: "10.11.8-MariaDB-24.02-maxscale", proxysql: None, ..proxysql };
        assert_eq!(segment(&maxscale, Between::Something), (Segment::Pooler, Some("MaxScale".to_owned())));
        let named = Identity { maxscale: Some("24.02.1"), ..maxscale };
        assert_eq!(segment(&named, Between::Something), (Segment::Pooler, Some("MaxScale 24.02.1".to_owned())));
    }
}
