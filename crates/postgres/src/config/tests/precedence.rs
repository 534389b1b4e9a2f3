//! String over service file over variables over defaults; password file; TLS files; typed settings.

use std::time::Duration;

use super::*;
use crate::config::{
    AuthMethod, AuthWord, ChannelBindingMode, RequireAuth, RootCert, SslMode, SslNegotiation, TargetSessionAttrs,
    TlsVersion,
};

const SERVICES: &str = "# services\n\n[other]\nhost=other\n[prod]\nhost=prod-host\nport=6000\nuser=app\n  \
                        sslmode=require  \npassword=from service\n[prod]\nhost=second\n";

fn with_services() -> Map {
    Map::default().file("/home/ann/.pg_service.conf", SERVICES)
}

#[test]
fn variables() {
    let map = Map::default()
        .var("PGHOST", "vh")
        .var("PGPORT", "7")
        .var("PGUSER", "vu")
        .var("PGDATABASE", "vd")
        .var("PGPASSWORD", "vp")
        .var("PGSSLMODE", "require")
        .var("PGAPPNAME", "va")
        .var("PGOPTIONS", "-c x=1")
        .var("PGCONNECT_TIMEOUT", "4");
    let config = ok("", &map);
    assert_eq!((hosts(&config).as_str(), config.user.as_str(), config.database.as_str()), ("vh:7", "vu", "vd"));
    assert_eq!((password(&config), config.ssl_mode), (Some("vp"), SslMode::Require));
    assert_eq!(config.application_name.as_deref(), Some("va"));
    assert_eq!(config.options.as_deref(), Some("-c x=1"));
    assert_eq!(config.connect_timeout, Some(Duration::from_secs(4)));

    let stronger = ok("postgresql://u:p@h:1/d?sslmode=disable", &map);
    assert_eq!((hosts(&stronger).as_str(), stronger.user.as_str(), stronger.database.as_str()), ("h:1", "u", "d"));
    assert_eq!((password(&stronger), stronger.ssl_mode), (Some("p"), SslMode::Disable));
    // PGPORT serves the hosts of the string, as libpq has it.
    assert_eq!(hosts(&ok("postgresql://a,b", &map)), "a:7 b:7");
    assert_eq!(hosts(&ok("postgresql://a:1,b", &map)), "a:1 b:5432");
    // The database is named after the user who logs in, unless a variable names it.
    assert_eq!(ok("user=x", &Map::default().var("PGUSER", "vu")).database, "x");
}

#[test]
fn sslmode_is_said_or_not() {
    for (text, map, said) in [
        ("postgresql://h/d", Map::default(), false),
        ("postgresql://h/d?sslmode=prefer", Map::default(), true),
        ("postgresql://h/d", Map::default().var("PGSSLMODE", "prefer"), true),
        ("service=prod", with_services(), true),
        ("service=other", with_services(), false),
    ] {
        assert_eq!(ok(text, &map).ssl_mode_is_set, said, "{text}");
    }
}

#[test]
fn services_stand_between_string_and_variables() {
    let map = with_services().var("PGHOST", "vh").var("PGUSER", "vu").var("PGDATABASE", "vd");
    let config = ok("service=prod port=1", &map);
    assert_eq!((hosts(&config).as_str(), config.user.as_str(), config.database.as_str()), ("prod-host:1", "app", "vd"));
    assert_eq!((password(&config), config.ssl_mode), (Some("from service"), SslMode::Require));
    assert_eq!(hosts(&ok("postgresql:///?service=other", &map)), "other:5432");
    assert_eq!(hosts(&ok("", &with_services().var("PGSERVICE", "prod"))), "prod-host:6000");
    assert_eq!(hosts(&ok("service=other", &with_services().var("PGSERVICE", "prod"))), "other:5432");
}

#[test]
fn where_service_files_are() {
    let text = "[s]\nhost=found\n";
    for (map, string) in [
        (Map::default().file("/x/f", text).var("PGSERVICEFILE", "/x/f"), "service=s"),
        (Map::default().file("/x/f", text), "service=s servicefile=/x/f"),
        (Map::default().file("/etc/sys/pg_service.conf", text).var("PGSYSCONFDIR", "/etc/sys"), "service=s"),
        (Map::default().file("/etc/postgresql-common/pg_service.conf", text), "service=s"),
        // The user's file does not have it, the system's does.
        (with_services().file("/e/pg_service.conf", text).var("PGSYSCONFDIR", "/e"), "service=s"),
    ] {
        assert_eq!(hosts(&ok(string, &map)), "found:5432");
    }
}

#[test]
fn password_files() {
    let long = "# comment\n\nh:5432:db:bob:exact\nh:*:*:bob:star\\:colon\\\\\nwith\\:colon:1:*:*:escaped\n\
                localhost:5432:*:*:local\n/s:*:*:*:folder\n10.0.0.9:*:*:*:address\n*:*:empty:*:\n*:9:*:*:last:with:colons\n";
    let map = Map::default().file("/home/ann/.pgpass", long);
    for (text, expected) in [
        ("host=h user=bob dbname=db", Some("exact")),
        ("host=h user=bob dbname=x", Some("star:colon\\")),
        ("host=h port=2 user=bob dbname=db", Some("star:colon\\")),
        ("host=h user=eve dbname=db", None),
        ("host=H user=bob dbname=db", None),
        ("host=with:colon port=1", Some("escaped")),
        ("host=localhost", Some("local")),
        ("user=x", Some("local")),
        ("host=/tmp", Some("local")),
        ("host=/s", Some("folder")),
        ("host=/elsewhere", None),
        ("hostaddr=10.0.0.9", Some("address")),
        ("host=q hostaddr=10.0.0.9", None),
        ("host=q port=9 ", Some("last:with:colons")),
        ("host=q dbname=empty", None),
        ("host=h user=bob dbname=db password=string", Some("string")),
        ("host=h user=bob dbname=db password=''", Some("exact")),
    ] {
        let config = ok(text, &map);
        assert_eq!(password(&config), expected, "{text}");
        assert_eq!(config.warnings, Vec::<String>::new(), "{text}");
    }
    assert_eq!(
        password(&ok("host=h user=bob", &Map { vars: [("PGPASSWORD".into(), "v".into())].into(), ..map })),
        Some("v")
    );
}

#[test]
fn each_host_has_its_own_password() {
    let map = Map::default().file("/p", "a:*:*:*:one\nb:*:*:*:two\n").var("PGPASSFILE", "/p");
    let config = ok("host=a,b,c", &map);
    let passwords: Vec<_> = (0..4).map(|i| config.password_for(i).map(peaje_model::Secret::expose)).collect();
    assert_eq!(passwords, [Some("one"), Some("two"), None, None]);
    assert!(!config.has_password());
    let mut asked = config;
    asked.password = Some(peaje_model::Secret::new("typed"));
    assert!(asked.has_password());
}

#[test]
fn which_password_file() {
    let map = || {
        Map::default().file("/a", "*:*:*:*:a\n").file("/b", "*:*:*:*:b\n").file("/home/ann/.pgpass", "*:*:*:*:home\n")
    };
    assert_eq!(password(&ok("host=h", &map())), Some("home"));
    assert_eq!(password(&ok("host=h", &map().var("PGPASSFILE", "/a"))), Some("a"));
    assert_eq!(password(&ok("host=h passfile=/b", &map().var("PGPASSFILE", "/a"))), Some("b"));
    assert_eq!(password(&ok("host=h passfile=/none", &map())), None);
}

#[test]
fn an_open_password_file_is_not_used() {
    for (mode, used) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o610, false)] {
        let map = Map::default().file_with_mode("/home/ann/.pgpass", "*:*:*:*:open\n", 0o100_000 | mode);
        let config = ok("host=h", &map);
        assert_eq!(password(&config).is_some(), used, "{mode:o}");
        assert_eq!(config.warnings.len(), usize::from(!used));
        assert!(config.warnings.iter().all(|w| w.contains("chmod 600 /home/ann/.pgpass")), "{:?}", config.warnings);
    }
}

#[test]
fn tls_files_and_modes() {
    let home = |names: &[&str]| {
        names.iter().fold(Map::default(), |map, name| map.file(&format!("/home/ann/.postgresql/{name}"), ""))
    };
    let config = ok("host=h", &home(&["root.crt", "postgresql.crt", "postgresql.key"]));
    assert_eq!(config.ssl_root_cert, Some(RootCert::File("/home/ann/.postgresql/root.crt".into())));
    assert_eq!(config.ssl_cert, Some("/home/ann/.postgresql/postgresql.crt".into()));
    assert_eq!(config.ssl_key, Some("/home/ann/.postgresql/postgresql.key".into()));
    assert_eq!(config.ssl_mode, SslMode::Prefer);

    let half = ok("host=h", &home(&["postgresql.crt"]));
    assert_eq!((half.ssl_root_cert, half.ssl_cert, half.ssl_key), (None, None, None));
    let off = ok("host=h sslcertmode=disable", &home(&["postgresql.crt", "postgresql.key"]));
    assert_eq!((off.ssl_cert, off.ssl_key), (None, None));
    let named = ok("host=h sslcert=/c", &home(&["postgresql.key"]));
    assert_eq!(
        (named.ssl_cert, named.ssl_key),
        (Some("/c".into()), Some("/home/ann/.postgresql/postgresql.key".into()))
    );

    let system = ok("host=h sslrootcert=system", &Map::default());
    assert_eq!((system.ssl_root_cert, system.ssl_mode), (Some(RootCert::System), SslMode::VerifyFull));
    let old = ok("host=h", &Map::default().var("PGREQUIRESSL", "1"));
    assert_eq!(old.ssl_mode, SslMode::Require);
    assert_eq!(ok("postgresql://h?ssl=true", &Map::default()).ssl_mode, SslMode::Require);
    for word in SslMode::WORDS {
        assert_eq!(ok(&format!("host=h sslmode={word}"), &Map::default()).ssl_mode.name(), *word);
    }
}

#[test]
fn typed_settings() {
    let config = ok(
        "host=h sslmode=require sslnegotiation=direct channel_binding=require target_session_attrs=prefer-standby \
         ssl_min_protocol_version=TLSv1 ssl_max_protocol_version=TLSv1.3 sslsni=0 connect_timeout=-1 \
         fallback_application_name=fallback load_balance_hosts=disable gssencmode=prefer",
        &Map::default(),
    );
    assert_eq!(config.ssl_negotiation, SslNegotiation::Direct);
    assert_eq!(config.channel_binding, ChannelBindingMode::Require);
    assert_eq!(config.target_session_attrs, TargetSessionAttrs::PreferStandby);
    assert_eq!((config.ssl_min_version, config.ssl_max_version), (Some(TlsVersion::Tls10), Some(TlsVersion::Tls13)));
    assert!(!config.ssl_sni);
    assert_eq!((config.connect_timeout, config.application_name.as_deref()), (None, Some("fallback")));
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[test]
fn required_methods() {
    let of = |words: &str| ok(&format!("host=h require_auth={words}"), &Map::default()).require_auth;
    assert_eq!(of("scram-sha-256"), RequireAuth::OneOf(vec![AuthWord::ScramSha256]));
    assert_eq!(of("!password,!md5"), RequireAuth::NoneOf(vec![AuthWord::Password, AuthWord::Md5]));
    for (words, allowed) in [
        ("scram-sha-256", [false, false, false, true, true]),
        ("md5,none", [true, false, true, false, false]),
        ("!none", [false, true, true, true, true]),
        ("!password,!md5", [true, false, false, true, true]),
        ("''", [true, true, true, true, true]),
    ] {
        let methods = [
            AuthMethod::Trust,
            AuthMethod::Password,
            AuthMethod::Md5,
            AuthMethod::ScramSha256,
            AuthMethod::ScramSha256Plus,
        ];
        assert_eq!(methods.map(|method| of(words).allows(method)), allowed, "{words}");
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let config =
        ok("host=h keepalives=0 krbsrvname=x tcp_user_timeout=5", &Map::default().var("PGCLIENTENCODING", "x"));
    assert_eq!(config.warnings.len(), 4, "{:?}", config.warnings);
    assert!(config.warnings.iter().any(|w| w.contains("`keepalives` has no effect")));
    assert!(config.warnings.iter().any(|w| w.contains("variable PGCLIENTENCODING")));
}

#[test]
fn without_a_host_the_socket_is_where_it_is_found() {
    let tmp = Map::default().file("/tmp/.s.PGSQL.5432", "");
    assert_eq!(hosts(&ok("", &tmp)), "/tmp/.s.PGSQL.5432");
    let none = crate::config::BareSurroundings;
    assert_eq!(hosts(&Config::parse("user=u", &none).expect("a user is enough")), "localhost:5432");
}
