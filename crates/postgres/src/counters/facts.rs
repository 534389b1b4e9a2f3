//! Settings and views, as facts; what cannot be read, as gaps that name the privilege.

use peaje_model::{Fact, FactValue, Gap};

use super::failure::grant;
use super::session::{Row, Session, number, text};
use super::{LIMITS, LOGIN_TRIGGERS, SERVER, SETTINGS};

/// Settings that must be there, with the version that brought them.
const EXPECTED: &[(&str, u32)] = &[
    ("max_connections", 0),
    ("superuser_reserved_connections", 0),
    ("reserved_connections", 160_000),
    ("log_connections", 0),
    ("log_disconnections", 0),
    ("session_preload_libraries", 0),
    ("shared_preload_libraries", 0),
    ("local_preload_libraries", 0),
    ("password_encryption", 0),
    ("authentication_timeout", 0),
    ("ssl", 0),
    ("data_directory", 0),
];

/// Everything that is worth keeping.
pub(super) async fn read(session: &Session) -> (Vec<Fact>, Vec<Gap>) {
    let (mut facts, mut gaps) = (Vec::new(), Vec::new());
    let version = match session.row(&SERVER, "version and start of the server").await {
        Ok(row) => server_facts(&row, &mut facts),
        Err(gap) => note(gap, &mut gaps),
    };
    match session.rows(&SETTINGS, "pg_settings").await {
        Ok(rows) => {
            facts.extend(rows.iter().filter_map(setting));
            gaps.extend(missing(&facts, version.unwrap_or(0), &session.role));
        }
        Err(gap) => gaps.push(gap),
    }
    if version.is_some_and(|v| v >= LOGIN_TRIGGERS.since_version) {
        match session.row(&LOGIN_TRIGGERS, "login event triggers").await {
            Ok(row) => facts.extend(trigger_facts(&row)),
            Err(gap) => gaps.push(gap),
        }
    }
    match session.row(&LIMITS, "connection limits of database and role").await {
        Ok(row) => facts.extend(limit_facts(&row)),
        Err(gap) => gaps.push(gap),
    }
    (facts, gaps)
}

fn note(gap: Gap, gaps: &mut Vec<Gap>) -> Option<u32> {
    gaps.push(gap);
    None
}

fn fact(name: &str, value: FactValue, unit: Option<&str>, source: &str) -> Fact {
    Fact { name: name.to_owned(), value, unit: unit.map(str::to_owned), source: source.to_owned(), at: None }
}

/// Facts of the server as a whole; returns `server_version_num`.
fn server_facts(row: &Row, facts: &mut Vec<Fact>) -> Option<u32> {
    let version = number(row, "server_version_num").and_then(|v| u32::try_from(v).ok());
    facts.extend(
        version.map(|v| fact("server_version_num", FactValue::Number(f64::from(v)), None, "current_setting()")),
    );
    facts.extend(text(row, "standby").map(|v| fact("standby", FactValue::Bool(v == "t"), None, "pg_is_in_recovery()")));
    facts.extend(
        text(row, "started_at")
            .map(|v| fact("postmaster_start_time", FactValue::Text(v.to_owned()), None, "pg_postmaster_start_time()")),
    );
    version
}

/// A row of `pg_settings`, typed by the view's own word for its type.
fn setting(row: &Row) -> Option<Fact> {
    let value = text(row, "setting")?;
    let value = match text(row, "vartype") {
        Some("bool") => FactValue::Bool(value == "on"),
        Some("integer" | "real") => value.parse().map_or_else(|_| FactValue::Text(value.to_owned()), FactValue::Number),
        _ => FactValue::Text(value.to_owned()),
    };
    Some(fact(text(row, "name")?, value, text(row, "unit"), "pg_settings"))
}

/// Settings that this version has and this role does not see.
fn missing(facts: &[Fact], version: u32, role: &str) -> Vec<Gap> {
    EXPECTED
        .iter()
        .filter(|(name, since)| *since <= version && !facts.iter().any(|f| f.name == *name))
        .map(|(name, _)| Gap {
            what: (*name).to_owned(),
            why: "pg_settings does not show it to this role".to_owned(),
            next_step: Some(grant("pg_read_all_settings", role)),
        })
        .collect()
}

fn trigger_facts(row: &Row) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(count) = number(row, "triggers") {
        facts.push(fact("login_event_triggers", FactValue::Number(count as f64), None, "pg_event_trigger"));
    }
    if let Some(names) = text(row, "names").filter(|names| !names.is_empty()) {
        facts.push(fact("login_event_trigger_names", FactValue::Text(names.to_owned()), None, "pg_event_trigger"));
    }
    facts
}

/// Limits as the catalogue writes them: -1 = none.
fn limit_facts(row: &Row) -> Vec<Fact> {
    [("datconnlimit", "database_limit", "pg_database"), ("rolconnlimit", "role_limit", "pg_roles")]
        .iter()
        .filter_map(|(name, column, source)| {
            Some(fact(name, FactValue::Number(number(row, column)? as f64), None, source))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), Some((*v).to_owned()))).collect()
    }

    #[test]
    fn settings_are_typed_by_the_views_own_words() {
        for (vartype, value, expected) in [
            ("bool", "on", FactValue::Bool(true)),
            ("bool", "off", FactValue::Bool(false)),
            ("integer", "100", FactValue::Number(100.0)),
            ("string", "100", FactValue::Text("100".to_owned())),
            ("enum", "scram-sha-256", FactValue::Text("scram-sha-256".to_owned())),
        ] {
            let fact = setting(&row(&[("name", "x"), ("setting", value), ("vartype", vartype)])).expect("a fact");
            assert_eq!(fact.value, expected);
        }
    }

    #[test]
    fn what_is_hidden_becomes_a_gap_and_what_does_not_exist_yet_does_not() {
        let seen: Vec<Fact> = EXPECTED
            .iter()
            .filter(|(name, _)| !["data_directory", "reserved_connections"].contains(name))
            .map(|(name, _)| fact(name, FactValue::Bool(true), None, "pg_settings"))
            .collect();
        let of = |version| missing(&seen, version, "ann").into_iter().map(|gap| gap.what).collect::<Vec<_>>();
        assert_eq!(of(150_000), ["data_directory"]);
        assert_eq!(of(160_000), ["reserved_connections", "data_directory"]);
        let gap = &missing(&seen, 150_000, "ann")[0];
        assert_eq!(gap.next_step.as_deref(), Some("grant pg_read_all_settings to \"ann\""));
    }
}
