//! What `show status` shows: the server's own counts, under MySQL's and MariaDB's names.
//!
//! A newcomer would count a refused connection among the connections. The real servers do not: of "too many connections"
//! MySQL counts only `Connection_errors_max_connections`, MariaDB also `Aborted_connects`, and whoever computes logins
//! from these has to know it.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::area::{Area, Word, Words};
use crate::seats::unix_us;

use super::Shared;
use super::session::Encryption;
use super::value::Value;

/// What this protocol counts beside the counts of all protocols.
#[derive(Debug)]
pub(crate) struct Status {
    /// Connections refused because the server was full.
    pub(crate) full: Word,
    /// Logins with a wrong user or password.
    pub(crate) denied: Word,
    /// Connections that ended before their client had answered the greeting.
    pub(crate) before_login: Word,
    /// Sessions that ended without a goodbye.
    pub(crate) aborted_sessions: Word,
    pub(crate) questions: Word,
    /// Most sessions at a time.
    pub(crate) most_sessions: Word,
    /// When `flush status` was last said, microseconds since 1970 (0 = never), and what the counters that it clears had
    /// reached then, in the order of [`Cleared`].
    flushed: Words,
}

/// The counters that `flush status` clears.
#[derive(Debug, Clone, Copy, Default)]
struct Cleared {
    aborted_connects: u64,
    before_login: u64,
    aborted_sessions: u64,
    full: u64,
    tls: u64,
    tls_resumed: u64,
}

const CLEARED: usize = 6;

impl Status {
    pub(crate) fn new(area: &mut Area) -> Self {
        Self {
            full: area.word(),
            denied: area.word(),
            before_login: area.word(),
            aborted_sessions: area.word(),
            questions: area.word(),
            most_sessions: area.word(),
            flushed: area.words(1 + CLEARED),
        }
    }

    /// `flush status`: clears what the real server clears with it, which is not all.
    pub(crate) fn flush(&self, shared: &Shared) {
        let counts = Cleared::read(shared);
        let sessions = shared.counters.sessions.load(Relaxed);
        self.most_sessions.store(sessions, Relaxed);
        for (word, count) in self.flushed[1..].iter().zip(counts.all()) {
            word.store(count, Relaxed);
        }
        self.flushed[0].store(unix_us(SystemTime::now()).cast_unsigned(), Relaxed);
    }

    /// When the counters were last cleared, microseconds since 1970, and what they had reached then.
    fn flushed(&self) -> Option<(u64, Cleared)> {
        let at_us = Some(self.flushed[0].load(Relaxed)).filter(|at| *at != 0)?;
        Some((at_us, Cleared::of(std::array::from_fn(|n| self.flushed[n + 1].load(Relaxed)))))
    }
}

impl Cleared {
    fn all(self) -> [u64; CLEARED] {
        [self.aborted_connects, self.before_login, self.aborted_sessions, self.full, self.tls, self.tls_resumed]
    }

    fn of([aborted_connects, before_login, aborted_sessions, full, tls, tls_resumed]: [u64; CLEARED]) -> Self {
        Self { aborted_connects, before_login, aborted_sessions, full, tls, tls_resumed }
    }

    fn read(shared: &Shared) -> Self {
        let (all, own) = (&shared.counters, &shared.protocol.status);
        let (full, resumed) = (all.tls_full.load(Relaxed), all.tls_resumed.load(Relaxed));
        Self {
            aborted_connects: all.failed.load(Relaxed) + all.abandoned.load(Relaxed),
            before_login: own.before_login.load(Relaxed),
            aborted_sessions: own.aborted_sessions.load(Relaxed),
            full: own.full.load(Relaxed),
            tls: full + resumed,
            tls_resumed: resumed,
        }
    }
}

/// Whose rules the counters follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// A refusal for want of a place is no aborted connect.
    MySql,
    /// It is one.
    MariaDb,
}

/// Whole seconds since 1970. Differences of whole seconds do not tremble as whole seconds of a difference do: the start
/// that a client computes from the clock and the uptime is always the same.
pub(crate) fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// All counters at the moment `now`, with their names, in the order of the alphabet.
pub(crate) fn all(
    shared: &Shared,
    encryption: Option<&Encryption>,
    now_s: u64,
    counting: Counting,
) -> Vec<(&'static str, Value)> {
    let (counters, own) = (&shared.counters, &shared.protocol.status);
    let flushed = own.flushed();
    let (now, base) = (Cleared::read(shared), flushed.map(|(_, counts)| counts).unwrap_or_default());
    let since = |start_s: u64| Value::count(now_s.saturating_sub(start_s));
    let started_s = unix_seconds(shared.started);
    // First the failures, then the connections: a failure between the two reads still looks like an attempt under way.
    let full = now.full;
    let aborted = |counts: &Cleared| match counting {
        Counting::MySql => counts.aborted_connects.saturating_sub(counts.full),
        Counting::MariaDb => counts.aborted_connects,
    };
    let connections = counters.accepted.load(Relaxed).saturating_sub(full);
    let sessions = counters.sessions.load(Relaxed);
    let after = |now: u64, base: u64| Value::count(now.saturating_sub(base));
    let questions = Value::count(own.questions.load(Relaxed));
    let text = |text: Option<&String>| Value::text(text.cloned().unwrap_or_default());
    let tls = after(now.tls, base.tls);
    vec![
        ("Aborted_clients", after(now.aborted_sessions, base.aborted_sessions)),
        ("Aborted_connects", after(aborted(&now), aborted(&base))),
        ("Aborted_connects_preauth", after(now.before_login, base.before_login)),
        ("Access_denied_errors", Value::count(own.denied.load(Relaxed))),
        ("Compression", Value::text("OFF")),
        ("Connection_errors_accept", Value::Int(0)),
        ("Connection_errors_internal", Value::Int(0)),
        ("Connection_errors_max_connections", after(full, base.full)),
        ("Connection_errors_peer_address", Value::Int(0)),
        ("Connection_errors_select", Value::Int(0)),
        ("Connection_errors_tcpwrap", Value::Int(0)),
        ("Connections", Value::count(connections)),
        ("Max_used_connections", Value::count(own.most_sessions.load(Relaxed))),
        ("Queries", questions.clone()),
        ("Questions", questions),
        ("Ssl_accepts", tls.clone()),
        ("Ssl_cipher", text(encryption.map(|e| &e.cipher))),
        ("Ssl_finished_accepts", tls),
        ("Ssl_session_cache_hits", after(now.tls_resumed, base.tls_resumed)),
        ("Ssl_sessions_reused", Value::Int(i64::from(encryption.is_some_and(|e| e.resumed)))),
        ("Ssl_version", text(encryption.map(|e| &e.version))),
        ("Threads_cached", Value::Int(0)),
        ("Threads_connected", Value::count(sessions)),
        ("Threads_created", Value::count(connections)),
        ("Threads_running", Value::Int(1)),
        ("Uptime", since(started_s)),
        ("Uptime_since_flush_status", since(flushed.map_or(started_s, |(at_us, _)| at_us / 1_000_000))),
    ]
}
