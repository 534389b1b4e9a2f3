//! Connection strings of SQL Server. Nothing that a person may type or paste may panic, and what is shown can be read
//! again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_sqlserver::config::{BareSurroundings, Config};

fuzz_target!(|text: &str| {
    let _ = Config::is_target(text);
    let Ok(config) = Config::parse(text, &BareSurroundings) else { return };
    assert!(!text.trim().contains('\0'), "a zero byte was accepted");
    let shown = config.display_url();
    assert!(Config::is_target(&shown), "what is shown is not a connection string: {shown}");
    let again = Config::parse(&shown, &BareSurroundings).expect("what is shown can be read again");
    assert_eq!(again.endpoints, config.endpoints, "{shown}");
    assert_eq!((&again.instance, &again.user, &again.database), (&config.instance, &config.user, &config.database));
    assert_eq!((again.encrypt, again.password), (config.encrypt, None));
});
