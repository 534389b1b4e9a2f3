//! Whatever is written, nothing panics and no password comes out.

use proptest::prelude::*;

use super::*;
use crate::config::target::encode;

/// Pieces that occur in connection strings, so that the grammar's corners are hit.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "postgresql://",
            "postgres://",
            "host",
            "=",
            "password",
            "user",
            "'",
            "\\",
            " ",
            "@",
            ":",
            "/",
            "?",
            "&",
            ",",
            "[",
            "]",
            "%",
            "%4",
            "%40",
            "%00",
            "%ff",
            "::1",
            "5432",
            "sslmode",
            "require",
            "service",
            "\u{e9}",
            "\0",
            "\n",
            "hostaddr",
            "port",
            "require_auth",
            "!",
            "~",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ]
}

fn everything_shown(result: &Result<Config, ConfigError>) -> String {
    match result {
        Ok(config) => format!("{config:?} {} {:?}", config.display_url(), config.warnings),
        Err(error) => format!("{error} {error:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn nothing_panics(pieces in prop::collection::vec(piece(), 0..14)) {
        let text = pieces.concat();
        let map = Map::default().file("/home/ann/.pgpass", &text).file("/home/ann/.pg_service.conf", &text);
        let _ = everything_shown(&parse(&text, &map));
        let _ = parse("service=s host=h", &map);
        let _ = parse("host=h", &map);
        Config::is_target(&text);
    }

    #[test]
    fn passwords_are_read_and_never_shown(secret in "[!-~é ]{0,8}Zq7_[!-~é ]{0,8}", broken in any::<bool>()) {
        let uri = format!("postgresql://bob:{}@h/db?sslmode=require", encode(&secret));
        let quoted = secret.replace('\\', "\\\\").replace('\'', "\\'");
        let pairs = format!("user=bob password='{quoted}' host=h");
        let escaped = secret.replace('\\', "\\\\").replace(':', "\\:");
        let file = Map::default().file("/home/ann/.pgpass", &format!("h:*:*:*:{escaped}\n"));
        let variable = Map::default().var("PGPASSWORD", &secret);
        for (text, map) in [(uri.as_str(), Map::default()), (&pairs, Map::default()), ("host=h", file), ("host=h", variable)] {
            let text = if broken { format!("{text}{}", if text.starts_with("postgresql:") { "&nonsense" } else { " nonsense" }) } else { text.to_owned() };
            let result = parse(&text, &map);
            prop_assert_eq!(result.is_err(), broken);
            prop_assert!(!everything_shown(&result).contains("Zq7_"));
            if let Ok(config) = &result {
                prop_assert_eq!(password(config), Some(secret.as_str()));
            }
        }
    }

    #[test]
    fn passwords_written_without_care_are_never_shown(secret in "[a-z@:/?#=& %']{0,6}Zq7_[a-z@:/?#=& %']{0,6}") {
        // Parsed or not: the part that makes it recognisable may end in the host, the port, the database, a key.
        let uri = parse(&format!("postgresql://bob:{secret}@h/db"), &Map::default());
        if let Err(error) = &uri {
            let shown = format!("{error} {error:?}");
            prop_assert!(!shown.contains("Zq7_"), "{}", shown);
        }
        let pairs = parse(&format!("host=h password={secret} user=bob"), &Map::default());
        prop_assert!(!everything_shown(&pairs).contains("Zq7_"), "{}", everything_shown(&pairs));
    }
}
