//! Strings as applications have them.

use std::time::Duration;

use peaje_engine::Verify;

use super::{Vars, address, config};
use crate::config::{ApplicationIntent, Config, Encrypt, PoolSettings};

#[test]
fn servers() {
    let table = [
        ("Server=db1", "db1", 1433, None),
        ("Server=tcp:db1,1500", "db1", 1500, None),
        ("Data Source = db1 , 1500 ", "db1", 1500, None),
        ("Addr=10.0.0.1", "10.0.0.1", 1433, None),
        ("Address=(local)", "localhost", 1433, None),
        ("Network Address=.", "localhost", 1433, None),
        (r"Server=.\SQLEXPRESS", "localhost", 0, Some("SQLEXPRESS")),
        (r"Server=db1\SQL2022", "db1", 0, Some("SQL2022")),
        (r"Server=db1\SQL2022,1501", "db1", 1501, None),
        (r"Server=db1\MSSQLSERVER", "db1", 1433, None),
        ("Server=[fe80::1],1500", "fe80::1", 1500, None),
        ("Server=fe80::1", "fe80::1", 1433, None),
        ("Server=fe80::1%eth0,1500", "fe80::1%eth0", 1500, None),
        ("mssql://[fe80::1%25eth0]:1500", "fe80::1%eth0", 1500, None),
        ("SERVER=TCP:db1.example.net,1433", "db1.example.net", 1433, None),
        ("Driver=FreeTDS;Server=db1;Port=1500", "db1", 1500, None),
        ("mssql://db1", "db1", 1433, None),
        ("sqlserver://db1:1500/shop", "db1", 1500, None),
        ("sqlserver://[::1]:1500", "::1", 1500, None),
        ("sqlserver://[::1]", "::1", 1433, None),
        ("mssql://db1,1500", "db1", 1500, None),
        ("mssql:///shop", "localhost", 1433, None),
        (r"mssql://sa@db1\SQL2022/shop", "db1", 0, Some("SQL2022")),
        ("mssql://sa@db1/shop?instance=SQL2022", "db1", 0, Some("SQL2022")),
        (r"jdbc:sqlserver://db1\SQL2022:1501;user=sa", "db1", 1501, None),
        ("jdbc:sqlserver://;serverName=db1;portNumber=1501", "db1", 1501, None),
        ("jdbc:sqlserver://db1;instanceName=SQL2022", "db1", 0, Some("SQL2022")),
        ("sqlserver://db1:1500;database=shop;user=sa", "db1", 1500, None),
    ];
    for (text, host, port, instance) in table {
        let config = config(text);
        assert_eq!(address(&config), (host.to_owned(), port), "{text}");
        assert_eq!(config.instance.as_deref(), instance, "{text}");
        assert_eq!(config.warnings, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_application_string_of_ado_net() {
    let config = config(
        "Server=tcp:db1.example.net,1433;Initial Catalog=shop;Persist Security Info=False;User ID=app;\
         Password=\"a;b\"\"c\";MultipleActiveResultSets=False;Encrypt=True;TrustServerCertificate=False;\
         Connection Timeout=30;Min Pool Size=100;Max Pool Size=200;Load Balance Timeout=60;\
         Application Name='the ''shop''';MultiSubnetFailover=True;ApplicationIntent=ReadOnly;Packet Size=4096;\
         Workstation ID=web7;",
    );
    assert_eq!((config.user.as_str(), config.password.as_ref().unwrap().expose()), ("app", "a;b\"c"));
    assert_eq!(config.database.as_deref(), Some("shop"));
    assert_eq!((config.encrypt, config.encrypt_is_set, config.trust_server_certificate), (Encrypt::On, true, false));
    let lifetime = Some(Duration::from_secs(60));
    assert_eq!(config.pool, PoolSettings { enabled: true, min: Some(100), max: Some(200), lifetime });
    assert_eq!(config.connect_timeout, Some(Duration::from_secs(30)));
    assert_eq!(config.application_name.as_deref(), Some("the 'shop'"));
    assert!(config.multi_subnet_failover);
    assert_eq!(config.application_intent, ApplicationIntent::ReadOnly);
    assert_eq!((config.packet_size, config.workstation.as_str()), (Some(4096), "web7"));
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[test]
fn an_application_string_of_odbc() {
    let config = config(
        "Driver={ODBC Driver 18 for SQL Server};Server=db1;UID=app;PWD={p;w}}d};PWD=other;Encrypt=no;\
         TrustServerCertificate=yes;Trusted_Connection=no;APP=shop;Database=a;",
    );
    assert_eq!(config.password.as_ref().unwrap().expose(), "p;w}d", "the first of equal keys wins");
    assert_eq!((config.encrypt, config.trust_server_certificate), (Encrypt::LoginOnly, true));
    assert_eq!((config.application_name.as_deref(), config.database.as_deref()), (Some("shop"), Some("a")));
}

#[test]
fn which_of_equal_keys_wins() {
    assert_eq!(config("Server=a;Server=b").endpoints[0].host(), "b", "ADO.NET: the last");
    assert_eq!(config("Server=a;Data Source=b").endpoints[0].host(), "b", "a synonym is the same key");
    assert_eq!(config("Driver=FreeTDS;Server=a;Server=b").endpoints[0].host(), "a", "ODBC: the first");
    assert_eq!(config("jdbc:sqlserver://a;user=x;user=y").user, "y", "JDBC: the last");
}

#[test]
fn urls() {
    let config = config("mssql://app:p%40ss%3Bw@db1:1500/my%20shop?encrypt=strict&app+name=x&connect%20timeout=5");
    assert_eq!((config.user.as_str(), config.password.as_ref().unwrap().expose()), ("app", "p@ss;w"));
    assert_eq!((config.database.as_deref(), config.encrypt), (Some("my shop"), Encrypt::Strict));
    assert_eq!(config.connect_timeout, Some(Duration::from_secs(5)));
    assert_eq!(config.warnings.len(), 1, "`app+name` is no key: {:?}", config.warnings);
    let jdbc =
        super::config("jdbc:sqlserver://db1;user=app;password={a;b}}c};databaseName=shop;encrypt=false;loginTimeout=7");
    assert_eq!((jdbc.password.as_ref().unwrap().expose(), jdbc.encrypt), ("a;b}c", Encrypt::LoginOnly));
    assert_eq!((jdbc.database.as_deref(), jdbc.connect_timeout), (Some("shop"), Some(Duration::from_secs(7))));
}

#[test]
fn quotes_of_ado_net() {
    let password = |text: &str| config(text).password.unwrap().expose().to_owned();
    let table = [
        ("Server=a;Password=plain ;UID=x", "plain"),
        ("Server=a;Password= 'with spaces ' ;UID=x", "with spaces "),
        ("Server=a;Password='it''s'", "it's"),
        ("Server=a;Password=\"say \"\"no\"\"\"", "say \"no\""),
        ("Server=a;Password='a\"b'", "a\"b"),
        ("Server=a;Password=a'b", "a'b"),
        ("Server=a;Password=a=b==c", "a=b==c"),
        ("Server=a;Password=", ""),
        ("Server=a;Password=''", ""),
        ("Server=a;Password={a", "{a"),
        ("Server=a;Password={a}b", "{a}b"),
    ];
    for (text, expected) in table {
        assert_eq!(password(text), expected, "{text}");
    }
    // mssql-python quotes as ODBC and names no driver: read so, and said.
    let braces = config("Server=a;PWD={p;w}");
    assert_eq!(braces.password.unwrap().expose(), "p;w");
    assert!(braces.warnings[0].starts_with("at character 14 "), "{:?}", braces.warnings);
    assert!(!braces.warnings[0].contains("p;w"));
}

#[test]
fn what_the_string_lacks_comes_from_variables() {
    let vars = |list: &[(&'static str, &'static str)]| Vars(list.iter().copied().collect());
    let all =
        vars(&[("SQLCMDSERVER", r"tcp:db2,1502"), ("SQLCMDUSER", "u"), ("SQLCMDPASSWORD", "p"), ("SQLCMDDBNAME", "d")]);
    let config = Config::parse("Encrypt=yes", &all).unwrap();
    assert_eq!((address(&config), config.user.as_str()), (("db2".to_owned(), 1502), "u"));
    assert_eq!((config.password.as_ref().unwrap().expose(), config.database.as_deref()), ("p", Some("d")));
    assert_eq!(config.workstation, "machine");
    let own = Config::parse("Server=db1;UID=a;PWD=b;Database=c", &all).unwrap();
    assert_eq!((address(&own).0, own.user, own.database), ("db1".to_owned(), "a".to_owned(), Some("c".to_owned())));
    assert_eq!(own.password.unwrap().expose(), "b");
    let bare = Config::parse("mssql://db1", &vars(&[("SQLCMDPASSWORD", "")])).unwrap();
    assert!(!bare.has_password(), "an empty variable is none");
}

#[test]
fn what_is_ours() {
    let table = [
        ("mssql://host", true),
        ("SQLServer://host", true),
        ("jdbc:sqlserver://host", true),
        ("Server=host;UID=sa", true),
        ("Data Source=host", true),
        ("UID=sa;Addr=host", true),
        ("Driver={ODBC Driver 18 for SQL Server};Server=h", true),
        ("Driver={SQL Server};Server=h", true),
        ("Driver=FreeTDS;Server=h;Port=1433", true),
        ("Driver={PostgreSQL Unicode};Server=h;UID=x", false),
        ("Driver={MySQL ODBC 8.0 Driver};Server=h", false),
        ("Server=h;Port=3306;Uid=root", false),
        ("Host=h;Username=u;Database=d", false),
        ("host=h user=u dbname=d", false),
        ("Server=h;Uid=u;SslMode=Required", false),
        ("Server=h;User Id=u;Search Path=a", false),
        ("Server=h;Password=\"a;port=1\"", true),
        ("jdbc:postgresql://h/db", false),
        ("jdbc:mysql://h/db", false),
        ("host=h password=a;server=x", false),
        ("postgresql://h", false),
        ("mysql://h", false),
        ("server", false),
        ("UID=sa;PWD=x", false),
    ];
    for (text, expected) in table {
        assert_eq!(Config::is_target(text), expected, "{text}");
    }
}

#[test]
fn a_string_that_could_be_another_engines_says_how_it_is_read() {
    let table = [
        ("Server=127.0.0.1;Database=x;Uid=y", true),
        ("Server=127.0.0.1;Database=x;Uid=y;Pwd=z", true),
        ("Server=127.0.0.1;Database=x;Uid=y;Pwd=z;Encrypt=yes", false),
        ("Server=127.0.0.1,1433;Uid=y;Pwd=z", false),
        ("Driver={ODBC Driver 18 for SQL Server};Server=h;Uid=y", false),
        ("Server=h;User ID=y;Password=z", false),
    ];
    for (text, told) in table {
        assert!(Config::is_target(text), "{text}");
        let warnings = config(text).warnings;
        assert_eq!(warnings.iter().any(|w| w.starts_with("read as SQL Server's")), told, "{text} {warnings:?}");
    }
}

#[test]
fn keys_that_have_no_effect_are_told() {
    let config = config("Server=a;Failover Partner=b;Ecrypt=yes;secret rest=x;MARS_Connection=yes");
    let expected = [
        "at character 29 of the connection string: an unknown key has no effect; did you mean `encrypt`?",
        "at character 40 of the connection string: an unknown key has no effect (a value that contains `;` needs quotes)",
        "Failover Partner is not dialled: only the server itself is measured",
    ];
    assert_eq!(config.warnings, expected);
    let strict = super::config("Server=a;Encrypt=strict;TrustServerCertificate=yes");
    assert!(strict.warnings[0].contains("always checks"));
    assert_eq!(strict.verify(Encrypt::Strict), Verify::Full);
}

#[test]
fn how_much_of_the_certificate_is_checked() {
    let table = [
        ("Server=a", Encrypt::On, Verify::Full),
        ("Server=a", Encrypt::LoginOnly, Verify::Nothing),
        ("Server=a;TrustServerCertificate=true", Encrypt::On, Verify::Nothing),
        ("Server=a;TrustServerCertificate=true", Encrypt::Strict, Verify::Full),
        ("Server=a;ServerCertificate=/c.pem", Encrypt::On, Verify::Chain),
        ("Server=a;ServerCertificate=/c.pem;HostNameInCertificate=b", Encrypt::Strict, Verify::Full),
    ];
    for (text, encrypt, expected) in table {
        assert_eq!(config(text).verify(encrypt), expected, "{text} {encrypt:?}");
    }
}
