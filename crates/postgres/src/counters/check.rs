//! What only a check asks: the rules of `pg_hba.conf`, and how long sessions lasted together.
//!
//! A newcomer would count the rules without encryption. They are tried from top to bottom: one that turns everybody away
//! who does not encrypt makes those below it harmless.

use peaje_model::{Fact, FactValue, Gap};

use super::session::{Row, Session, text};
use super::{HBA_RULES, SESSION_TIME};

/// Addresses that are this machine.
const LOOPBACK: [&str; 4] = ["127.0.0.1", "127.0.0.0", "::1", "samehost"];
/// Addresses that are everybody.
const EVERYBODY: [&str; 3] = ["all", "0.0.0.0", "::"];

/// Facts of a check; `version` is `server_version_num`, 0 = unknown.
pub(super) async fn read(session: &Session, version: u32) -> (Vec<Fact>, Vec<Gap>) {
    let (mut facts, mut gaps) = (Vec::new(), Vec::new());
    match session.rows(&HBA_RULES, "pg_hba_file_rules").await {
        Ok(rows) => facts.extend(rule_facts(&rows)),
        Err(gap) => gaps.push(with_grant(gap, &session.role)),
    }
    if version >= SESSION_TIME.since_version {
        match session.row(&SESSION_TIME, "pg_stat_database.session_time").await {
            Ok(row) => facts.extend(session_time(&row)),
            Err(gap) => gaps.push(gap),
        }
    }
    (facts, gaps)
}

/// The view belongs to superusers, and so does the function behind it.
fn with_grant(gap: Gap, role: &str) -> Gap {
    let role = super::quote_identifier(role);
    let grant = format!(
        "grant select on pg_catalog.pg_hba_file_rules to {role}; \
         grant execute on function pg_catalog.pg_hba_file_rules() to {role}"
    );
    Gap { next_step: gap.next_step.is_some().then_some(grant), ..gap }
}

fn fact(name: &str, value: FactValue, unit: Option<&str>, source: &str) -> Fact {
    Fact { name: name.to_owned(), value, unit: unit.map(str::to_owned), source: source.to_owned(), at: None }
}

fn session_time(row: &Row) -> Option<Fact> {
    let seconds: f64 = text(row, "session_time_s")?.parse().ok()?;
    Some(fact("session_time_s", FactValue::Number(seconds), Some("s"), "pg_stat_database"))
}

fn rule_facts(rows: &[Row]) -> Vec<Fact> {
    let source = "pg_hba_file_rules";
    let mut methods: Vec<&str> = rows
        .iter()
        .filter(|row| text(row, "type") != Some("local"))
        .filter_map(|row| text(row, "auth_method").filter(|method| *method != "reject"))
        .collect();
    methods.sort_unstable();
    methods.dedup();
    vec![
        fact("hba_allows_clear", FactValue::Bool(allows_clear(rows)), None, source),
        fact("hba_methods", FactValue::Text(methods.join(", ")), None, source),
    ]
}

/// Whether somebody from another machine gets in without encryption.
fn allows_clear(rows: &[Row]) -> bool {
    let of = |row: &Row, column| text(row, column).unwrap_or_default().to_owned();
    // Families whose clear connections an earlier rule has turned away altogether.
    let (mut v4, mut v6) = (false, false);
    for row in rows {
        let clear = matches!(of(row, "type").as_str(), "host" | "hostnossl");
        let address = of(row, "address");
        if !clear || LOOPBACK.contains(&address.as_str()) {
            continue;
        }
        let everybody = EVERYBODY.contains(&address.as_str());
        let rejects = of(row, "auth_method") == "reject";
        let all = of(row, "database") == "all" && of(row, "user_name") == "all";
        if rejects {
            v4 |= everybody && all && address != "::";
            v6 |= everybody && all && address != "0.0.0.0";
            continue;
        }
        let closed = if address.contains(':') { v6 } else { v4 && (v6 || address != "all") };
        if !closed {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(words: &str) -> Row {
        let columns = ["type", "database", "user_name", "address", "auth_method"];
        columns.iter().zip(words.split(' ')).map(|(k, v)| ((*k).to_owned(), Some(v.to_owned()))).collect()
    }

    #[test]
    fn rules_are_tried_from_top_to_bottom() {
        for (rules, expected) in [
            (&["local all all - peer", "host all all 127.0.0.1 trust", "host all all ::1 trust"][..], false),
            (&["hostssl all all 0.0.0.0 scram-sha-256"], false),
            (&["host all all 0.0.0.0 scram-sha-256"], true),
            (&["host shop app 10.1.2.0 md5"], true),
            (&["hostnossl all all 0.0.0.0 reject", "host all all 0.0.0.0 scram-sha-256"], false),
            (&["hostnossl all all 0.0.0.0 reject", "host all all :: scram-sha-256"], true),
            (&["hostnossl all all all reject", "host all all fe80::1 md5", "host all all all md5"], false),
            (&["hostnossl all bob all reject", "host all all all md5"], true),
            (&["host all all all md5", "hostnossl all all all reject"], true),
            (&[], false),
        ] {
            let rows: Vec<Row> = rules.iter().map(|words| rule(words)).collect();
            assert_eq!(allows_clear(&rows), expected, "{rules:?}");
        }
    }

    #[test]
    fn methods_are_named_once_and_without_those_of_sockets() {
        let rules = ["local all all - peer", "host all all all scram-sha-256", "host all x 10.0.0.1 scram-sha-256"];
        let facts = rule_facts(&rules.map(rule));
        assert_eq!(facts[1].value, FactValue::Text("scram-sha-256".to_owned()));
    }
}
