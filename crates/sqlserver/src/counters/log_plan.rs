//! What each login will set off and leave on the server, known before the first load.
//!
//! A newcomer would take "no trigger found" for "no trigger": a login that may not see them finds none. What it may not
//! see is `unknown` here.

use peaje_model::{Fact, FactValue, Facts};

use super::identify::AZURE_SQL_DATABASE;

/// What one login, from its connection to its goodbye, will write and set off on the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogPlan {
    /// Lines that a successful login writes to the server's error log.
    pub error_log_lines: u64,
    /// The server audits that record it (`audit: group, group`).
    pub audits: Vec<String>,
    /// The event sessions that record it.
    pub event_sessions: Vec<String>,
    /// The logon triggers that run.
    pub logon_triggers: Vec<String>,
    /// The function of Resource Governor that runs.
    pub classifier: Option<String>,
    /// Rounds of the password's hash, where each login pays for more than one.
    pub hash_rounds: Option<u64>,
    /// What could not be read: the plan may be too small.
    pub unknown: Vec<&'static str>,
}

/// Rounds of version 3 of the password's hash, the default since SQL Server 2025.
const PBKDF2_ROUNDS: u64 = 100_000;

/// Everything the plan is made of.
const NEEDED: [&str; 5] =
    ["login_audit_level", "login_audits", "login_event_sessions", "logon_triggers", "resource_governor_classifier"];

/// Reads the plan from the facts.
pub fn log_plan(facts: &[Fact]) -> LogPlan {
    let facts = Facts(facts);
    let list = |name: &str| facts.text(name).map(split).unwrap_or_default();
    let level = facts.text("login_audit_level");
    // It has none of these things.
    let azure = facts.value("engine_edition") == Some(&FactValue::Number(AZURE_SQL_DATABASE.into()));
    LogPlan {
        error_log_lines: u64::from(matches!(level, Some("successful" | "both"))),
        audits: list("login_audits"),
        event_sessions: list("login_event_sessions"),
        logon_triggers: list("logon_triggers"),
        classifier: facts.text("resource_governor_classifier").filter(|name| !name.is_empty()).map(str::to_owned),
        hash_rounds: (facts.value("password_hash_algorithm") == Some(&FactValue::Number(3.0))).then_some(PBKDF2_ROUNDS),
        unknown: NEEDED.into_iter().filter(|name| !azure && facts.value(name).is_none()).collect(),
    }
}

fn split(list: &str) -> Vec<String> {
    list.split("; ").map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

impl LogPlan {
    /// Whether a login leaves no trace beyond its session, as far as can be known.
    pub fn is_silent(&self) -> bool {
        *self == Self { hash_rounds: self.hash_rounds, ..Self::default() }
    }

    /// The plan in English, one sentence for each thing.
    pub fn sentences(&self) -> Vec<String> {
        let mut words = Vec::new();
        match self.error_log_lines {
            0 if self.is_silent() => words.push("each login writes nothing to the server's error log".to_owned()),
            0 => {}
            n => words.push(format!("each login writes {n} line to the server's error log")),
        }
        words.extend(self.audits.iter().map(|audit| format!("each login is recorded by the audit {audit}")));
        if !self.event_sessions.is_empty() {
            words.push(format!("each login is recorded by the event sessions {}", self.event_sessions.join(", ")));
        }
        if !self.logon_triggers.is_empty() {
            words.push(format!("these logon triggers run at each login: {}", self.logon_triggers.join(", ")));
        }
        if let Some(name) = &self.classifier {
            words.push(format!("Resource Governor runs {name} at each login"));
        }
        if let Some(rounds) = self.hash_rounds {
            words.push(format!("the server hashes the password {rounds} times at each login"));
        }
        if !self.unknown.is_empty() {
            words.push(format!("not known, because it cannot be read: {}", self.unknown.join(", ")));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pairs: &[(&str, FactValue)]) -> Vec<Fact> {
        let fact = |(name, value): &(&str, FactValue)| Fact {
            name: (*name).to_owned(),
            value: value.clone(),
            unit: None,
            source: String::new(),
            at: None,
        };
        pairs.iter().map(fact).collect()
    }

    fn text(t: &str) -> FactValue {
        FactValue::Text(t.to_owned())
    }

    #[test]
    fn a_quiet_server() {
        let known: Vec<(&str, FactValue)> =
            NEEDED.iter().map(|name| (*name, text(if *name == "login_audit_level" { "failed" } else { "" }))).collect();
        let plan = log_plan(&facts(&known));
        assert!(plan.is_silent(), "{plan:?}");
        assert_eq!(plan.sentences(), ["each login writes nothing to the server's error log"]);
    }

    #[test]
    fn everything_that_runs_is_named() {
        let plan = log_plan(&facts(&[
            ("login_audit_level", text("both")),
            ("login_audits", text("compliance: SUCCESSFUL_LOGIN_GROUP, LOGOUT_GROUP; other: LOGOUT_GROUP")),
            ("login_event_sessions", text("who")),
            ("logon_triggers", text("limit_hosts; log_it")),
            ("resource_governor_classifier", text("dbo.classify")),
            ("password_hash_algorithm", FactValue::Number(3.0)),
        ]));
        assert_eq!((plan.error_log_lines, plan.audits.len(), plan.logon_triggers.len()), (1, 2, 2));
        assert_eq!((plan.classifier.as_deref(), plan.hash_rounds), (Some("dbo.classify"), Some(100_000)));
        assert!(plan.unknown.is_empty() && !plan.is_silent());
        assert_eq!(plan.sentences().len(), 7);
    }

    #[test]
    fn what_was_not_read_is_said_where_it_exists() {
        assert_eq!(log_plan(&[]).unknown, NEEDED);
        assert!(!log_plan(&[]).is_silent());
        assert!(log_plan(&facts(&[("engine_edition", FactValue::Number(5.0))])).unknown.is_empty());
    }
}
