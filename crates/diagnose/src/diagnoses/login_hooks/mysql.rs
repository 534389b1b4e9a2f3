//! MySQL and MariaDB: `init_connect`, audit plugins, the general log.

use peaje_model::{Param, Run};

use super::{Kind, Plan};
use crate::facts;

/// Facts that decide.
pub(super) const ASKED: &[&str] = &["init_connect", "general_log", "audit_plugins", "server_audit_logging"];

pub(super) fn plan(run: &Run) -> Plan {
    let mut plan = Plan::default();
    let init = plan.need(run, "init_connect", "global variables");
    if let Some(fact) = init.filter(|fact| fact.text().is_some_and(|statements| !statements.is_empty())) {
        // The statements themselves may hold what is nobody else's business.
        plan.add(Kind::Runs, "statements", Param::Text("init_connect".to_owned()), fact);
    }
    mariadb_audit(run, &mut plan);
    let policy = facts::find(run, "audit_log_policy");
    let recorded = policy.filter(|fact| fact.text().is_some_and(|p| ["ALL", "LOGINS"].contains(&p)));
    plan.add_names(Kind::Records, "audit_policy", recorded);
    other_audit(run, &mut plan);
    general_log(run, &mut plan);
    plan
}

/// MariaDB's plugin: an empty list of events means all of them.
fn mariadb_audit(run: &Run, plan: &mut Plan) {
    let on = facts::find(run, "server_audit_logging").filter(|fact| fact.is_on() == Some(true));
    let events = facts::find(run, "server_audit_events").and_then(facts::FactAt::text).unwrap_or_default();
    let connects = events.is_empty() || events.to_uppercase().split(',').any(|event| event.trim() == "CONNECT");
    if let Some(fact) = on.filter(|_| connects) {
        plan.add(Kind::Records, "audits", Param::Text("server_audit".to_owned()), fact);
    }
}

/// Audit plugins whose settings are not known here.
fn other_audit(run: &Run, plan: &mut Plan) {
    let Some(fact) = plan.need(run, "audit_plugins", "information_schema.plugins") else { return };
    let known = ["server_audit", "audit_log"];
    let all = fact.text().unwrap_or_default().split(", ");
    let others: Vec<&str> =
        all.filter(|name| !name.is_empty() && !known.contains(&name.to_ascii_lowercase().as_str())).collect();
    if !others.is_empty() {
        plan.add(Kind::Records, "audit_plugins", Param::Text(others.join(", ")), fact);
    }
}

fn general_log(run: &Run, plan: &mut Plan) {
    let on = plan.need(run, "general_log", "global variables").filter(|fact| fact.is_on() == Some(true));
    let place = facts::find(run, "log_output").and_then(facts::FactAt::text).unwrap_or("FILE");
    if let Some(fact) = on.filter(|_| place != "NONE") {
        plan.add(Kind::Records, "general_log", Param::Text(place.to_owned()), fact);
    }
}
