//! What answered: the server itself, or something that stands in its place.

use std::net::{IpAddr, SocketAddr};

use peaje_model::{Gap, Segment, WhatAnswered};

use super::connect::LocalEnd;
use super::session::{Row, Session, number, text};
use super::{PEER, PGBOUNCER_VERSION, PGPOOL_VERSION, VERSION};

/// What lies between peaje and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Nothing: the server sees our own address and port.
    Nothing,
    /// Something: the server sees another end than ours.
    Something,
    /// It cannot be told.
    Unknown,
}

/// Compares both ends of the connection.
pub(super) async fn what_is_between(session: &Session, local: LocalEnd) -> Between {
    match session.row(&PEER, "the server's view of the connection").await {
        Ok(seen) => compare(&seen, local),
        Err(_) => Between::Unknown,
    }
}

fn compare(seen: &Row, local: LocalEnd) -> Between {
    let address = text(seen, "client_address").and_then(|a| a.split('/').next()?.parse::<IpAddr>().ok());
    let port = number(seen, "client_port").and_then(|p| u16::try_from(p).ok());
    match (local, address.zip(port)) {
        (LocalEnd::Tcp(ours), Some((ip, port))) if SocketAddr::new(ip, port) == ours => Between::Nothing,
        (_, Some(_)) | (LocalEnd::Tcp(_), None) => Between::Something,
        // A pooler on the same machine may use a socket on both sides.
        (LocalEnd::Unix, None) => Between::Unknown,
    }
}

/// Products that speak PostgreSQL's protocol, by a word of their version sentence.
const PRODUCTS: &[(&str, &str)] = &[
    ("peaje reference server", "peaje reference server"),
    ("CockroachDB", "CockroachDB"),
    ("-YB-", "YugabyteDB"),
    ("Redshift", "Amazon Redshift"),
    ("Greenplum", "Greenplum"),
    ("EnterpriseDB", "EDB Postgres Advanced Server"),
    ("Materialize", "Materialize"),
    ("PostgreSQL", "PostgreSQL"),
];

/// Managed services, by the beginning of a setting that only they have.
const SERVICES: &[(&str, &str)] = &[
    ("aurora", "Amazon Aurora"),
    ("rds.", "Amazon RDS"),
    ("alloydb.", "Google AlloyDB"),
    ("cloudsql.", "Google Cloud SQL"),
    ("azure.", "Azure Database for PostgreSQL"),
];

/// Asks what answers.
pub(super) async fn what_answered(
    session: &Session,
    between: Between,
    settings: &[String],
) -> Result<WhatAnswered, Gap> {
    let row = session.row(&VERSION, "version()").await?;
    let banner = text(&row, "version").unwrap_or_default().to_owned();
    let pooler = if between == Between::Something { pgpool(session).await } else { None };
    Ok(describe(&banner, between, pooler, settings))
}

/// PgBouncer's administration console, if this is one.
pub(super) async fn pgbouncer_console(session: &Session) -> Option<WhatAnswered> {
    let row = session.row(&PGBOUNCER_VERSION, "PgBouncer's version").await.ok()?;
    let banner = text(&row, "version")?.to_owned();
    Some(WhatAnswered {
        product: "PgBouncer".to_owned(),
        version: banner.split_whitespace().nth(1).map(str::to_owned),
        banner: Some(banner),
        reference_server: false,
        segment: Segment::PoolerConsole,
        pooler: None,
    })
}

async fn pgpool(session: &Session) -> Option<String> {
    let row = session.row(&PGPOOL_VERSION, "Pgpool-II").await.ok()?;
    text(&row, "pool_version").map(|version| format!("Pgpool-II {version}"))
}

fn describe(banner: &str, between: Between, pooler: Option<String>, settings: &[String]) -> WhatAnswered {
    let product = PRODUCTS.iter().find(|(word, _)| banner.contains(word)).map_or("unknown", |(_, product)| product);
    let service = SERVICES.iter().find(|(prefix, _)| settings.iter().any(|name| name.starts_with(prefix)));
    let segment = match (between, &pooler) {
        (_, Some(_)) => Segment::Pooler,
        (Between::Something, None) => Segment::SomethingBetween,
        (Between::Nothing, None) => Segment::Server,
        (Between::Unknown, None) => Segment::Unknown,
    };
    WhatAnswered {
        product: service.map_or_else(|| product.to_owned(), |(_, service)| format!("{product} ({service})")),
        version: version_in(banner),
        banner: Some(banner.to_owned()).filter(|b| !b.is_empty()),
        reference_server: product == "peaje reference server",
        segment,
        pooler,
    }
}

/// The first word that begins with a digit: `PostgreSQL 15.14 (Debian …) on …` gives `15.14`.
fn version_in(banner: &str) -> Option<String> {
    let word =
        banner.split_whitespace().find(|w| w.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()))?;
    Some(word.trim_start_matches('v').trim_end_matches(',').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, Option<&str>)]) -> Row {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), v.map(str::to_owned))).collect()
    }

    #[test]
    fn the_ends_are_compared() {
        let ours = LocalEnd::Tcp("10.0.0.7:50123".parse().expect("an address"));
        for (local, address, port, expected) in [
            (ours, Some("10.0.0.7"), Some("50123"), Between::Nothing),
            (ours, Some("10.0.0.7/32"), Some("50123"), Between::Nothing),
            (ours, Some("10.0.0.7"), Some("50124"), Between::Something),
            (ours, Some("172.17.0.1"), Some("50123"), Between::Something),
            (ours, None, None, Between::Something),
            (LocalEnd::Unix, None, None, Between::Unknown),
            (LocalEnd::Unix, Some("127.0.0.1"), Some("50123"), Between::Something),
        ] {
            let seen = row(&[("client_address", address), ("client_port", port)]);
            assert_eq!(compare(&seen, local), expected, "{local:?} {address:?}");
        }
    }

    #[test]
    fn products_versions_and_services() {
        for (banner, setting, product, version) in [
            (
                "PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc",
                "",
                "PostgreSQL",
                "15.14",
            ),
            ("PostgreSQL 17.4, compiled by Visual C++ build 1943, 64-bit", "", "PostgreSQL", "17.4"),
            ("PostgreSQL 18beta1 on aarch64", "", "PostgreSQL", "18beta1"),
            ("PostgreSQL 16.4 on x86_64", "rds.extensions", "PostgreSQL (Amazon RDS)", "16.4"),
            ("PostgreSQL 16.4 on x86_64", "azure.extensions", "PostgreSQL (Azure Database for PostgreSQL)", "16.4"),
            ("CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023)", "", "CockroachDB", "23.1.11"),
            ("PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64", "", "YugabyteDB", "11.2-YB-2.20.1.0-b0"),
            ("PostgreSQL 16.0 (peaje reference server 0.1.0)", "", "peaje reference server", "16.0"),
        ] {
            let found = describe(banner, Between::Nothing, None, &[setting.to_owned()]);
            assert_eq!((found.product.as_str(), found.version.as_deref()), (product, Some(version)));
            assert_eq!(found.reference_server, product == "peaje reference server");
        }
        assert_eq!(describe("", Between::Unknown, None, &[]).product, "unknown");
    }

    #[test]
    fn the_segment_names_what_stands_between() {
        let segment = |between, pooler: Option<&str>| {
            let what = describe("", between, pooler.map(str::to_owned), &[]);
            (what.segment, what.pooler)
        };
        assert_eq!(segment(Between::Nothing, None), (Segment::Server, None));
        assert_eq!(segment(Between::Unknown, None), (Segment::Unknown, None));
        assert_eq!(segment(Between::Something, None), (Segment::SomethingBetween, None));
        let named = "Pgpool-II 4.5.0".to_owned();
        assert_eq!(segment(Between::Something, Some(&named)), (Segment::Pooler, Some(named.clone())));
    }
}
