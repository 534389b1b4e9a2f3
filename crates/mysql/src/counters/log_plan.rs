//! What each login will set off and write on the server, known before the first load.

use peaje_model::{Fact, FactValue, Facts};

/// Sentences, one for each thing that a login sets off or writes. Empty = nothing, as far as can be known.
pub fn log_plan(facts: &[Fact]) -> Vec<String> {
    let facts = Facts(facts);
    let mut plan = Vec::new();
    plan.extend(init_connect(facts));
    plan.extend(name_lookup(facts));
    plan.extend(general_log(facts));
    plan.extend(mariadb_audit(facts));
    plan.extend(mysql_audit(facts));
    plan.extend(other_audit(facts));
    plan.extend(error_log(facts));
    let unknown: Vec<&str> =
        ["init_connect", "general_log"].into_iter().filter(|name| facts.value(name).is_none()).collect();
    if !unknown.is_empty() {
        plan.push(format!("not known, because it cannot be read: {}", unknown.join(", ")));
    }
    plan
}

fn init_connect(facts: Facts<'_>) -> Option<String> {
    let statements = facts.text("init_connect")?;
    let runs = !statements.trim().is_empty();
    runs.then(|| "each login runs the statements of init_connect, unless the account is an administrator's".to_owned())
}

fn name_lookup(facts: Facts<'_>) -> Option<String> {
    if facts.value("skip_name_resolve") != Some(&FactValue::Bool(false)) {
        return None;
    }
    Some(
        "the server looks up the name of each new client address before it greets (skip_name_resolve is off)"
            .to_owned(),
    )
}

fn general_log(facts: Facts<'_>) -> Option<String> {
    let place = facts.text("log_output").unwrap_or("FILE");
    if facts.value("general_log") != Some(&FactValue::Bool(true)) || place == "NONE" {
        return None;
    }
    let place = match place {
        "TABLE" => "the table mysql.general_log",
        "FILE" => "the general log",
        _ => "the general log and the table mysql.general_log",
    };
    Some(format!("each login writes Connect and Quit to {place}, and each query one entry more"))
}

/// MariaDB's plugin: an empty list of events means all of them.
fn mariadb_audit(facts: Facts<'_>) -> Option<String> {
    if facts.value("server_audit_logging") != Some(&FactValue::Bool(true)) {
        return None;
    }
    let events = facts.text("server_audit_events").unwrap_or_default().to_uppercase();
    let has = |event: &str| events.trim().is_empty() || events.split(',').any(|e| e.trim().starts_with(event));
    match (has("CONNECT"), has("QUERY")) {
        (true, false) => Some("each login writes CONNECT and DISCONNECT to the audit log (server_audit)".to_owned()),
        (true, true) => Some(
            "each login writes CONNECT and DISCONNECT to the audit log, and each query one record more (server_audit)"
                .to_owned(),
        ),
        (false, true) => Some("each query writes a record to the audit log (server_audit)".to_owned()),
        (false, false) => None,
    }
}

/// The plugin of MySQL Enterprise and of Percona Server.
fn mysql_audit(facts: Facts<'_>) -> Option<String> {
    let policy = facts.text("audit_log_policy")?.to_uppercase();
    match policy.as_str() {
        "ALL" => Some("each login and each query writes records to the audit log (audit_log)".to_owned()),
        "LOGINS" => Some("each login writes a record at its begin and its end to the audit log (audit_log)".to_owned()),
        "QUERIES" => Some("each query writes a record to the audit log (audit_log)".to_owned()),
        _ => None,
    }
}

/// An audit plugin whose settings are not known here.
fn other_audit(facts: Facts<'_>) -> Option<String> {
    let known = ["server_audit", "audit_log"];
    let others: Vec<&str> = facts
        .text("audit_plugins")?
        .split(", ")
        .filter(|name| !name.is_empty() && !known.contains(&name.to_ascii_lowercase().as_str()))
        .collect();
    (!others.is_empty()).then(|| format!("audit plugins see each login, and may write: {}", others.join(", ")))
}

/// What the error log takes of logins that fail and of sessions that end without a goodbye.
fn error_log(facts: Facts<'_>) -> Option<String> {
    let mariadb = facts.number("log_warnings").is_some_and(|level| level >= 2.0);
    let mysql = facts.number("log_error_verbosity").is_some_and(|level| level >= 3.0);
    (mariadb || mysql).then(|| {
        "a login that fails, and a session that ends without a goodbye, writes a line to the error log".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(changes: &[(&str, FactValue)]) -> Vec<String> {
        let quiet = [("init_connect", FactValue::Text(String::new())), ("general_log", FactValue::Bool(false))];
        let mut all: Vec<(&str, FactValue)> = changes.to_vec();
        all.extend(quiet.into_iter().filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name)));
        let fact = |(name, value): (&str, FactValue)| Fact {
            name: name.to_owned(),
            value,
            unit: None,
            source: String::new(),
            at: None,
        };
        log_plan(&all.into_iter().map(fact).collect::<Vec<_>>())
    }

    fn words(text: &str) -> FactValue {
        FactValue::Text(text.to_owned())
    }

    #[test]
    fn nothing_is_written_by_a_quiet_server() {
        assert_eq!(plan(&[]), Vec::<String>::new());
    }

    #[test]
    fn each_setting_has_its_sentence() {
        for (changes, expected) in [
            (vec![("init_connect", words("set @x = 1"))], "init_connect"),
            (vec![("skip_name_resolve", FactValue::Bool(false))], "skip_name_resolve"),
            (vec![("general_log", FactValue::Bool(true))], "to the general log, and each query"),
            (
                vec![("general_log", FactValue::Bool(true)), ("log_output", words("TABLE"))],
                "the table mysql.general_log",
            ),
            (
                vec![("server_audit_logging", FactValue::Bool(true)), ("server_audit_events", words("CONNECT"))],
                "CONNECT and DISCONNECT to the audit log (server_audit)",
            ),
            (
                vec![("server_audit_logging", FactValue::Bool(true)), ("server_audit_events", words(""))],
                "each query one record more",
            ),
            (vec![("audit_log_policy", words("LOGINS"))], "each login writes a record"),
            (vec![("audit_plugins", words("my_auditor"))], "my_auditor"),
            (vec![("log_warnings", FactValue::Number(2.0))], "error log"),
            (vec![("log_error_verbosity", FactValue::Number(3.0))], "error log"),
        ] {
            let plan = plan(&changes);
            assert_eq!(plan.len(), 1, "{changes:?}: {plan:?}");
            assert!(plan[0].contains(expected), "{}", plan[0]);
        }
    }

    #[test]
    fn what_is_off_writes_nothing() {
        for changes in [
            vec![("general_log", FactValue::Bool(true)), ("log_output", words("NONE"))],
            vec![("server_audit_logging", FactValue::Bool(false)), ("server_audit_events", words(""))],
            vec![("server_audit_logging", FactValue::Bool(true)), ("server_audit_events", words("TABLE"))],
            vec![("audit_log_policy", words("NONE"))],
            vec![("audit_plugins", words("SERVER_AUDIT"))],
            vec![("log_error_verbosity", FactValue::Number(2.0))],
            vec![("skip_name_resolve", FactValue::Bool(true))],
        ] {
            assert_eq!(plan(&changes), Vec::<String>::new(), "{changes:?}");
        }
    }

    #[test]
    fn what_was_not_read_is_said() {
        assert_eq!(log_plan(&[]), ["not known, because it cannot be read: init_connect, general_log"]);
    }
}
