//! From one reading of a server to the sessions by application and host.
//!
//! A newcomer would group by program name alone: the same program on two hosts is two clients, with a pool each.

use std::collections::BTreeMap;

use peaje_model::{ApplicationSessions, AuthenticationInUse, ServerCounters};

use crate::watcher::{SessionRow, SessionState, WatchCounters, WatchReading};

const US_PER_S: f64 = 1e6;

/// The client sessions of a reading by application and host, the most sessions first; `None` when sessions cannot be
/// seen. Sessions that count apart are left out.
pub fn applications(reading: &WatchReading) -> Option<Vec<ApplicationSessions>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&SessionRow>> = BTreeMap::new();
    for row in clients(reading)? {
        groups.entry((name(row), &row.host)).or_default().push(row);
    }
    let mut list: Vec<ApplicationSessions> =
        groups.into_iter().map(|((application, host), rows)| group(application, host, &rows, reading)).collect();
    list.sort_by_key(|group| std::cmp::Reverse(group.sessions));
    Some(list)
}

/// Sessions that count apart: replication, agents of the server; peaje's own are in no figure.
pub fn apart(reading: &WatchReading) -> Option<u64> {
    let rows = reading.sessions.as_ref()?;
    Some(rows.iter().filter(|row| row.apart.is_some_and(|why| why != crate::watcher::Apart::Peaje)).count() as u64)
}

/// The client sessions by how they authenticated, the most first; empty where the server does not tell.
pub fn authentication(reading: &WatchReading) -> Vec<AuthenticationInUse> {
    let mut methods: BTreeMap<&str, u64> = BTreeMap::new();
    for method in clients(reading).into_iter().flatten().filter_map(|row| row.authentication.as_deref()) {
        *methods.entry(method).or_default() += 1;
    }
    let in_use = |(method, sessions): (&str, u64)| AuthenticationInUse { method: method.to_owned(), sessions };
    let mut list: Vec<AuthenticationInUse> = methods.into_iter().map(in_use).collect();
    list.sort_by_key(|one| std::cmp::Reverse(one.sessions));
    list
}

/// The cumulative counters in the words of the run file.
pub fn server_counters(counters: &WatchCounters) -> ServerCounters {
    ServerCounters {
        logins: counters.logins_total,
        logouts: counters.logouts_total,
        failed: counters.failed_total,
        failed_credentials: counters.failed_credentials_total,
        failed_limit: counters.failed_limit_total,
        probes: counters.probes_total,
        abandoned: counters.abandoned_total,
        resets: counters.resets_total,
        requests: counters.requests_total,
        tls_logins: counters.tls_logins_total,
    }
}

fn clients(reading: &WatchReading) -> Option<impl Iterator<Item = &SessionRow>> {
    Some(reading.sessions.as_ref()?.iter().filter(|row| row.apart.is_none()))
}

fn name(row: &SessionRow) -> &str {
    if row.application.trim().is_empty() { &row.user } else { &row.application }
}

fn group(application: &str, host: &str, rows: &[&SessionRow], reading: &WatchReading) -> ApplicationSessions {
    let age_s = |since_us: i64| (reading.server_clock_us.saturating_sub(since_us) as f64 / US_PER_S).max(0.0);
    let ages = || rows.iter().map(|row| age_s(row.opened_us));
    let in_state = |state| rows.iter().filter(move |row| row.state == state);
    let waiting = in_state(SessionState::IdleInTransaction).filter_map(|row| row.since_us).map(age_s);
    let mut users: Vec<String> = rows.iter().map(|row| row.user.clone()).filter(|user| !user.is_empty()).collect();
    users.sort();
    users.dedup();
    ApplicationSessions {
        application: application.to_owned(),
        host: host.to_owned(),
        users,
        sessions: rows.len() as u64,
        active: in_state(SessionState::Active).count() as u64,
        idle_in_transaction: in_state(SessionState::IdleInTransaction).count() as u64,
        longest_in_transaction_s: waiting.fold(None, |most: Option<f64>, s| Some(most.map_or(s, |most| most.max(s)))),
        never_used: count_known(rows, |row| row.used.map(|used| !used)),
        encrypted: count_known(rows, |row| row.encrypted),
        oldest_s: ages().fold(0.0, f64::max),
        youngest_s: ages().fold(f64::INFINITY, f64::min),
    }
}

/// How many hold; `None` when it is not known of all.
fn count_known(rows: &[&SessionRow], of: impl Fn(&SessionRow) -> Option<bool>) -> Option<u64> {
    rows.iter().map(|row| of(row).map(u64::from)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watcher::{Apart, ServerIdentity};

    fn row(application: &str, host: &str, age_s: i64) -> SessionRow {
        SessionRow {
            id: 1,
            opened_us: (1000 - age_s) * 1_000_000,
            user: "app".to_owned(),
            application: application.to_owned(),
            host: host.to_owned(),
            database: "shop".to_owned(),
            process: None,
            state: SessionState::Idle,
            since_us: None,
            used: Some(true),
            encrypted: Some(true),
            authentication: Some("scram".to_owned()),
            apart: None,
        }
    }

    fn reading(sessions: Option<Vec<SessionRow>>) -> WatchReading {
        WatchReading {
            identity: ServerIdentity { name: "a".to_owned(), started_us: None, origin: String::new() },
            server_clock_us: 1_000_000_000,
            counters: WatchCounters::default(),
            sessions,
            gaps: Vec::new(),
        }
    }

    #[test]
    fn sessions_are_grouped_by_application_and_host() {
        let in_transaction = SessionRow {
            state: SessionState::IdleInTransaction,
            since_us: Some(940_000_000),
            encrypted: Some(false),
            used: Some(false),
            ..row("shop", "web1", 300)
        };
        let replica = SessionRow { apart: Some(Apart::Replication), ..row("walreceiver", "standby", 9) };
        let own = SessionRow { apart: Some(Apart::Peaje), ..row("peaje", "dba", 9) };
        let rows = vec![row("shop", "web2", 5), in_transaction, row("shop", "web1", 20), row(" ", "", 7), replica, own];
        let read = reading(Some(rows));
        let groups = applications(&read).expect("they are seen");
        let names: Vec<(&str, &str, u64)> =
            groups.iter().map(|g| (g.application.as_str(), g.host.as_str(), g.sessions)).collect();
        assert_eq!(names, [("shop", "web1", 2), ("app", "", 1), ("shop", "web2", 1)]);
        let web1 = &groups[0];
        assert_eq!((web1.idle_in_transaction, web1.longest_in_transaction_s), (1, Some(60.0)));
        assert_eq!((web1.never_used, web1.encrypted), (Some(1), Some(1)));
        assert!((web1.oldest_s - 300.0).abs() < 1e-9 && (web1.youngest_s - 20.0).abs() < 1e-9);
        assert_eq!(apart(&read), Some(1));
        assert_eq!(authentication(&read), [AuthenticationInUse { method: "scram".to_owned(), sessions: 4 }]);
    }

    #[test]
    fn what_is_not_known_of_all_is_not_known_of_the_group() {
        let unknown = SessionRow { encrypted: None, used: None, authentication: None, ..row("shop", "web1", 1) };
        let read = reading(Some(vec![row("shop", "web1", 1), unknown]));
        let group = &applications(&read).expect("they are seen")[0];
        assert_eq!((group.encrypted, group.never_used), (None, None));
        assert_eq!(applications(&reading(None)), None);
        assert_eq!(applications(&reading(Some(Vec::new()))), Some(Vec::new()));
    }
}
