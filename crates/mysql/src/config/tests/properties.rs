//! Whatever is written, nothing panics and no password comes out.

use proptest::prelude::*;

use super::*;
use crate::config::target::encode;

/// Pieces that occur in connection strings and option files, so that the grammars' corners are hit.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "mysql://",
            "jdbc:",
            "mariadb://",
            "mysql:",
            "sequential",
            "user",
            "password",
            "=",
            "@",
            ":",
            "/",
            "?",
            "&",
            ",",
            "[",
            "]",
            "(",
            ")",
            "%",
            "%40",
            "%2F",
            "%00",
            "%ff",
            "::1",
            "3306",
            "ssl-mode",
            "REQUIRED",
            "socket",
            "\u{e9}",
            "\0",
            "\n",
            "[client]",
            "!include",
            " ",
            "\\",
            "'",
            "\"",
            "#",
            "address=",
            "connectTimeout",
            "tls",
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
    fn nothing_panics(pieces in prop::collection::vec(piece(), 0..14), scheme in any::<bool>()) {
        let text = pieces.concat();
        let map = Map::default().my_cnf(&text);
        let url = if scheme { format!("mysql://{text}") } else { text.clone() };
        let _ = everything_shown(&parse(&url, &Map::default()));
        let _ = everything_shown(&parse("mysql://", &map));
        Config::is_target(&text);
    }

    #[test]
    fn passwords_are_read_and_never_shown(secret in "[!-~é ]{0,8}Zq7_[!-~é ]{0,8}", broken in any::<bool>()) {
        let url = format!("mysql://bob:{}@h/db?ssl-mode=REQUIRED", encode(&secret));
        let key = format!("jdbc:mysql://h/db?user=bob&password={}", encode(&secret));
        let escaped = secret.replace('\\', "\\\\").replace('"', "\\\"");
        let file = Map::default().my_cnf(&format!("[client]\npassword=\"{escaped}\"\n"));
        let variable = Map::default().var("MYSQL_PWD", &secret);
        let outside = || "mysql://h?a".to_owned();
        for (text, map) in [(url, Map::default()), (key, Map::default()), (outside(), file), (outside(), variable)] {
            let text = match (text.strip_suffix("?a"), broken) {
                (Some(short), false) => short.to_owned(),
                (None, true) => format!("{text}&nonsense"),
                _ => text,
            };
            let result = parse(&text, &map);
            prop_assert_eq!(result.is_err(), broken);
            prop_assert!(!everything_shown(&result).contains("Zq7_"));
            if let Ok(config) = &result {
                prop_assert_eq!(password(config), Some(secret.as_str()));
            }
        }
    }

    #[test]
    fn careless_passwords_are_never_shown_in_errors(secret in "[a-z@:/?#=& %']{0,6}Zq7_[a-z@:/?#=& %']{0,6}") {
        for text in [format!("mysql://bob:{secret}@h/db"), format!("jdbc:mysql://h/db?user=u&password={secret}")] {
            if let Err(error) = parse(&text, &Map::default()) {
                let shown = format!("{error} {error:?}");
                prop_assert!(!shown.contains("Zq7_"), "{}", shown);
            }
        }
    }
}
