//! Strings as applications have them: MySqlConnector, Connector/NET, the ODBC drivers.

use super::*;
use crate::config::{PublicKeyRetrieval, SslMode, TlsVersion};

#[test]
fn strings_of_applications() {
    // Text, user, password, hosts, database, mode of TLS.
    type Case<'a> = (&'a str, &'a str, Option<&'a str>, &'a str, Option<&'a str>, SslMode);
    let table: [Case<'_>; 11] = [
        (
            "Server=h;Port=3307;Uid=u;Pwd=p;Database=shop;SslMode=Required",
            "u",
            Some("p"),
            "h:3307",
            Some("shop"),
            SslMode::Required,
        ),
        ("server=h;port=3306;uid=u;pwd='p;w'", "u", Some("p;w"), "h:3306", None, SslMode::Preferred),
        ("Server=h;User ID=u;Password=\"a\"\"b\";SSL Mode=None", "u", Some("a\"b"), "h:3306", None, SslMode::Disabled),
        ("Host=h;Port=3306;Username=u;Password=", "u", Some(""), "h:3306", None, SslMode::Preferred),
        ("Server=a,b;Port=3307;Uid=u;SslMode=VerifyCA", "u", None, "a:3307 b:3307", None, SslMode::VerifyCa),
        ("Server=a:1, b;Port=3306;Uid=u;SslMode=VerifyFull", "u", None, "a:1 b:3306", None, SslMode::VerifyIdentity),
        ("Server=::1;Port=3306;Uid=u", "u", None, "::1:3306", None, SslMode::Preferred),
        ("Server=/run/my.sock;ConnectionProtocol=Unix;Uid=u", "u", None, "/run/my.sock", None, SslMode::Preferred),
        (
            "Driver={MySQL ODBC 8.0 Unicode Driver};SERVER=h;PORT=3307;UID=u;PWD={p;w}}d};PWD=x;DATABASE=shop;OPTION=3",
            "u",
            Some("p;w}d"),
            "h:3307",
            Some("shop"),
            SslMode::Preferred,
        ),
        (
            "DRIVER={MariaDB ODBC 3.1 Driver};TCPIP=1;SERVER=h;UID=u;PWD=p;FORCETLS=1",
            "u",
            Some("p"),
            "h:3306",
            None,
            SslMode::Required,
        ),
        (
            "Driver={MySQL ODBC 9.0 Unicode Driver};Socket=/run/my.sock;UID=u;SSLMODE=VERIFY_IDENTITY",
            "u",
            None,
            "/run/my.sock",
            None,
            SslMode::VerifyIdentity,
        ),
    ];
    for (text, user, secret, endpoints, database, mode) in table {
        assert!(Config::is_target(text), "{text}");
        let config = ok(text, &Map::default());
        assert_eq!((config.user.as_str(), password(&config)), (user, secret), "{text}");
        assert_eq!((hosts(&config).as_str(), config.database.as_deref()), (endpoints, database), "{text}");
        assert_eq!((config.ssl_mode, &config.warnings), (mode, &Vec::new()), "{text}");
    }
}

#[test]
fn settings_of_drivers() {
    let config = ok(
        "Server=h;Port=3306;Uid=u;AllowPublicKeyRetrieval=True;Connection Timeout=7;SslCa=/ca.pem;SslMode=VerifyCA;\
         TlsVersion=TLS 1.1,Tls12, TLSv1.3;ApplicationName=shop;Pooling=false;AllowUserVariables=true;swordfish=1",
        &Map::default(),
    );
    assert_eq!(config.public_key_retrieval, PublicKeyRetrieval::Allowed);
    assert_eq!(config.connect_timeout, Some(std::time::Duration::from_secs(7)));
    assert_eq!(config.ssl_ca.as_deref(), Some(Path::new("/ca.pem")));
    assert_eq!(config.tls_versions, [TlsVersion::Tls12, TlsVersion::Tls13]);
    assert_eq!(config.program_name.as_deref(), Some("shop"));
    // The unknown key, and a version that is not spoken.
    assert_eq!(config.warnings.len(), 2, "{:?}", config.warnings);
    assert!(config.warnings[0].starts_with("at character ") && !config.warnings[0].contains("swordfish"));
}

#[test]
fn refusals_do_not_repeat_the_string() {
    for (text, part) in [
        ("Server=h;Port=3306;Uid=u;Pwd='swordfish", "a quote that is not closed"),
        ("Server=h;Port=3306;Uid=u;swordfish", "a key without `=`"),
        ("Server=h;Port=swordfish;Uid=u", "`port` must be a number"),
        ("Server=h:swordfish;Port=3306;Uid=u", "a port that is not a number"),
        ("Server=h;Port=3306;SslMode=swordfish", "`ssl-mode` must be one of"),
        ("Driver={MariaDB ODBC 3.1 Driver};Server=h;PWD={swordfish", "a quote that is not closed"),
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
        "Server=h,1433;User ID=u;Password=p;Encrypt=True",
        "Server=h;Password=\"a;port=3306\"",
        "Host=h;Username=u;Password=p",
        "Server=h;Port=5432;User Id=u",
        "Driver={PostgreSQL Unicode};Server=h;Port=3306",
        "Driver={ODBC Driver 18 for SQL Server};Server=h",
        "host=h port=3306 user=u",
    ] {
        assert!(!Config::is_target(text), "{text}");
    }
}
