//! The engine's [`Observer`], on the driver's session.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use peaje_engine::{Failure, Observer, SessionCounters, SessionLimits, SessionMemory, SessionSample, Troubles};
use peaje_model::{Fact, Gap, OutcomeKind, WhatAnswered};

use super::connect::{OBSERVER_NAME, ObserverOptions, connect};
use super::identify::{Between, pgbouncer_console, what_answered, what_is_between};
use super::session::{Row, Session, number, text};
use super::{COUNTERS, GUARD, LIMITS, OWN_SESSIONS, SAMPLE, SERVER, SETTINGS, TROUBLES, check, facts, memory};
use crate::config::{Config, TargetSessionAttrs};

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The database that PgBouncer keeps for its console.
const CONSOLE: &str = "pgbouncer";
/// The first version that counts logins.
const COUNTS_LOGINS: u32 = 140_000;
/// Up to this version a separate process collects the counters, half a second late.
const EXACT_AT_ONCE: u32 = 150_000;
/// More than the collector's interval of 500 ms.
const COLLECTOR_PAUSE: Duration = Duration::from_millis(600);
/// Readings until the collector must have caught up.
const COLLECTOR_READINGS: u32 = 6;

/// Reads PostgreSQL's own account on one persistent session.
pub struct PgObserver {
    pub(super) session: Session,
    between: Between,
    /// `server_version_num`; 0 = unknown.
    version: u32,
    /// Set when this is PgBouncer's administration console: it has none of the views.
    pub(super) console: Option<WhatAnswered>,
}

impl std::fmt::Debug for PgObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgObserver")
            .field("between", &self.between)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl PgObserver {
    /// Logs in. The login is over, and counted by the server, when this returns.
    pub async fn connect(config: &Config, options: &ObserverOptions) -> Result<Self, Failure> {
        Self::connect_as(config, options, OBSERVER_NAME).await
    }

    /// The same under another program name.
    pub(super) async fn connect_as(
        config: &Config,
        options: &ObserverOptions,
        own_name: &str,
    ) -> Result<Self, Failure> {
        let only_this = options.endpoint.is_some() || config.endpoints.len() == 1;
        let candidates: Vec<usize> =
            options.endpoint.map_or_else(|| (0..config.endpoints.len()).collect(), |only| vec![only]);
        let passes: &[TargetSessionAttrs] = match config.target_session_attrs {
            TargetSessionAttrs::PreferStandby => &[TargetSessionAttrs::Standby, TargetSessionAttrs::Any],
            ref wanted => std::slice::from_ref(wanted),
        };
        let mut last = Failure::new(OutcomeKind::NotResolved, "there is no host to log in to");
        for wanted in passes {
            for &endpoint in &candidates {
                let only = ObserverOptions { endpoint: Some(endpoint), ..options.clone() };
                match Self::connect_once(config, &only, own_name).await {
                    Ok((observer, server)) if only_this || suits(*wanted, server.as_ref()) => return Ok(observer),
                    Ok(_) => last = unsuitable(*wanted),
                    Err(failure) if failure.kind == OutcomeKind::Rejected => return Err(failure),
                    Err(failure) => last = failure,
                }
            }
        }
        Err(last)
    }

    async fn connect_once(
        config: &Config,
        options: &ObserverOptions,
        own_name: &str,
    ) -> Result<(Self, Option<Row>), Failure> {
        let (session, local) = connect(config, options, own_name).await?;
        if config.database == CONSOLE {
            // PgBouncer closes its console at the first `select`: this comes before all others.
            if let Some(console) = pgbouncer_console(&session).await {
                return Ok((Self { session, between: Between::Nothing, version: 0, console: Some(console) }, None));
            }
        }
        // On a Unix socket it stays unknown, and the limits are not sent: a transaction pooler there (PgBouncer listens
        // on one by default) passes on a server's banner and an empty client address, just as the server itself does.
        let between = what_is_between(&session, local).await;
        if between == Between::Nothing {
            // Without it the client's own limit still holds.
            let _ = session.row(&GUARD, "limits of the observing session").await;
        }
        let server = session.row(&SERVER, "version and start of the server").await.ok();
        let version = server.as_ref().and_then(|row| number(row, "server_version_num"));
        let version = version.and_then(|v| u32::try_from(v).ok()).unwrap_or(0);
        Ok((Self { session, between, version, console: None }, server))
    }

    /// `server_version_num` (150014); 0 when it cannot be known.
    pub fn server_version_num(&self) -> u32 {
        self.version
    }

    /// Says goodbye. Just dropping it closes the socket, which the server counts as an abandoned session.
    pub async fn close(self) {
        self.session.close().await;
    }

    /// PgBouncer's console has none of the views.
    fn not_a_console(&self, what: &str) -> Result<(), Gap> {
        if self.console.is_none() {
            return Ok(());
        }
        Err(Gap {
            what: what.to_owned(),
            why: "this is PgBouncer's administration console, not a database".to_owned(),
            next_step: Some("name a database that PgBouncer serves".to_owned()),
        })
    }

    async fn read_counters(&self) -> Result<SessionCounters, Gap> {
        self.not_a_console("pg_stat_database.sessions")?;
        if self.version < COUNTS_LOGINS {
            let row = self.session.row(&OWN_SESSIONS, "pg_stat_activity").await?;
            return Ok(SessionCounters {
                logins_total: None,
                own_sessions: count(&row, "own_sessions")?,
                origin: None,
            });
        }
        let counters = self.read_counters_once().await?;
        if counters.own_sessions > 0 {
            return Ok(counters);
        }
        // Within one statement the counter may be read before the sessions are counted, and a session that ends in
        // between is then in neither. A session is counted before it leaves the list: once none is left, the next
        // statement finds them all.
        self.read_counters_once().await
    }

    async fn read_counters_once(&self) -> Result<SessionCounters, Gap> {
        let row = self.session.row(&COUNTERS, "pg_stat_database.sessions").await?;
        Ok(SessionCounters {
            logins_total: Some(count(&row, "sessions")?),
            own_sessions: count(&row, "own_sessions")?,
            origin: Some(origin(&row)),
        })
    }

    /// Reads until two readings agree where the counters come late.
    async fn read_settled_counters(&self) -> Result<SessionCounters, Gap> {
        let mut last = self.read_counters().await?;
        if !(COUNTS_LOGINS..EXACT_AT_ONCE).contains(&self.version) {
            return Ok(last);
        }
        for _ in 1..COLLECTOR_READINGS {
            tokio::time::sleep(COLLECTOR_PAUSE).await;
            let next = self.read_counters().await?;
            if next == last {
                break;
            }
            last = next;
        }
        Ok(last)
    }

    async fn read_limits(&self) -> Result<SessionLimits, Gap> {
        self.not_a_console("connection limits")?;
        let row = self.session.row(&LIMITS, "connection limits").await?;
        least_room(&row).ok_or_else(|| unreadable("connection limits"))
    }

    async fn setting_names(&self) -> Vec<String> {
        let rows = self.session.rows(&SETTINGS, "pg_settings").await.unwrap_or_default();
        rows.iter().filter_map(|row| text(row, "name").map(str::to_owned)).collect()
    }
}

impl Observer for PgObserver {
    fn what_answered(&mut self) -> Boxed<'_, Result<WhatAnswered, Gap>> {
        Box::pin(async {
            if let Some(console) = &self.console {
                return Ok(console.clone());
            }
            let names = self.setting_names().await;
            what_answered(&self.session, self.between, &names).await
        })
    }

    fn facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(async {
            if let Err(gap) = self.not_a_console("settings and views") {
                return (Vec::new(), vec![gap]);
            }
            let (facts, mut gaps) = facts::read(&self.session).await;
            if (1..COUNTS_LOGINS).contains(&self.version) {
                gaps.push(Gap {
                    what: "pg_stat_database.sessions".to_owned(),
                    why: "this server does not count logins: PostgreSQL does since version 14".to_owned(),
                    next_step: Some("count the `connection authorized` lines of the log (log_connections)".to_owned()),
                });
            }
            (facts, gaps)
        })
    }

    fn limits(&mut self) -> Boxed<'_, Result<SessionLimits, Gap>> {
        Box::pin(self.read_limits())
    }

    fn counters(&mut self) -> Boxed<'_, Result<SessionCounters, Gap>> {
        Box::pin(self.read_settled_counters())
    }

    fn sample(&mut self) -> Boxed<'_, Result<SessionSample, Gap>> {
        Box::pin(async {
            self.not_a_console("pg_stat_ssl")?;
            let row = self.session.row(&SAMPLE, "pg_stat_ssl").await?;
            Ok(SessionSample { sessions: count(&row, "sessions")?, encrypted: count(&row, "encrypted")? })
        })
    }

    fn troubles(&mut self) -> Boxed<'_, Result<Troubles, Gap>> {
        Box::pin(async {
            let what = "failures of other clients";
            self.not_a_console(what)?;
            if self.version < COUNTS_LOGINS {
                return Err(Gap {
                    what: what.to_owned(),
                    why: "this server does not count them: PostgreSQL does since version 14".to_owned(),
                    next_step: None,
                });
            }
            let row = self.session.row(&TROUBLES, what).await?;
            let seconds: Option<f64> = text(&row, "counted_s").and_then(|s| s.parse().ok());
            let counted_for = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
            Ok(Troubles { total: count(&row, "troubled")?, counted_for: counted_for.ok_or_else(|| unreadable(what))? })
        })
    }

    fn session_memory(&mut self) -> Boxed<'_, Result<SessionMemory, Gap>> {
        Box::pin(async {
            self.not_a_console(peaje_engine::SESSION_MEMORY)?;
            memory::read(&self.session, self.version).await
        })
    }

    fn check_facts(&mut self) -> Boxed<'_, (Vec<Fact>, Vec<Gap>)> {
        Box::pin(async {
            if self.console.is_some() {
                return (Vec::new(), Vec::new());
            }
            check::read(&self.session, self.version).await
        })
    }

    fn source(&self) -> String {
        let counters = if self.version < COUNTS_LOGINS { "" } else { "pg_stat_database.sessions, " };
        format!("{counters}pg_stat_activity, pg_stat_ssl")
    }

    fn close(self: Box<Self>) -> Boxed<'static, ()> {
        Box::pin(async move { Self::close(*self).await })
    }
}

/// The level with the least room left: server, database or role. A superuser is held by the server's limit only.
fn least_room(row: &Row) -> Option<SessionLimits> {
    let server = SessionLimits {
        limit: unsigned(row, "server_limit")?,
        in_use: unsigned(row, "server_in_use")?,
        reserved: unsigned(row, "reserved")?,
    };
    let mut levels = vec![server];
    if text(row, "superuser") != Some("t") {
        for (limit, in_use) in [("database_limit", "database_in_use"), ("role_limit", "role_in_use")] {
            // -1 means without limit.
            if let (Some(limit), Some(in_use)) = (unsigned(row, limit), unsigned(row, in_use)) {
                levels.push(SessionLimits { limit, in_use, reserved: 0 });
            }
        }
    }
    levels.into_iter().min_by_key(SessionLimits::free)
}

fn unsigned(row: &Row, column: &str) -> Option<u64> {
    number(row, column).and_then(|n| u64::try_from(n).ok())
}

fn count(row: &Row, column: &'static str) -> Result<u64, Gap> {
    unsigned(row, column).ok_or_else(|| unreadable(column))
}

fn unreadable(what: &str) -> Gap {
    Gap { what: what.to_owned(), why: "the server's answer holds no number there".to_owned(), next_step: None }
}

/// Start of the server and last reset, as one number: FNV-1a over their texts.
fn origin(row: &Row) -> u64 {
    let texts = [text(row, "started_at").unwrap_or_default(), "/", text(row, "reset_at").unwrap_or_default()];
    let bytes = texts.iter().flat_map(|t| t.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Whether the server is of the wanted kind; one that does not tell is taken.
fn suits(wanted: TargetSessionAttrs, server: Option<&Row>) -> bool {
    let Some(server) = server else { return true };
    let standby = text(server, "standby") == Some("t");
    let read_only = standby || text(server, "default_read_only") == Some("on");
    match wanted {
        TargetSessionAttrs::Any | TargetSessionAttrs::PreferStandby => true,
        TargetSessionAttrs::ReadWrite => !read_only,
        TargetSessionAttrs::ReadOnly => read_only,
        TargetSessionAttrs::Primary => !standby,
        TargetSessionAttrs::Standby => standby,
    }
}

fn unsuitable(wanted: TargetSessionAttrs) -> Failure {
    Failure::new(OutcomeKind::Rejected, format!("no server is `{}`", wanted.name()))
        .hint("check target_session_attrs and the state of the servers")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), Some((*v).to_owned()))).collect()
    }

    #[test]
    fn the_least_room_counts() {
        for (database, role, superuser, expected) in [
            (("-1", "5"), ("-1", "5"), "f", (100, 20, 3)),
            (("30", "5"), ("-1", "5"), "f", (30, 5, 0)),
            (("30", "5"), ("6", "5"), "f", (6, 5, 0)),
            (("30", "5"), ("6", "5"), "t", (100, 20, 3)),
            (("200", "5"), ("-1", "5"), "f", (100, 20, 3)),
        ] {
            let row = row(&[
                ("server_limit", "100"),
                ("server_in_use", "20"),
                ("reserved", "3"),
                ("database_limit", database.0),
                ("database_in_use", database.1),
                ("role_limit", role.0),
                ("role_in_use", role.1),
                ("superuser", superuser),
            ]);
            let (limit, in_use, reserved) = expected;
            assert_eq!(least_room(&row), Some(SessionLimits { limit, in_use, reserved }));
        }
        assert_eq!(least_room(&row(&[])), None);
    }

    #[test]
    fn another_start_or_reset_is_another_origin() {
        let of = |started, reset| origin(&row(&[("started_at", started), ("reset_at", reset)]));
        assert_eq!(of("1.5", "0"), of("1.5", "0"));
        assert_ne!(of("1.5", "0"), of("1.6", "0"));
        assert_ne!(of("1.5", "0"), of("1.5", "2"));
    }

    #[test]
    fn kinds_of_servers() {
        use TargetSessionAttrs as T;
        let primary = row(&[("standby", "f"), ("default_read_only", "off")]);
        let read_only = row(&[("standby", "f"), ("default_read_only", "on")]);
        let standby = row(&[("standby", "t"), ("default_read_only", "off")]);
        for (wanted, expected) in [
            (T::Any, [true, true, true]),
            (T::ReadWrite, [true, false, false]),
            (T::ReadOnly, [false, true, true]),
            (T::Primary, [true, true, false]),
            (T::Standby, [false, false, true]),
        ] {
            let found = [&primary, &read_only, &standby].map(|server| suits(wanted, Some(server)));
            assert_eq!(found, expected, "{}", wanted.name());
        }
    }
}
