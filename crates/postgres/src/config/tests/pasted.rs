//! Strings as applications have them: JDBC, Npgsql, psqlODBC.

use super::*;
use crate::config::{ChannelBindingMode, SslMode, TargetSessionAttrs};

/// String, hosts, user, password, database, mode of TLS.
type Row = (&'static str, &'static str, &'static str, Option<&'static str>, &'static str, SslMode);

const STRINGS: &[Row] = &[
    ("jdbc:postgresql://h/db", "h:5432", "ann", None, "db", SslMode::Prefer),
    ("JDBC:PostgreSQL://h:5433/db?user=u&password=p", "h:5433", "u", Some("p"), "db", SslMode::Prefer),
    ("jdbc:postgresql://a:1,b/db?user=u&sslmode=require", "a:1 b:5432", "u", None, "db", SslMode::Require),
    ("jdbc:postgresql://[::1]:7/db", "::1:7", "ann", None, "db", SslMode::Prefer),
    ("jdbc:postgresql://h/db?user=u&password=a%26b=c", "h:5432", "u", Some("a&b=c"), "db", SslMode::Prefer),
    ("jdbc:postgresql://h?user=u&password=a@b", "h:5432", "u", Some("a@b"), "u", SslMode::Prefer),
    (
        "jdbc:postgresql://h/db?user=u&password=a+b%2Bc&sslmode=REQUIRE",
        "h:5432",
        "u",
        Some("a b+c"),
        "db",
        SslMode::Require,
    ),
    ("jdbc:postgresql:///db", "localhost:5432", "ann", None, "db", SslMode::Prefer),
    (
        "Host=h;Port=5433;Username=u;Password=p;Database=db;SSL Mode=Require;Trust Server Certificate=true",
        "h:5433",
        "u",
        Some("p"),
        "db",
        SslMode::Require,
    ),
    ("host=h;username=u;password='p;w';database=db", "h:5432", "u", Some("p;w"), "db", SslMode::Prefer),
    ("Host=a:1,b;User ID=u;Database=db;SSL Mode=VerifyFull", "a:1 b:5432", "u", None, "db", SslMode::VerifyFull),
    ("Host=a:1,b;Port=9;Username=u;Database=db", "a:1 b:9", "u", None, "db", SslMode::Prefer),
    ("Host=/run/pg;Username=u;Database=db", "/run/pg/.s.PGSQL.5432", "u", None, "db", SslMode::Prefer),
    (
        "Server=h;Port=5432;User Id=u;Password=\"a\"\"b\";Database=db;Pooling=false",
        "h:5432",
        "u",
        Some("a\"b"),
        "db",
        SslMode::Prefer,
    ),
    (
        "Driver={PostgreSQL Unicode};Servername=h;Port=5433;Database=db;UID=u;PWD={p;w}}d};PWD=x;sslmode=verify-ca",
        "h:5433",
        "u",
        Some("p;w}d"),
        "db",
        SslMode::VerifyCa,
    ),
    (
        "Driver={PostgreSQL ANSI};Server=h;Uid=u;Database=db;ByteaAsLongVarBinary=1",
        "h:5432",
        "u",
        None,
        "db",
        SslMode::Prefer,
    ),
];

#[test]
fn strings_of_applications() {
    for (text, expected_hosts, user, expected_password, database, mode) in STRINGS {
        assert!(Config::is_target(text), "{text}");
        let config = ok(text, &Map::default());
        assert_eq!(hosts(&config), *expected_hosts, "{text}");
        assert_eq!((config.user.as_str(), config.database.as_str()), (*user, *database), "{text}");
        assert_eq!(password(&config), *expected_password, "{text}");
        assert_eq!(config.ssl_mode, *mode, "{text}");
        assert_eq!(config.warnings, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_the_jdbc_driver_means_by_ssl() {
    let table = [
        ("ssl=true", SslMode::VerifyFull, 1),
        ("ssl", SslMode::VerifyFull, 1),
        ("ssl=false", SslMode::Prefer, 0),
        ("ssl=true&sslmode=require", SslMode::Require, 0),
        ("sslmode=require&ssl=true", SslMode::Require, 0),
        ("ssl=true&sslfactory=org.postgresql.ssl.NonValidatingFactory", SslMode::Require, 1),
    ];
    for (query, mode, notes) in table {
        let config = ok(&format!("jdbc:postgresql://h/db?{query}"), &Map::default());
        assert_eq!((config.ssl_mode, config.warnings.len()), (mode, notes), "{query} {:?}", config.warnings);
    }
}

#[test]
fn settings_of_drivers() {
    let jdbc = ok(
        "jdbc:postgresql://h/db?ApplicationName=shop&connectTimeout=7&targetServerType=preferSecondary&currentSchema=a,b\
         &channelBinding=require&reWriteBatchedInserts=true&swordfish=1",
        &Map::default(),
    );
    assert_eq!(jdbc.application_name.as_deref(), Some("shop"));
    assert_eq!(jdbc.connect_timeout, Some(std::time::Duration::from_secs(7)));
    assert_eq!(jdbc.target_session_attrs, TargetSessionAttrs::PreferStandby);
    assert_eq!(jdbc.channel_binding, ChannelBindingMode::Require);
    assert_eq!(jdbc.warnings.len(), 3, "{:?}", jdbc.warnings);
    assert!(jdbc.warnings[0].contains("`currentSchema` has no effect"), "{:?}", jdbc.warnings);
    let npgsql = ok(
        "Host=h;Username=u;Application Name=shop;Timeout=7;Target Session Attributes=Read-Write;Channel Binding=Require;\
         Root Certificate=/ca.pem;SSL Mode=VerifyCA;Search Path=a;swordfish=1",
        &Map::default(),
    );
    assert_eq!(npgsql.application_name.as_deref(), Some("shop"));
    assert_eq!(npgsql.connect_timeout, Some(std::time::Duration::from_secs(7)));
    assert_eq!(npgsql.target_session_attrs, TargetSessionAttrs::ReadWrite);
    assert_eq!(npgsql.channel_binding, ChannelBindingMode::Require);
    assert_eq!(npgsql.ssl_root_cert, Some(crate::config::RootCert::File("/ca.pem".into())));
    assert_eq!(npgsql.warnings.len(), 2, "{:?}", npgsql.warnings);
    for warning in jdbc.warnings.iter().chain(&npgsql.warnings) {
        assert!(!warning.contains("swordfish"), "{warning}");
    }
}

#[test]
fn refusals_do_not_repeat_the_string() {
    for (text, part) in [
        ("Host=h;Username=u;Password='swordfish", "a quote that is not closed"),
        ("Host=h;Username=u;swordfish", "a key without `=`"),
        ("Host=h;Username=u;SSL Mode=swordfish", "`sslmode` must be one of"),
        ("Driver={PostgreSQL Unicode};Server=h;PWD={swordfish", "a quote that is not closed"),
        ("jdbc:postgresql://h:swordfish/db", "the port is not a number"),
        ("jdbc:postgresql://h/db?sslmode=swordfish", "`sslmode` must be one of"),
        ("jdbc:postgresql:swordfish", "jdbc:postgresql://localhost/database"),
    ] {
        assert!(Config::is_target(text), "{text}");
        let error = parse(text, &Map::default()).map(|c| c.display_url()).expect_err(text);
        assert!(error.to_string().contains(part), "{text}: {error}");
        assert!(!format!("{error} {error:?}").contains("swordfish"), "{text}: {error:?}");
    }
}

#[test]
fn strings_of_other_engines_are_left_to_them() {
    for text in [
        "Server=h;Uid=u;Pwd=p",
        "Server=h;Port=3306;Uid=u;Pwd=p",
        "host=h;port=3306;username=u",
        "user=u;server=h;port=3306",
        "Driver={MariaDB ODBC 3.1 Driver};Server=h",
        "Driver={ODBC Driver 18 for SQL Server};Server=h",
        "jdbc:mysql://h/db",
        "jdbc:sqlserver://h;user=u",
    ] {
        assert!(!Config::is_target(text), "{text}");
    }
    // libpq's strings stay libpq's, whatever stands in a password.
    for text in ["host=h password=a;server=x user=u", "password='a;server=x;port=3306' host=h"] {
        assert!(Config::is_target(text), "{text}");
        assert_eq!(hosts(&ok(text, &Map::default())), "h:5432", "{text}");
    }
}
