//! Results of `peaje check`: what can be known of a server without load.
//!
//! Everything but the probe logins is one reading: what is open now, and what the server has counted so far. A newcomer
//! would read the mean life "since start" as today's: it is an average over the whole time, and says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of `peaje check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckSettings {
    /// Logins made one after the other (`--probe`); 0 = none.
    pub probe: u32,
    /// Limit of each login, seconds.
    pub login_timeout_s: f64,
    /// The earlier run file (`--since`).
    pub since: Option<String>,
}

/// Room for sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRoom {
    /// Most sessions (of server, database or login: the one with the least room).
    pub limit: u64,
    /// Open now.
    pub in_use: u64,
    /// Kept back for administrators.
    pub reserved: u64,
}

impl SessionRoom {
    /// Sessions that are free for everybody.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.in_use).saturating_sub(self.reserved)
    }
}

/// Open sessions of one application from one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApplicationSessions {
    /// The application as it names itself; its login name where it does not.
    pub application: String,
    /// Where it comes from; empty over a local socket.
    pub host: String,
    /// Its login names.
    pub users: Vec<String>,
    /// Open sessions.
    pub sessions: u64,
    /// Of these, at work now.
    pub active: u64,
    /// Of these, idle within a transaction.
    pub idle_in_transaction: u64,
    /// The longest of those, seconds.
    pub longest_in_transaction_s: Option<f64>,
    /// Of the sessions, never used for a statement; `null` where the server does not tell.
    pub never_used: Option<u64>,
    /// Of the sessions, encrypted; `null` where the server does not tell.
    pub encrypted: Option<u64>,
    /// Age of its oldest session, seconds.
    pub oldest_s: f64,
    /// Age of its youngest session, seconds.
    pub youngest_s: f64,
}

/// Sessions by how they authenticated, in the server's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthenticationInUse {
    /// The method.
    pub method: String,
    /// Open sessions.
    pub sessions: u64,
}

/// Cumulative counters of the server. `null`: it does not count them, or may not be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ServerCounters {
    /// Successful logins.
    pub logins: Option<u64>,
    /// Sessions that ended.
    pub logouts: Option<u64>,
    /// Failed logins, port checks excluded.
    pub failed: Option<u64>,
    /// Of these, wrong password or unknown login.
    pub failed_credentials: Option<u64>,
    /// Of these, refused because a limit was reached.
    pub failed_limit: Option<u64>,
    /// Connections that never spoke (port checks).
    pub probes: Option<u64>,
    /// Sessions that ended without a goodbye.
    pub abandoned: Option<u64>,
    /// Re-uses of a pooled session that the server sees.
    pub resets: Option<u64>,
    /// Requests: transactions, batches, statements.
    pub requests: Option<u64>,
    /// Logins that paid a TLS handshake.
    pub tls_logins: Option<u64>,
}

/// Which server answered, in a form that can be compared with another visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerSeen {
    /// Stands for the server's own identity (a digest of it): the same over a restart, another for another server.
    pub identity: String,
    /// When it was started, microseconds since 1970 on its own clock.
    pub started_us: Option<i64>,
    /// Changes whenever the counters start anew (a digest).
    pub origin: String,
    /// Its clock at the reading, microseconds since 1970.
    pub clock_us: i64,
}

/// From what a mean life of sessions was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LifeBasis {
    /// Time × open sessions / logins (Little's law, with the sessions that are open now).
    TimeTimesSessions,
    /// The time that sessions lasted, as the server adds it up, over the logins.
    SessionTime,
}

/// What the counters say over a long time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LongView {
    /// The time, seconds; `null` when the server does not tell since when it counts.
    pub time_s: Option<f64>,
    /// What was counted in it.
    pub counters: ServerCounters,
    /// Logins per second, on average.
    pub logins_per_s: Option<f64>,
    /// Mean life of a session, seconds, on average; `null` also when there were too few logins.
    pub mean_life_s: Option<f64>,
    /// How the mean life was computed.
    pub life_basis: Option<LifeBasis>,
    /// Requests per login.
    pub requests_per_login: Option<f64>,
    /// Share of the logins that paid a TLS handshake.
    pub encrypted_logins: Option<f64>,
}

/// Logins below which a mean life says nothing.
const ENOUGH_LOGINS: u64 = 20;

impl LongView {
    /// What was counted in a time, with the sessions that were open (on average, or at its end). Little's law: what is
    /// open on average is the rate of logins times their mean life.
    pub fn of(counters: ServerCounters, time_s: Option<f64>, sessions: Option<f64>) -> Self {
        let time = time_s.filter(|s| *s > 0.0);
        let logins = counters.logins.map(|n| n as f64);
        let enough = logins.filter(|n| *n >= ENOUGH_LOGINS as f64);
        // Without an open session at the ends nothing is known of those in between.
        let sessions = sessions.filter(|n| *n > 0.0);
        let mean_life_s = time.zip(sessions).zip(enough).map(|((time, sessions), logins)| time * sessions / logins);
        let share = |part: u64| enough.map(|logins| (part as f64 / logins).min(1.0));
        Self {
            time_s,
            counters,
            logins_per_s: logins.zip(time).map(|(logins, time)| logins / time),
            mean_life_s,
            life_basis: mean_life_s.map(|_| LifeBasis::TimeTimesSessions),
            requests_per_login: counters.requests.zip(enough).map(|(requests, logins)| requests as f64 / logins),
            encrypted_logins: counters.tls_logins.and_then(share),
        }
    }

    /// With the mean life from the time that sessions lasted, as the server adds it up.
    pub fn with_session_time(mut self, session_time_s: Option<f64>) -> Self {
        let logins = self.counters.logins.filter(|n| *n >= ENOUGH_LOGINS);
        if let (Some(time), Some(logins)) = (session_time_s, logins) {
            self.mean_life_s = Some(time / logins as f64);
            self.life_basis = Some(LifeBasis::SessionTime);
        }
        self
    }
}

impl ServerCounters {
    /// What was counted since an earlier reading of the same origin; `None` where one of the two is unknown, or where the
    /// count fell, which only another origin explains.
    pub fn since(self, earlier: Self) -> Self {
        let difference = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?);
        Self {
            logins: difference(self.logins, earlier.logins),
            logouts: difference(self.logouts, earlier.logouts),
            failed: difference(self.failed, earlier.failed),
            failed_credentials: difference(self.failed_credentials, earlier.failed_credentials),
            failed_limit: difference(self.failed_limit, earlier.failed_limit),
            probes: difference(self.probes, earlier.probes),
            abandoned: difference(self.abandoned, earlier.abandoned),
            resets: difference(self.resets, earlier.resets),
            requests: difference(self.requests, earlier.requests),
            tls_logins: difference(self.tls_logins, earlier.tls_logins),
        }
    }
}

/// Why two visits cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoComparison {
    /// Another server answered.
    AnotherServer,
    /// The server was restarted in between.
    Restarted,
    /// The counters were reset in between.
    CountersReset,
    /// The server's clock is not later than it was.
    ClockStep,
    /// The earlier run holds no counters.
    NothingCounted,
}

impl NoComparison {
    /// The spelling of the run file.
    pub const fn name(self) -> &'static str {
        match self {
            NoComparison::AnotherServer => "another-server",
            NoComparison::Restarted => "restarted",
            NoComparison::CountersReset => "counters-reset",
            NoComparison::ClockStep => "clock-step",
            NoComparison::NothingCounted => "nothing-counted",
        }
    }
}

/// What happened since an earlier visit (`--since`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SinceEarlier {
    /// When the earlier visit was, RFC 3339.
    pub earlier: String,
    /// The differences; `null` when the visits cannot be compared.
    pub interval: Option<LongView>,
    /// Why they cannot.
    pub no_comparison: Option<NoComparison>,
}

/// The server's certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateSeen {
    /// When it ends, RFC 3339.
    pub ends: String,
    /// Days from this run until then; negative when it has ended.
    pub days_left: f64,
}

/// Limits of the server's machine, read where the server runs on this one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HostLimits {
    /// The kernel's limit of a listen queue (`net.core.somaxconn`).
    pub somaxconn: Option<u64>,
    /// Length of the queue of the server's own listener, as the kernel made it.
    pub listen_backlog: Option<u64>,
    /// Connections that wait in it now.
    pub listen_waiting: Option<u64>,
    /// Connections dropped since boot because some listener's queue was full (`ListenOverflows`; all listeners).
    pub listen_overflows: Option<u64>,
    /// Open files allowed to the server's process (soft limit).
    pub open_files: Option<u64>,
    /// First local port of outgoing connections.
    pub first_port: Option<u16>,
    /// Last local port of outgoing connections.
    pub last_port: Option<u16>,
    /// Sockets in TIME_WAIT now.
    pub time_wait: Option<u64>,
}

/// Why the limits of the server's machine are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HostUnknown {
    /// A managed service: nobody but its owner sees the machine.
    ManagedService,
    /// The server runs on another machine.
    Remote,
    /// The address is this machine's, but whether the server's own process listens there is not known (a container, a
    /// tunnel, a proxy).
    NotItsProcess,
}

/// Results of `peaje check`; its probe logins stand in `login`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// Which server, for a later `--since`.
    pub server: Option<ServerSeen>,
    /// Room for sessions.
    pub room: Option<SessionRoom>,
    /// Most sessions since the server's start.
    pub peak_sessions: Option<u64>,
    /// Open sessions of clients, peaje's own excluded.
    pub sessions: Option<u64>,
    /// Of these, at work now.
    pub active: Option<u64>,
    /// Sessions by application and host, the most sessions first; `null` when they cannot be seen.
    pub applications: Option<Vec<ApplicationSessions>>,
    /// Sessions that count apart (replication, agents of the server); `null` when they cannot be seen.
    pub apart: Option<u64>,
    /// Sessions by how they authenticated; empty where the server does not tell.
    pub authentication: Vec<AuthenticationInUse>,
    /// What the counters say since they began.
    pub since_start: Option<LongView>,
    /// What happened since an earlier visit.
    pub since: Option<SinceEarlier>,
    /// The server's certificate; `null` without TLS.
    pub certificate: Option<CertificateSeen>,
    /// Limits of the server's machine.
    pub host: Option<HostLimits>,
    /// Why they are not known.
    pub host_unknown: Option<HostUnknown>,
}

/// Servers tell their start as an age, or in rounded time: from visit to visit it trembles by so much, microseconds.
const SAME_START_US: u64 = 3_000_000;

/// Whether counters of two visits began together. An origin may end in its time, in seconds (`flush status 1090`).
fn is_one_origin(now: &str, then: &str) -> bool {
    let parts = |text: &str| {
        let (words, time) = text.rsplit_once(' ')?;
        Some((words.to_owned(), time.parse::<u64>().ok()?))
    };
    now == then
        || parts(now).zip(parts(then)).is_some_and(|((words, now), (same, then))| {
            words == same && now.abs_diff(then) <= SAME_START_US / 1_000_000
        })
}

impl CheckResult {
    /// What happened since an earlier visit, and when that was (RFC 3339).
    pub fn since_visit(&self, earlier: Option<&CheckResult>, at: &str) -> SinceEarlier {
        let compared = self.interval(earlier);
        SinceEarlier { earlier: at.to_owned(), no_comparison: compared.err(), interval: compared.ok() }
    }

    fn interval(&self, earlier: Option<&CheckResult>) -> Result<LongView, NoComparison> {
        let nothing = NoComparison::NothingCounted;
        let earlier = earlier.ok_or(nothing)?;
        let (now, then) = self.server.as_ref().zip(earlier.server.as_ref()).ok_or(nothing)?;
        let (counted, before) = self.since_start.as_ref().zip(earlier.since_start.as_ref()).ok_or(nothing)?;
        if now.identity != then.identity {
            return Err(NoComparison::AnotherServer);
        }
        let start = now.started_us.zip(then.started_us).map(|(now, then)| now.abs_diff(then));
        if start.is_some_and(|apart_us| apart_us > SAME_START_US) {
            return Err(NoComparison::Restarted);
        }
        if !is_one_origin(&now.origin, &then.origin) {
            return Err(NoComparison::CountersReset);
        }
        if now.clock_us <= then.clock_us {
            return Err(NoComparison::ClockStep);
        }
        let time_s = (now.clock_us - then.clock_us) as f64 / 1e6;
        let sessions = self.sessions.zip(earlier.sessions).map(|(a, b)| f64::midpoint(a as f64, b as f64));
        Ok(LongView::of(counted.counters.since(before.counters), Some(time_s), sessions))
    }

    /// The applications, none when they cannot be seen.
    pub fn seen_applications(&self) -> &[ApplicationSessions] {
        self.applications.as_deref().unwrap_or_default()
    }

    /// Sum over the applications of something that is known of each; `None` as soon as it is unknown of one, or when
    /// the sessions cannot be seen.
    pub fn sum(&self, of: impl Fn(&ApplicationSessions) -> Option<u64>) -> Option<u64> {
        self.applications.as_ref()?.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(logins: u64) -> ServerCounters {
        ServerCounters { logins: Some(logins), requests: Some(logins * 10), ..ServerCounters::default() }
    }

    fn visit(started_us: i64, origin: &str, clock_us: i64, logins: u64, sessions: u64) -> CheckResult {
        CheckResult {
            server: Some(ServerSeen {
                identity: "a".to_owned(),
                started_us: Some(started_us),
                origin: origin.to_owned(),
                clock_us,
            }),
            sessions: Some(sessions),
            since_start: Some(LongView::of(counters(logins), Some(1000.0), Some(sessions as f64))),
            ..CheckResult::default()
        }
    }

    #[test]
    fn littles_law_over_the_whole_time() {
        let view = LongView::of(counters(100), Some(1000.0), Some(5.0));
        assert_eq!(view.mean_life_s, Some(50.0));
        assert_eq!((view.logins_per_s, view.requests_per_login), (Some(0.1), Some(10.0)));
        assert_eq!(view.life_basis, Some(LifeBasis::TimeTimesSessions));
        let by_time = view.with_session_time(Some(7000.0));
        assert_eq!((by_time.mean_life_s, by_time.life_basis), (Some(70.0), Some(LifeBasis::SessionTime)));
        assert_eq!(LongView::of(counters(19), Some(1000.0), Some(5.0)).mean_life_s, None, "too few logins");
        assert_eq!(LongView::of(counters(100), Some(1000.0), Some(0.0)).mean_life_s, None, "nothing is open");
        let unknown = LongView::of(ServerCounters::default(), None, None);
        assert_eq!((unknown.mean_life_s, unknown.logins_per_s, unknown.life_basis), (None, None, None));
    }

    #[test]
    fn two_visits_are_compared_or_say_why_not() {
        let now = visit(1, "o", 2_000_000_000, 300, 6);
        let at = "2026-03-01T10:00:00Z";
        let interval = now.since_visit(Some(&visit(1, "o", 1_000_000_000, 100, 4)), at).interval.expect("compared");
        // 200 logins in 1,000 s with 5 sessions on average
        assert_eq!((interval.counters.logins, interval.logins_per_s), (Some(200), Some(0.2)));
        assert_eq!(interval.mean_life_s, Some(25.0));
        let other = CheckResult {
            server: now.server.clone().map(|seen| ServerSeen { identity: "b".to_owned(), ..seen }),
            ..now.clone()
        };
        for (earlier, why) in [
            (Some(other), NoComparison::AnotherServer),
            (Some(visit(-10_000_000, "o", 1, 1, 1)), NoComparison::Restarted),
            (Some(visit(1, "p", 1, 1, 1)), NoComparison::CountersReset),
            (Some(visit(1, "o", 2_000_000_000, 1, 1)), NoComparison::ClockStep),
            (Some(CheckResult::default()), NoComparison::NothingCounted),
            (None, NoComparison::NothingCounted),
        ] {
            let since = now.since_visit(earlier.as_ref(), at);
            assert_eq!((since.interval, since.no_comparison), (None, Some(why)));
        }
    }

    #[test]
    fn a_start_that_trembles_is_no_restart() {
        let now = visit(1, "flush status 1090", 2_000_000_000, 300, 6);
        let compared = |earlier| now.since_visit(Some(&earlier), "2026-03-01T10:00:00Z").no_comparison;
        assert_eq!(compared(visit(-1_000_000, "flush status 1091", 1_000_000_000, 100, 4)), None);
        for other in ["flush status 1080", "start", "flush status", "other status 1090"] {
            assert_eq!(compared(visit(1, other, 1_000_000_000, 100, 4)), Some(NoComparison::CountersReset), "{other}");
        }
    }

    #[test]
    fn a_count_that_fell_is_unknown_and_never_zero() {
        assert_eq!(counters(5).since(counters(9)).logins, None);
        assert_eq!(counters(9).since(ServerCounters::default()).logins, None);
    }

    #[test]
    fn a_sum_is_unknown_as_soon_as_a_part_is() {
        let group = |encrypted| ApplicationSessions {
            application: "a".to_owned(),
            host: String::new(),
            users: Vec::new(),
            sessions: 3,
            active: 0,
            idle_in_transaction: 0,
            longest_in_transaction_s: None,
            never_used: None,
            encrypted,
            oldest_s: 1.0,
            youngest_s: 1.0,
        };
        let of = |list| CheckResult { applications: list, ..CheckResult::default() }.sum(|g| g.encrypted);
        assert_eq!(of(Some(vec![group(Some(1)), group(Some(2))])), Some(3));
        assert_eq!(of(Some(vec![group(Some(1)), group(None)])), None);
        assert_eq!(of(None), None);
    }
}
