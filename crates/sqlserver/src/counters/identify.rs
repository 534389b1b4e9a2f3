//! What answered: the server itself, a listener's name for it, or something that stands in its place.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

use peaje_model::{Segment, WhatAnswered};

use super::row::Row;

/// `EngineEdition` of Azure SQL Database.
pub(super) const AZURE_SQL_DATABASE: u32 = 5;

/// What lies between peaje and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Nothing: the server sees our own address and port.
    Nothing,
    /// Something: the server sees another end than ours.
    Something,
    /// It cannot be told: the server's view of the port needs a right.
    Unknown,
}

/// Compares our end with the one the server sees. `server` is the row that everybody may read (address only), `peer` the
/// one that needs a right (address and port).
pub(super) fn between(ours: Option<SocketAddr>, server: &Row, peer: Option<&Row>) -> Between {
    let address = |row: &Row| row.text("client_net_address").and_then(|a| a.parse::<IpAddr>().ok());
    let Some(ours) = ours else { return Between::Unknown };
    let port = peer.and_then(|p| p.number("client_tcp_port")).and_then(|p| u16::try_from(p).ok());
    match (peer.and_then(address).or_else(|| address(server)), port) {
        (Some(ip), Some(port)) if same(ip, ours.ip()) && port == ours.port() => Between::Nothing,
        (Some(_), Some(_)) => Between::Something,
        // An address translated on the way shows already without the port; the same address proves nothing.
        (Some(ip), None) if !same(ip, ours.ip()) => Between::Something,
        _ => Between::Unknown,
    }
}

/// The same machine, whichever way an IPv4 address is written.
fn same(a: IpAddr, b: IpAddr) -> bool {
    a.to_canonical() == b.to_canonical()
}

/// Products that speak TDS, by a word of their version sentence.
const PRODUCTS: &[(&str, &str)] = &[
    ("peaje reference server", REFERENCE_SERVER),
    ("Babelfish", "Babelfish for PostgreSQL"),
    ("Microsoft SQL Server", "SQL Server"),
    ("Microsoft SQL Azure", "Azure SQL"),
    ("Microsoft Azure SQL Edge", "Azure SQL Edge"),
    ("Adaptive Server", "SAP ASE"),
];

const REFERENCE_SERVER: &str = "peaje reference server";

/// The engine's own word for its kind (`serverproperty('EngineEdition')`), where it is not a SQL Server of one's own.
const ENGINES: &[(u32, &str)] = &[
    (AZURE_SQL_DATABASE, "Azure SQL Database"),
    (6, "Azure Synapse Analytics"),
    (8, "Azure SQL Managed Instance"),
    (9, "Azure SQL Edge"),
    (11, "Azure Synapse serverless SQL pool"),
    (12, "SQL database in Microsoft Fabric"),
];

/// The engine edition of a server's row.
pub(super) fn engine_edition(server: &Row) -> Option<u32> {
    server.number("engine_edition").and_then(|n| u32::try_from(n).ok())
}

/// The major version of a server's row (16 = SQL Server 2022).
pub(super) fn major_version(server: &Row) -> Option<u32> {
    server.text("product_version")?.split('.').next()?.parse().ok()
}

/// Describes what answered. `listeners` holds the names of availability-group listeners with their addresses.
pub(super) fn describe(server: &Row, between: Between, listeners: &[Row]) -> WhatAnswered {
    let banner = server.text("version").unwrap_or_default();
    let product = PRODUCTS.iter().find(|(word, _)| banner.contains(word)).map_or("unknown", |(_, product)| product);
    let engine = engine_edition(server).and_then(|edition| ENGINES.iter().find(|(e, _)| *e == edition));
    let reference_server = product == REFERENCE_SERVER;
    let mut name = match engine {
        Some((_, engine)) if !reference_server => (*engine).to_owned(),
        _ => product.to_owned(),
    };
    if server.number("rdsadmin").is_some() {
        name.push_str(" (Amazon RDS)");
    }
    if let Some(listener) = listener(server, listeners) {
        let _ = write!(name, " (availability-group listener {listener})");
    }
    WhatAnswered {
        product: name,
        version: version(server),
        banner: Some(banner.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|b| !b.is_empty()),
        reference_server,
        segment: match between {
            Between::Nothing => Segment::Server,
            Between::Something => Segment::SomethingBetween,
            Between::Unknown => Segment::Unknown,
        },
        pooler: None,
    }
}

/// `16.0.4135.4 RTM CU14, Developer Edition (64-bit)`.
fn version(server: &Row) -> Option<String> {
    let mut version = server.text("product_version")?.to_owned();
    for part in ["product_level", "product_update_level"] {
        if let Some(word) = server.text(part).filter(|word| !word.is_empty()) {
            let _ = write!(version, " {word}");
        }
    }
    if let Some(edition) = server.text("edition").filter(|edition| !edition.is_empty()) {
        let _ = write!(version, ", {edition}");
    }
    Some(version)
}

/// The listener whose address this session came in by.
fn listener<'a>(server: &Row, listeners: &'a [Row]) -> Option<&'a str> {
    let local: IpAddr = server.text("local_net_address")?.parse().ok()?;
    let here = |row: &&Row| row.text("ip_address").and_then(|a| a.parse().ok()).is_some_and(|ip| same(ip, local));
    listeners.iter().find(here).and_then(|row| row.text("dns_name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        Row::of(pairs)
    }

    #[test]
    fn the_ends_are_compared() {
        let ours = Some("10.0.0.7:50123".parse().expect("an address"));
        let seen = |address, port: Option<&str>| {
            let mut pairs = vec![("client_net_address", address)];
            pairs.extend(port.map(|port| ("client_tcp_port", port)));
            row(&pairs)
        };
        for (address, port, expected) in [
            ("10.0.0.7", Some("50123"), Between::Nothing),
            ("::ffff:10.0.0.7", Some("50123"), Between::Nothing),
            ("10.0.0.7", Some("50124"), Between::Something),
            ("172.17.0.1", Some("50123"), Between::Something),
            ("172.17.0.1", None, Between::Something),
            ("10.0.0.7", None, Between::Unknown),
            ("<local machine>", None, Between::Unknown),
        ] {
            let peer = port.map(|_| seen(address, port));
            assert_eq!(between(ours, &seen(address, None), peer.as_ref()), expected, "{address} {port:?}");
        }
        assert_eq!(between(None, &row(&[]), None), Between::Unknown);
    }

    #[test]
    fn products_and_versions() {
        for (banner, edition, product) in [
            ("Microsoft SQL Server 2022 (RTM-CU14) (KB5038325) - 16.0.4135.4 (X64) \n\tJul 10 2024", "3", "SQL Server"),
            ("Microsoft SQL Azure (RTM) - 12.0.2000.8", "5", "Azure SQL Database"),
            ("Microsoft SQL Azure (RTM) - 12.0.2000.8", "8", "Azure SQL Managed Instance"),
            ("Babelfish for PostgreSQL with SQL Server Compatibility - 12.0.2000.8", "3", "Babelfish for PostgreSQL"),
            ("Microsoft SQL Server 2022 compatible: peaje reference server 0.1.0", "3", "peaje reference server"),
            ("something else", "3", "unknown"),
        ] {
            let server = row(&[
                ("version", banner),
                ("engine_edition", edition),
                ("product_version", "16.0.4135.4"),
                ("product_level", "RTM"),
                ("product_update_level", "CU14"),
                ("edition", "Developer Edition (64-bit)"),
            ]);
            let found = describe(&server, Between::Nothing, &[]);
            assert_eq!(found.product, product);
            assert_eq!(found.version.as_deref(), Some("16.0.4135.4 RTM CU14, Developer Edition (64-bit)"));
            assert_eq!(found.reference_server, product == "peaje reference server");
            assert!(!found.banner.expect("there is one").contains('\n'));
            assert_eq!(major_version(&server), Some(16));
        }
    }

    #[test]
    fn a_listener_is_named_and_only_when_it_was_used() {
        let listeners = [row(&[("dns_name", "sales"), ("ip_address", "10.0.0.50")])];
        for (local, expected) in
            [("10.0.0.50", "SQL Server (availability-group listener sales)"), ("10.0.0.11", "SQL Server")]
        {
            let server = row(&[("version", "Microsoft SQL Server 2019"), ("local_net_address", local)]);
            assert_eq!(describe(&server, Between::Nothing, &listeners).product, expected);
        }
        let rds = row(&[("version", "Microsoft SQL Server 2019"), ("rdsadmin", "5")]);
        assert_eq!(describe(&rds, Between::Something, &[]).product, "SQL Server (Amazon RDS)");
        assert_eq!(describe(&rds, Between::Something, &[]).segment, Segment::SomethingBetween);
    }
}
