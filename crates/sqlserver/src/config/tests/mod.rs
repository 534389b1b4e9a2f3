//! Connection strings of every family, and what is refused.

mod properties;
mod refusals;
mod strings;

use std::collections::HashMap;

use peaje_engine::Endpoint;

use super::{BareSurroundings, Config, ConfigError, Surroundings};

fn config(text: &str) -> Config {
    Config::parse(text, &BareSurroundings).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn error(text: &str) -> ConfigError {
    Config::parse(text, &BareSurroundings).expect_err(text)
}

/// Host and port.
fn address(config: &Config) -> (String, u16) {
    let [Endpoint::Tcp { host, port, address: None }] = config.endpoints.as_slice() else {
        panic!("one TCP endpoint: {:?}", config.endpoints)
    };
    (host.clone(), *port)
}

/// Variables and a machine's name.
struct Vars(HashMap<&'static str, &'static str>);

impl Surroundings for Vars {
    fn var(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|v| (*v).to_owned())
    }

    fn host_name(&self) -> Option<String> {
        Some("machine".to_owned())
    }
}
