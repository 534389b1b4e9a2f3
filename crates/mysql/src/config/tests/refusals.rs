//! What is refused, where it says so, and that it does not repeat a password.

use super::*;

#[test]
fn refusals() {
    for (text, part) in [
        ("mysqlx://h:33060", "the X protocol is not spoken"),
        ("mysql+srv://h", "SRV"),
        ("jdbc:mysql:loadbalance://a,b/x", "could not be compared"),
        ("jdbc:mysql:replication://a,b/x", "name one host"),
        ("http://h", "write mysql://"),
        ("mysql://h:port/x", "the port is not a number"),
        ("mysql://h:70000/x", "character 10 of the connection string: the port"),
        ("mysql://h:0", "the port is not a number"),
        ("mysql://h:+1", "the port is not a number"),
        ("mysql://[::1", "not complete"),
        ("mysql://[]/x", "not complete"),
        ("mysql://[::1]x/y", "the port"),
        ("mysql://a,,b", "a host is empty"),
        ("mysql://tcp(h:3306)/x", "parentheses"),
        ("mysql://(h:3306)/x", "parentheses"),
        ("mysql://address=(host=a)(port=1)/x", "address="),
        ("mysql://%zz/x", "hexadecimal"),
        ("mysql://a%2", "hexadecimal"),
        ("mysql://a%00b", "%00"),
        ("mysql://%ff", "UTF-8"),
        ("mysql://h/a@b", "an `@` in the database name"),
        ("mysql://h?ssl-mode", "has no `=`"),
        ("mysql://h?sslmod=REQUIRED", "unknown key `sslmod`; did you mean `ssl-mode`?"),
        ("mysql://h?nonsense=1", "unknown key;"),
        ("mysql://h?ssl-mode=on", "`ssl-mode` must be one of DISABLED"),
        ("mysql://h?ssl=maybe", "`ssl` must be true or false"),
        ("mysql://h?tls=custom", "`tls` must be one of"),
        ("mysql://h?ssl=1&skip-ssl=1", "switched on and off"),
        ("mysql://h?tls-version=TLSv1.1", "below 1.2"),
        ("mysql://h?tls-version=SSLv3", "must be a list"),
        ("mysql://h?connect-timeout=soon", "whole number"),
        ("mysql://h?connectTimeout=5s", "whole number"),
        ("mysql://h?ssl-crl=/x", "`ssl-crl` is not supported"),
        ("mysql://?port=x", "from 1 to 65535"),
        ("jdbc:mysql://h?trustCertificateKeyStoreUrl=file:x", "PEM"),
        // A driver's own setting may be left out, but not one that changes what is checked.
        ("jdbc:mysql://h?sslHostnameVerifierOfMine=x", "unknown key"),
    ] {
        let error = parse(text, &Map::default()).map(|c| c.display_url()).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn option_files_are_checked_by_line() {
    for (text, part) in [
        ("user=x\n", "/home/ann/.my.cnf cannot be read: line 1: a setting stands before the first [group]"),
        ("[client\n", "line 1: the `]`"),
        ("[client]\n!include\n", "line 2: a path is missing"),
        (
            "[client]\npassword=caf\u{FFFD}\n",
            "in line 2 of /home/ann/.my.cnf: `password` holds characters that are not UTF-8",
        ),
        ("[client]\nssl-mode=x\n", "in line 2 of /home/ann/.my.cnf: `ssl-mode` must be one of"),
        ("[client]\nport=x\n", "in line 2 of /home/ann/.my.cnf: `port`"),
        (&"!include /home/ann/.my.cnf\n".repeat(4), "too many files"),
    ] {
        let map = Map::default().my_cnf(text);
        let error = parse("mysql://", &map).map(|c| c.display_url()).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let error = parse("mysql://h", &Map::default().var("MYSQL_TCP_PORT", "x")).map(|c| c.user).unwrap_err();
    assert_eq!(error.to_string(), "in the variable MYSQL_TCP_PORT: `port` must be a number from 1 to 65535");
}

#[test]
fn nobody_to_log_in() {
    let error = Config::parse("mysql://h", &crate::config::BareSurroundings).map(|c| c.user);
    assert_eq!(error, Err(ConfigError::NoUser));
}

#[test]
fn zero_bytes() {
    assert!(parse("mysql://u\0x@h", &Map::default()).unwrap_err().to_string().contains("zero byte"));
}

/// The usual accidents with a password that should have been encoded.
#[test]
fn a_badly_written_password_is_not_repeated() {
    for text in [
        "mysql://bob:Zq/Zq@Zq@h/db",
        "mysql://bob:12/Zq@Zq@h/db",
        "mysql://bob:Zq?Zq@h/db",
        "mysql://bob:Zq?Zq=Zq@h/db",
        "mysql://bob:Zq%zzZq@h/db",
        "mysql://bob:Zq@(Zq/Zq@h/db",
        "jdbc:mysql://h/db?user=u&password=Zq&Zq",
        "jdbc:mysql://h/db?user=u&password=Zq&sslZq=x",
    ] {
        let error = parse(text, &Map::default()).map(|c| c.display_url()).expect_err(text);
        for shown in [error.to_string(), format!("{error:?}")] {
            assert!(!shown.contains("Zq"), "{text}: {shown}");
        }
    }
}
