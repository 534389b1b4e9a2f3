//! Laws: what is shown can be read again, what is quoted comes back, nothing panics, nothing leaks.

use proptest::prelude::*;

use super::{address, config};
use crate::config::{BareSurroundings, Config};

fn quoted(text: &str, quote: char) -> String {
    format!("{quote}{}{quote}", text.replace(quote, &format!("{quote}{quote}")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn passwords_come_back(password in "[^\\x00]{0,20}") {
        let expose = |text: &str| Config::parse(text, &BareSurroundings).unwrap().password.unwrap().expose().to_owned();
        for quote in ['\'', '"'] {
            prop_assert_eq!(expose(&format!("Server=a;Password={};UID=b", quoted(&password, quote))), password.clone());
        }
        let braces = format!("{{{}}}", password.replace('}', "}}"));
        prop_assert_eq!(expose(&format!("Driver=FreeTDS;Server=a;PWD={braces};UID=b")), password.clone());
        prop_assert_eq!(expose(&format!("jdbc:sqlserver://a;password={braces};user=b")), password.clone());
    }

    #[test]
    fn anything_is_read_or_refused(text in "[^\\x00]{0,80}") {
        let (server, url) = (format!("Server=a;{text}"), format!("mssql://{text}"));
        for text in [text.clone(), server, url, format!("jdbc:sqlserver://a;{text}")] {
            let _ = Config::is_target(&text);
            if let Ok(config) = Config::parse(&text, &BareSurroundings) {
                let _ = config.display_url();
            }
        }
    }

    #[test]
    fn what_is_shown_can_be_read_again(
        user in "[a-zA-Z0-9\\\\ñ@:/ ]{0,10}[a-z]", database in "[a-zA-Z0-9 ?&=]{0,10}[a-z]",
        host in "[a-z][a-z0-9.-]{0,10}[a-z]",
        port in 1..65535u16, encrypt in prop_oneof![Just("strict"), Just("optional"), Just("mandatory")],
        flags in any::<[bool; 3]>(),
    ) {
        let text = format!(
            "Server={host},{port};User ID='{user}';Password=hunter2;Database='{database}';Encrypt={encrypt};\
             TrustServerCertificate={};MultiSubnetFailover={};ApplicationIntent={}",
            flags[0], flags[1], if flags[2] { "ReadOnly" } else { "ReadWrite" }
        );
        let first = config(&text);
        let shown = first.display_url();
        prop_assert!(!shown.contains("hunter2"));
        let debug = format!("{first:?}");
        prop_assert!(!debug.contains("hunter2"));
        let again = config(&shown);
        prop_assert_eq!(address(&again), address(&first));
        prop_assert_eq!((&again.user, &again.database), (&first.user, &first.database));
        prop_assert_eq!((again.encrypt, again.trust_server_certificate), (first.encrypt, first.trust_server_certificate));
        prop_assert_eq!(again.multi_subnet_failover, first.multi_subnet_failover);
        prop_assert_eq!(again.application_intent, first.application_intent);
        prop_assert!(!again.has_password());
    }
}
