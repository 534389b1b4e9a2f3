//! What a string alone says.

use super::*;

/// String, hosts, user, password, database.
type Row = (&'static str, &'static str, &'static str, Option<&'static str>, &'static str);

const SOCKET: &str = "/var/run/postgresql/.s.PGSQL.5432";

const STRINGS: &[Row] = &[
    // URIs
    ("postgresql://", SOCKET, "ann", None, "ann"),
    ("postgres://h", "h:5432", "ann", None, "ann"),
    ("POSTGRESQL://h", "h:5432", "ann", None, "ann"),
    ("postgresql://h:5433", "h:5433", "ann", None, "ann"),
    ("postgresql://h/mydb", "h:5432", "ann", None, "mydb"),
    ("postgresql://bob@h", "h:5432", "bob", None, "bob"),
    ("postgresql://bob:secret@h/db", "h:5432", "bob", Some("secret"), "db"),
    ("postgresql://bob:@h", "h:5432", "bob", None, "bob"),
    ("postgresql://:secret@h", "h:5432", "ann", Some("secret"), "ann"),
    ("postgresql://@h", "h:5432", "ann", None, "ann"),
    ("postgresql://bob@/db", SOCKET, "bob", None, "db"),
    ("postgresql:///db", SOCKET, "ann", None, "db"),
    ("postgresql://h/", "h:5432", "ann", None, "ann"),
    ("postgresql://b%40b:p%3Aw%2F%40%25@h/d%20b", "h:5432", "b@b", Some("p:w/@%"), "d b"),
    ("postgresql://bob:a:b@h", "h:5432", "bob", Some("a:b"), "bob"),
    ("postgresql://bob:a+b@h", "h:5432", "bob", Some("a+b"), "bob"),
    ("postgresql://bob:a?b@h", "h:5432", "bob", Some("a?b"), "bob"),
    ("postgresql://bob:%C3%B1@h", "h:5432", "bob", Some("ñ"), "bob"),
    ("postgresql://a,b,c/db", "a:5432 b:5432 c:5432", "ann", None, "db"),
    ("postgresql://a:1,b:2/db", "a:1 b:2", "ann", None, "db"),
    ("postgresql://a:1,b/db", "a:1 b:5432", "ann", None, "db"),
    ("postgresql://a,b:2/db", "a:5432 b:2", "ann", None, "db"),
    ("postgresql://a,b/db?port=9", "a:9 b:9", "ann", None, "db"),
    ("postgresql://[::1]/db", "::1:5432", "ann", None, "db"),
    ("postgresql://bob:pw@[2001:db8::1]:6/db", "2001:db8::1:6", "bob", Some("pw"), "db"),
    ("postgresql://[::1]:1,[::2]:2,h:3/db", "::1:1 ::2:2 h:3", "ann", None, "db"),
    ("postgresql://[fe80::1%25eth0]:1", "fe80::1%eth0:1", "ann", None, "ann"),
    ("postgresql://%2Fvar%2Flib%2Fpg/db", "/var/lib/pg/.s.PGSQL.5432", "ann", None, "db"),
    ("postgresql://%2Fvar%2Flib%2Fpg:7/db", "/var/lib/pg/.s.PGSQL.7", "ann", None, "db"),
    ("postgresql://%2Fx,h:2/db", "/x/.s.PGSQL.5432 h:2", "ann", None, "db"),
    ("postgresql:///db?host=/var/lib/pg", "/var/lib/pg/.s.PGSQL.5432", "ann", None, "db"),
    ("postgresql:///db?host=/var/lib/pg&port=8", "/var/lib/pg/.s.PGSQL.8", "ann", None, "db"),
    ("postgresql://?host=a&user=u&password=p&dbname=d&port=3", "a:3", "u", Some("p"), "d"),
    ("postgresql://h/db?user=u%26v", "h:5432", "u&v", None, "db"),
    ("postgresql://h/db?user=x&user=y", "h:5432", "y", None, "db"),
    ("postgresql://bob@h/db?user=eve", "h:5432", "eve", None, "db"),
    ("postgresql://h/db?hostaddr=10.0.0.1", "h=10.0.0.1:5432", "ann", None, "db"),
    ("postgresql://h?dbname=q", "h:5432", "ann", None, "q"),
    (" postgresql://h ", "h:5432", "ann", None, "ann"),
    // key=value
    ("host=h", "h:5432", "ann", None, "ann"),
    ("host=h port=6 dbname=d user=u password=p", "h:6", "u", Some("p"), "d"),
    ("  host = h   port = 6  ", "h:6", "ann", None, "ann"),
    ("host=h\tport=6\nuser=u", "h:6", "u", None, "u"),
    ("user='my user' host=h", "h:5432", "my user", None, "my user"),
    (r"user='it\'s' host=h", "h:5432", "it's", None, "it's"),
    (r"user=it\'s host=h", "h:5432", "it's", None, "it's"),
    (r"password='back\\slash' host=h", "h:5432", "ann", Some(r"back\slash"), "ann"),
    (r"password=a\ b host=h", "h:5432", "ann", Some("a b"), "ann"),
    ("password='' host=h", "h:5432", "ann", None, "ann"),
    ("password='a=b' host=h", "h:5432", "ann", Some("a=b"), "ann"),
    ("password=a=b host=h", "h:5432", "ann", Some("a=b"), "ann"),
    ("password=x'y host=h", "h:5432", "ann", Some("x'y"), "ann"),
    (r"password=x\", SOCKET, "ann", Some("x"), "ann"),
    ("user='a'host=h", "h:5432", "a", None, "a"),
    ("host=", SOCKET, "ann", None, "ann"),
    ("user=u", SOCKET, "u", None, "u"),
    ("host=a host=b", "b:5432", "ann", None, "ann"),
    ("host=/run/x port=5", "/run/x/.s.PGSQL.5", "ann", None, "ann"),
    ("host=a,b port=1,2", "a:1 b:2", "ann", None, "ann"),
    ("host=a,b port=1,", "a:1 b:5432", "ann", None, "ann"),
    ("host=a,b,/s port=4", "a:4 b:4 /s/.s.PGSQL.4", "ann", None, "ann"),
    ("host=a,,b", "a:5432 /var/run/postgresql/.s.PGSQL.5432 b:5432", "ann", None, "ann"),
    ("hostaddr=127.0.0.1", "=127.0.0.1:5432", "ann", None, "ann"),
    ("hostaddr=::1 port=9", "=::1:9", "ann", None, "ann"),
    ("host=a,b hostaddr=10.0.0.1,", "a=10.0.0.1:5432 b:5432", "ann", None, "ann"),
    ("host=a,b hostaddr=10.0.0.1,10.0.0.2 port=1,2", "a=10.0.0.1:1 b=10.0.0.2:2", "ann", None, "ann"),
    ("", SOCKET, "ann", None, "ann"),
];

#[test]
fn strings() {
    for (text, expected_hosts, user, expected_password, database) in STRINGS {
        let config = ok(text, &Map::default());
        assert_eq!(hosts(&config), *expected_hosts, "{text}");
        assert_eq!((config.user.as_str(), config.database.as_str()), (*user, *database), "{text}");
        assert_eq!(password(&config), *expected_password, "{text}");
        assert_eq!(config.warnings, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_shown_url_means_the_same_without_the_password() {
    for (text, ..) in STRINGS {
        let config = ok(text, &Map::default());
        if config.endpoints.iter().any(|e| matches!(e, peaje_engine::Endpoint::Tcp { address: Some(_), .. })) {
            continue;
        }
        let again = ok(&config.display_url(), &Map::default());
        assert_eq!(again.endpoints, config.endpoints, "{text}: {}", config.display_url());
        assert_eq!((again.user, again.database), (config.user, config.database), "{text}");
        assert_eq!(again.password, None);
    }
}

#[test]
fn shown_urls() {
    for (text, expected) in [
        ("postgresql://bob:pw@h/db", "postgresql://bob@h:5432/db"),
        ("postgresql://b%40b:pw@h/db?sslmode=require", "postgresql://b%40b@h:5432/db?sslmode=require"),
        ("host=/tmp user=u dbname=d", "postgresql://u@%2Ftmp:5432/d"),
        ("host=::1,b port=1,2 user=u", "postgresql://u@[::1]:1,b:2/u"),
        (
            "host=h user=u sslmode=require sslnegotiation=direct target_session_attrs=primary",
            "postgresql://u@h:5432/u?sslmode=require&sslnegotiation=direct&target_session_attrs=primary",
        ),
    ] {
        assert_eq!(ok(text, &Map::default()).display_url(), expected);
    }
}

#[test]
fn targets() {
    for (text, expected) in [
        ("postgresql://", true),
        ("postgres://h/db", true),
        ("Postgres://h/db", true),
        ("host=h", true),
        ("dbname = x", true),
        (" user=u", true),
        ("service=prod", true),
        ("postgres:", false),
        ("mysql://h", false),
        ("postgresql", false),
        ("h", false),
        ("hots=h", false),
        ("--rate=5", false),
        ("a b=c", false),
        ("", false),
    ] {
        assert_eq!(Config::is_target(text), expected, "{text}");
    }
}
