//! What each login will write to the server's log, known before the first load.

use peaje_model::{Fact, FactValue, Facts};

/// What one login, from its connection to its goodbye, will write and set off on the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogPlan {
    /// The kinds of lines each login writes to the server's log, in order.
    pub lines: Vec<&'static str>,
    /// Event triggers that run at each login (version 17).
    pub login_triggers: u64,
    /// Libraries that are loaded into each new session.
    pub loaded_libraries: Vec<String>,
    /// What pgaudit records (`pgaudit.log`), when it is loaded and records anything.
    pub pgaudit: Option<String>,
    /// Settings that could not be read: the plan may be too small.
    pub unknown: Vec<&'static str>,
}

impl LogPlan {
    /// Log lines for each login.
    pub fn lines_per_login(&self) -> usize {
        self.lines.len()
    }

    /// Whether a login leaves no trace beyond its session, as far as can be known.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }
}

const RECEIVED: &str = "connection received";
const AUTHENTICATED: &str = "connection authenticated";
const AUTHORIZED: &str = "connection authorized";
const READY: &str = "connection ready";
const DISCONNECTION: &str = "disconnection";

/// Reads the plan from the facts.
pub fn log_plan(facts: &[Fact]) -> LogPlan {
    let facts = Facts(facts);
    let version = facts.number("server_version_num").unwrap_or(0.0);
    let mut plan = LogPlan::default();
    match facts.value("log_connections") {
        Some(FactValue::Bool(true)) => plan.lines.extend(when_on(version)),
        Some(FactValue::Text(list)) => plan.lines.extend(of_list(list, version)),
        Some(_) => {}
        None => plan.unknown.push("log_connections"),
    }
    match facts.value("log_disconnections") {
        Some(FactValue::Bool(true)) => plan.lines.push(DISCONNECTION),
        Some(_) => {}
        None => plan.unknown.push("log_disconnections"),
    }
    plan.login_triggers = facts.number("login_event_triggers").unwrap_or(0.0) as u64;
    for name in ["session_preload_libraries", "local_preload_libraries"] {
        match facts.text(name) {
            Some(list) => plan.loaded_libraries.extend(split(list)),
            None => plan.unknown.push(name),
        }
    }
    plan.pgaudit = facts.text("pgaudit.log").filter(|log| !log.is_empty() && *log != "none").map(str::to_owned);
    plan
}

/// `log_connections = on`: the line on authentication came with version 14.
fn when_on(version: f64) -> Vec<&'static str> {
    if version < 140_000.0 { vec![RECEIVED, AUTHORIZED] } else { vec![RECEIVED, AUTHENTICATED, AUTHORIZED] }
}

/// The list of version 18; the old words of a boolean are still allowed.
fn of_list(list: &str, version: f64) -> Vec<&'static str> {
    let words: Vec<String> = split(list).map(|word| word.to_lowercase()).collect();
    if words.len() == 1 && ["on", "true", "yes", "1"].contains(&words[0].as_str()) {
        return when_on(version);
    }
    let has = |word: &str| words.iter().any(|w| w == word || w == "all");
    [
        ("receipt", RECEIVED),
        ("authentication", AUTHENTICATED),
        ("authorization", AUTHORIZED),
        ("setup_durations", READY),
    ]
    .into_iter()
    .filter(|(word, _)| has(word))
    .map(|(_, line)| line)
    .collect()
}

fn split(list: &str) -> impl Iterator<Item = String> + '_ {
    list.split(',').map(|item| item.trim().trim_matches('"').to_owned()).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(version: u32, connections: FactValue, disconnections: bool) -> Vec<Fact> {
        [
            ("server_version_num", FactValue::Number(f64::from(version))),
            ("log_connections", connections),
            ("log_disconnections", FactValue::Bool(disconnections)),
            ("session_preload_libraries", FactValue::Text(String::new())),
            ("local_preload_libraries", FactValue::Text(String::new())),
        ]
        .into_iter()
        .map(|(name, value)| Fact { name: name.to_owned(), value, unit: None, source: String::new(), at: None })
        .collect()
    }

    #[test]
    fn lines_of_each_version() {
        let text = |t: &str| FactValue::Text(t.to_owned());
        for (version, connections, disconnections, expected) in [
            (150_014, FactValue::Bool(false), false, vec![]),
            (130_000, FactValue::Bool(true), false, vec![RECEIVED, AUTHORIZED]),
            (150_014, FactValue::Bool(true), true, vec![RECEIVED, AUTHENTICATED, AUTHORIZED, DISCONNECTION]),
            (180_000, text(""), true, vec![DISCONNECTION]),
            (180_000, text("off"), false, vec![]),
            (180_000, text("on"), false, vec![RECEIVED, AUTHENTICATED, AUTHORIZED]),
            (180_000, text("authorization, setup_durations"), false, vec![AUTHORIZED, READY]),
            (180_000, text("all"), false, vec![RECEIVED, AUTHENTICATED, AUTHORIZED, READY]),
            (180_000, text("ALL"), false, vec![RECEIVED, AUTHENTICATED, AUTHORIZED, READY]),
        ] {
            let plan = log_plan(&facts(version, connections.clone(), disconnections));
            assert_eq!(plan.lines, expected, "{version} {connections:?}");
            assert_eq!(plan.is_silent(), expected.is_empty());
        }
    }

    #[test]
    fn libraries_triggers_and_audit() {
        let mut known = facts(170_000, FactValue::Bool(false), false);
        let mut set = |name: &str, value| {
            known.retain(|fact| fact.name != name);
            known.push(Fact { name: name.to_owned(), value, unit: None, source: String::new(), at: None });
        };
        set("session_preload_libraries", FactValue::Text("auto_explain, \"$libdir/x\"".to_owned()));
        set("login_event_triggers", FactValue::Number(2.0));
        set("pgaudit.log", FactValue::Text("read, ddl".to_owned()));
        let plan = log_plan(&known);
        assert_eq!(plan.loaded_libraries, ["auto_explain", "$libdir/x"]);
        assert_eq!((plan.login_triggers, plan.pgaudit.as_deref()), (2, Some("read, ddl")));
    }

    #[test]
    fn what_was_not_read_is_said() {
        let unknown = log_plan(&[]).unknown;
        assert_eq!(unknown.len(), 4);
        assert!(!log_plan(&[]).is_silent());
    }
}
