//! The list of engines: the one place to add one. An engine is a file of this folder and its entry in [`ENGINES`].

#[cfg(test)]
mod conformance;
mod mysql;
mod postgres;
mod sqlserver;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;

use peaje_refserver::Protocol;

use crate::args::LoginArgs;
use crate::check::Check;
use crate::exit::Status;
use crate::login::{PoolWords, Request};
use crate::sessions::worker::Job;
use crate::sessions::{Ask, End};
use crate::subject::{Opening, Words};

/// A measurement under way.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Status>> + 'a>>;

/// A ladder of sessions under way.
pub(crate) type Climbing<'a> = Pin<Box<dyn Future<Output = anyhow::Result<End>> + 'a>>;

/// What the command needs to know of an engine.
#[derive(Debug)]
pub(crate) struct Engine {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    /// A connection string for messages.
    pub(crate) example: &'static str,
    /// What its servers, and poolers in front of them, call themselves: the product, and its name in OpenTelemetry's
    /// `db.system.name`.
    pub(crate) products: &'static [(&'static str, &'static str)],
    /// Words that ask for a throwaway server.
    pub(crate) throwaway_words: &'static [&'static str],
    /// Words that mean this engine and are no target, with what to write in their place.
    pub(crate) near_misses: Option<(&'static [&'static str], &'static str)>,
    /// What the reference server speaks in its place.
    pub(crate) protocol: Protocol,
    /// A connection string for the reference server, without the password that it may need.
    pub(crate) reference_url: fn(Entrance<'_>) -> String,
    /// Whether its logins take an access token in place of a password.
    pub(crate) takes_token: bool,
    /// Whether a word is a connection string of this engine.
    pub(crate) is_target: fn(&str) -> bool,
    /// Measures logins.
    pub(crate) measure: for<'a> fn(Request<'a>) -> Running<'a>,
    /// Opens a server to read it without a load.
    pub(crate) subject: for<'a> fn(&'a str, &'a Words) -> Opening<'a>,
    /// Visits a server for a check.
    pub(crate) check: Check,
    /// Measures open sessions.
    pub(crate) sessions: for<'a> fn(Ask<'a>) -> Climbing<'a>,
    /// Holds sessions in a worker process.
    pub(crate) work: fn(Job) -> Running<'static>,
    /// What a connection string says of the application's pool; `None` where this engine's strings say nothing of it.
    pub(crate) pool: fn(&str) -> anyhow::Result<Option<PoolWords>>,
    /// Every statement that would be sent.
    pub(crate) show_sql: fn() -> String,
    /// The script that gives the role of a connection string (or one named `peaje`) the rights peaje needs.
    pub(crate) grants: fn(Option<&str>) -> anyhow::Result<String>,
    /// Holds its login against the demands on all engines; a panic is a demand that is not kept.
    #[cfg(test)]
    pub(crate) conform: fn(),
}

/// Where a reference server lets whom in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entrance<'a> {
    pub(crate) user: &'a str,
    pub(crate) needs_password: bool,
    pub(crate) address: SocketAddr,
}

/// Sessions a throwaway server allows, when nobody says how many: room for two series at a time, and to spare.
pub(crate) fn throwaway_sessions(args: &LoginArgs) -> u32 {
    let workers = args.load.concurrency.unwrap_or(50).max(args.load.pool_max.unwrap_or(0));
    args.own.max_sessions.unwrap_or_else(|| (workers * 2 + 20).max(300))
}

/// Every engine.
pub(crate) const ENGINES: &[Engine] = &[postgres::ENGINE, mysql::ENGINE, sqlserver::ENGINE];

/// The engine whose protocol a reference server speaks.
pub(crate) fn of_protocol(protocol: Protocol) -> &'static Engine {
    ENGINES.iter().find(|e| e.protocol == protocol).expect("a test holds the list against the protocols")
}

/// The engine of the embedded server.
pub(crate) fn embedded() -> &'static Engine {
    of_protocol(Protocol::default())
}

/// Names of the engines, for people, of which this holds.
pub(crate) fn titles(of: impl Fn(&Engine) -> bool) -> String {
    let titles: Vec<&str> = ENGINES.iter().filter(|e| of(e)).map(|e| e.title).collect();
    titles.join(", ")
}

/// A connection string of the first engine of which this holds.
pub(crate) fn example(of: impl Fn(&Engine) -> bool) -> &'static str {
    ENGINES.iter().find(|e| of(e)).map_or("", |e| e.example)
}

/// An engine by name.
pub(crate) fn by_name(name: &str) -> anyhow::Result<&'static Engine> {
    ENGINES.iter().find(|e| e.name == name || e.throwaway_words.contains(&name)).ok_or_else(|| {
        let known: Vec<&str> = ENGINES.iter().map(|e| e.name).collect();
        crate::exit::hinted(format!("unknown engine `{name}`"), format!("one of: {}", known.join(", ")))
    })
}

/// The engine of a product, as `WhatAnswered` names it, and the product's name in OpenTelemetry's `db.system.name`.
pub(crate) fn of_product(product: &str) -> Option<(&'static Engine, &'static str)> {
    let named = |engine: &'static Engine| {
        let known = engine.products.iter().find(|(name, _)| product.contains(name));
        known.map(|(_, system)| (engine, *system))
    };
    ENGINES.iter().find_map(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protocol_has_one_engine_that_knows_its_connection_string() {
        for protocol in Protocol::ALL {
            assert_eq!(ENGINES.iter().filter(|e| e.protocol == protocol).count(), 1, "{protocol:?}");
            for needs_password in [true, false] {
                let address = ([127, 0, 0, 1], 5000).into();
                let url = (of_protocol(protocol).reference_url)(Entrance { user: "ana", needs_password, address });
                let takers: Vec<&str> = ENGINES.iter().filter(|e| (e.is_target)(&url)).map(|e| e.name).collect();
                assert_eq!(takers, [of_protocol(protocol).name], "{url}");
            }
        }
    }

    #[test]
    fn an_example_is_a_target_of_its_engine_alone_and_words_are_shared_by_none() {
        for engine in ENGINES {
            for other in ENGINES {
                assert_eq!((other.is_target)(engine.example), other.name == engine.name, "{}", engine.example);
                let shared = |word: &&str| other.throwaway_words.contains(word);
                assert!(other.name == engine.name || !engine.throwaway_words.iter().any(shared));
            }
        }
    }
}
