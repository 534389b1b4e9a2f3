//! PostgreSQL: login event triggers (version 17), libraries loaded into each session, log lines, reverse look-ups.

use peaje_model::{Param, Run};

use super::{Kind, Plan};
use crate::facts;

/// Facts that decide.
pub(super) const ASKED: &[&str] = &[
    "login_event_triggers",
    "session_preload_libraries",
    "local_preload_libraries",
    "log_connections",
    "log_disconnections",
    "log_hostname",
];

/// `server_version_num` that brought event triggers at login.
const LOGIN_TRIGGERS: f64 = 170_000.0;

/// `server_version_num` that brought the log line on authentication.
const AUTHENTICATED_LINE: f64 = 140_000.0;

pub(super) fn plan(run: &Run) -> Plan {
    let mut plan = Plan::default();
    let version = facts::find(run, "server_version_num").and_then(facts::FactAt::number).unwrap_or(0.0);
    triggers(run, version, &mut plan);
    let log_hostname = facts::find(run, "log_hostname");
    if let Some(fact) = log_hostname.filter(|fact| fact.is_on() == Some(true)) {
        plan.add(Kind::Runs, "lookup", Param::Text("log_hostname".to_owned()), fact);
    }
    libraries(run, &mut plan);
    log_lines(run, version, &mut plan);
    let pgaudit = facts::find(run, "pgaudit.log").filter(|fact| fact.text() != Some("none"));
    plan.add_names(Kind::Records, "pgaudit", pgaudit);
    plan
}

fn triggers(run: &Run, version: f64, plan: &mut Plan) {
    if version < LOGIN_TRIGGERS {
        return;
    }
    let switched_off = facts::find(run, "event_triggers").and_then(facts::FactAt::is_on) == Some(false);
    let Some(count) = plan.need(run, "login_event_triggers", "login event triggers") else { return };
    if switched_off || count.number().is_none_or(|n| n < 1.0) {
        return;
    }
    let names = facts::find(run, "login_event_trigger_names").and_then(facts::FactAt::text);
    let names = names.map_or_else(|| count.number().unwrap_or_default().to_string(), str::to_owned);
    plan.add(Kind::Runs, "triggers", Param::Text(names), count);
}

fn libraries(run: &Run, plan: &mut Plan) {
    let mut lists = Vec::new();
    for name in ["session_preload_libraries", "local_preload_libraries"] {
        lists.extend(plan.need(run, name, "pg_settings"));
    }
    let set: Vec<_> = lists.into_iter().filter(|fact| fact.text().is_some_and(|list| !list.is_empty())).collect();
    if let Some(first) = set.first() {
        let names: Vec<&str> = set.iter().filter_map(|fact| fact.text()).collect();
        plan.add(Kind::Records, "libraries", Param::Text(names.join(", ")), *first);
    }
}

/// How many lines a login and its goodbye write.
fn log_lines(run: &Run, version: f64, plan: &mut Plan) {
    let connections = plan.need(run, "log_connections", "pg_settings");
    let disconnections = plan.need(run, "log_disconnections", "pg_settings");
    let begin = connections.map_or(0, |fact| match (fact.is_on(), fact.text()) {
        (Some(true), _) => when_on(version),
        (None, Some(list)) => of_list(list, version),
        _ => 0,
    });
    let end = u64::from(disconnections.is_some_and(|fact| fact.is_on() == Some(true)));
    let decides = connections.filter(|_| begin > 0).or(disconnections);
    if let Some(fact) = decides.filter(|_| begin + end > 0) {
        plan.add(Kind::Records, "log_lines", Param::Count(begin + end), fact);
    }
}

/// `log_connections = on`: received, authenticated (version 14), authorized.
fn when_on(version: f64) -> u64 {
    if version < AUTHENTICATED_LINE { 2 } else { 3 }
}

/// The list of version 18, in which the old words of a boolean are still allowed.
fn of_list(list: &str, version: f64) -> u64 {
    let words: Vec<String> = list.split(',').map(|word| word.trim().to_lowercase()).collect();
    match words.as_slice() {
        [one] if ["on", "true", "yes", "1"].contains(&one.as_str()) => when_on(version),
        _ if words.iter().any(|word| word == "all") => 4,
        _ => {
            let lines = ["receipt", "authentication", "authorization", "setup_durations"];
            lines.into_iter().filter(|line| words.iter().any(|word| word == line)).count() as u64
        }
    }
}
