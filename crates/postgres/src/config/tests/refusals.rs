//! What is refused, where it says so, and that it does not repeat a password.

use super::*;

const PASSWORD: &str = "pa/ss w@rd";

#[test]
fn refusals() {
    for (text, part) in [
        ("host", "character 1"),
        ("host=h port", "character 8"),
        ("user='open", "character 6 of the connection string: the quote is not closed"),
        ("host=h sslmod=require", "unknown key `sslmod`; did you mean `sslmode`?"),
        ("host=h database=x", "did you mean `dbname`?"),
        ("host=h nonsense=1", "character 8 of the connection string: unknown key;"),
        ("postgresql://h?nonsense=1", "character 16 of the connection string: unknown key;"),
        ("postgresql://h?hots=1&ssl_mode=x", "unknown key"),
        ("postgresql://[::1", "character 14"),
        ("postgresql://[]/x", "the IPv6 address is empty"),
        ("postgresql://[::1]x/y", "character 19"),
        ("postgresql://h:port/x", "the port is not a number"),
        ("postgresql://h:70000/x", "`port` must be a number from 1 to 65535"),
        ("postgresql://h:0", "`port` must be a number from 1 to 65535"),
        ("postgresql://%zz/x", "hexadecimal"),
        ("postgresql://a%2", "hexadecimal"),
        ("postgresql://a%00b", "%00"),
        ("postgresql://%ff", "UTF-8"),
        ("postgresql://h?host", "has no `=`"),
        ("postgresql://h?", "has no `=`"),
        ("postgresql://h?host=a=b", "more than one `=`"),
        ("host=a,b port=1,2,3", "3 ports for 2 hosts"),
        ("host=a,b hostaddr=10.0.0.1", "2 hosts, but 1 addresses"),
        ("hostaddr=name", "must be an IPv4 or IPv6 address"),
        ("host=@abstract", "abstract Unix socket"),
        ("host=h sslmode=on", "`sslmode` must be one of disable, allow, prefer"),
        ("host=h sslmode=prefer sslnegotiation=direct", "too weak for sslnegotiation=direct"),
        ("host=h sslnegotiation=direct", "too weak for sslnegotiation=direct"),
        ("host=h sslmode=require sslrootcert=system", "too weak for sslrootcert=system"),
        ("host=h channel_binding=maybe", "`channel_binding` must be one of"),
        ("host=h target_session_attrs=leader", "`target_session_attrs` must be one of"),
        ("host=h load_balance_hosts=random", "random order"),
        ("host=h load_balance_hosts=x", "must be one of disable, random"),
        ("host=h gssencmode=require", "Kerberos"),
        ("host=h gssencmode=x", "must be one of"),
        ("host=h connect_timeout=soon", "whole number of seconds"),
        ("host=h ssl_min_protocol_version=SSLv3", "must be one of TLSv1"),
        ("host=h ssl_max_protocol_version=TLSv1.1", "below 1.2"),
        ("host=h ssl_min_protocol_version=TLSv1.3 ssl_max_protocol_version=TLSv1.2", "exchange them"),
        ("host=h require_auth=ldap", "lists words of"),
        ("host=h require_auth=md5,!none", "mixes"),
        ("host=h require_auth=md5,md5", "twice"),
        ("host=h requirepeer=postgres", "is not supported"),
        ("host=h replication=true", "is not supported"),
        ("host=h scram_client_key=x", "is not supported"),
        ("host=h sslsni=x", "must be 0 or 1"),
        ("service=none", "the service `none` is not defined"),
        ("service=s servicefile=/none", "the service file /none cannot be read"),
    ] {
        let error = parse(text, &Map::default()).map(|c| c.display_url()).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn service_files_are_checked_by_line() {
    for (text, part) in [
        ("[s]\nhost=h\nnonsense\n", "in line 3 of /f: `=` is missing"),
        ("[s]\nhots=h\n", "in line 2 of /f: unknown key"),
        ("[s]\nsslmod=h\n", "did you mean `sslmode`"),
        ("[s]\nservice=t\n", "cannot refer to another"),
        ("[s]\nldap://x\n", "LDAP"),
        ("[s]\nsslmode=x\n", "in line 2 of /f: `sslmode`"),
        ("[t]\nnonsense\n", "not defined in /f"),
    ] {
        let map = Map::default().file("/f", text);
        let error = parse("service=s servicefile=/f", &map).map(|c| c.display_url()).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn nobody_to_log_in() {
    let error = Config::parse("host=h", &crate::config::BareSurroundings).map(|c| c.user);
    assert_eq!(error, Err(ConfigError::NoUser));
}

/// The usual accidents with a password that should have been quoted or encoded.
#[test]
fn a_badly_written_password_is_not_repeated() {
    for text in [
        format!("postgresql://bob:{PASSWORD}@h/db"),
        format!("postgresql://bob:12/{PASSWORD}@h/db"),
        "postgresql://bob:w@rd@h/db".to_owned(),
        "postgresql://bob:1/ss@h/db".to_owned(),
        format!("host=h password={PASSWORD} user=u"),
        format!("host=h password={PASSWORD}=x user=u"),
        format!("host=h password='{PASSWORD}"),
        "postgresql://bob:ss%zzw@h/db".to_owned(),
    ] {
        let error = parse(&text, &Map::default()).map(|c| c.display_url()).expect_err(&text);
        for shown in [error.to_string(), format!("{error:?}")] {
            for part in ["pa/", "ss@", "ss ", "w@rd", "rd@", "ss%", "zzw"] {
                assert!(!shown.contains(part), "{text}: {shown}");
            }
        }
    }
}
