//! The list of engines: the one place to add one.

use std::future::Future;
use std::pin::Pin;

use crate::args::LoginArgs;
use crate::exit::Status;
use crate::login::Request;

/// A measurement under way.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Status>> + 'a>>;

/// What the command needs to know of an engine.
#[derive(Debug)]
pub(crate) struct Engine {
    /// Its name.
    pub(crate) name: &'static str,
    /// A connection string for messages.
    pub(crate) example: &'static str,
    /// Words that ask for a throwaway server.
    pub(crate) throwaway_words: &'static [&'static str],
    /// Words that mean this engine and are no target, with what to write in their place.
    pub(crate) near_misses: Option<(&'static [&'static str], &'static str)>,
    /// Whether its logins take an access token in place of a password.
    pub(crate) takes_token: bool,
    /// Whether a word is a connection string of this engine.
    pub(crate) is_target: fn(&str) -> bool,
    /// Measures logins.
    pub(crate) measure: for<'a> fn(Request<'a>) -> Running<'a>,
    /// Every statement that would be sent.
    pub(crate) show_sql: fn() -> String,
    /// The script that gives the role of a connection string (or one named `peaje`) the rights peaje needs.
    pub(crate) grants: fn(Option<&str>) -> anyhow::Result<String>,
}

/// Sessions a throwaway server allows, when nobody says how many: room for two series at a time, and to spare.
pub(crate) fn throwaway_sessions(args: &LoginArgs) -> u32 {
    let workers = args.load.concurrency.unwrap_or(50).max(args.load.pool_max.unwrap_or(0));
    args.own.max_sessions.unwrap_or_else(|| (workers * 2 + 20).max(300))
}

/// Every engine.
pub(crate) const ENGINES: &[Engine] = &[crate::postgres::ENGINE, crate::mysql::ENGINE, crate::sqlserver::ENGINE];

/// An engine by name.
pub(crate) fn by_name(name: &str) -> anyhow::Result<&'static Engine> {
    ENGINES.iter().find(|e| e.name == name || e.throwaway_words.contains(&name)).ok_or_else(|| {
        let known: Vec<&str> = ENGINES.iter().map(|e| e.name).collect();
        crate::exit::hinted(format!("unknown engine `{name}`"), format!("one of: {}", known.join(", ")))
    })
}
