//! SQL Server: logon triggers, Resource Governor's classifier, a slow hash, audits, event sessions, the error log.

use peaje_model::{Param, Run};

use super::{Kind, Plan};
use crate::facts;

/// Facts that decide.
pub(super) const ASKED: &[&str] = &[
    "logon_triggers",
    "resource_governor_classifier",
    "login_audits",
    "login_event_sessions",
    "login_audit_level",
    "engine_edition",
];

/// `engine_edition` of Azure SQL Database, which has none of these things.
const AZURE_SQL_DATABASE: f64 = 5.0;

/// `password_hash_algorithm` of passwords hashed in many rounds, the default since SQL Server 2025.
const PBKDF2: f64 = 3.0;

pub(super) fn plan(run: &Run) -> Plan {
    let mut plan = Plan::default();
    let is = |name: &str, number: f64| {
        let fact = facts::find(run, name)?;
        fact.number().filter(|n| (n - number).abs() < 0.5).map(|_| fact)
    };
    if let Some(fact) = is("password_hash_algorithm", PBKDF2) {
        plan.add(Kind::Runs, "hash", Param::Text("PBKDF2".to_owned()), fact);
    }
    if is("engine_edition", AZURE_SQL_DATABASE).is_some() {
        return plan;
    }
    for (kind, key, name, view) in [
        (Kind::Runs, "triggers", "logon_triggers", "sys.server_triggers"),
        (Kind::Runs, "classifier", "resource_governor_classifier", "sys.resource_governor_configuration"),
        (Kind::Records, "audits", "login_audits", "sys.server_audit_specifications"),
        (Kind::Records, "event_sessions", "login_event_sessions", "sys.dm_xe_sessions"),
    ] {
        let fact = plan.need(run, name, view);
        plan.add_names(kind, key, fact);
    }
    let level = plan.need(run, "login_audit_level", "login_audit_level");
    let successful = level.filter(|fact| matches!(fact.text(), Some("successful" | "both")));
    plan.add_names(Kind::Records, "error_log", successful);
    for name in ["c2_audit_mode", "common_criteria_compliance_enabled"] {
        if let Some(fact) = is(name, 1.0) {
            plan.add(Kind::Records, name, Param::Text(name.to_owned()), fact);
        }
    }
    plan
}
