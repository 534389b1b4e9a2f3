//! Settings and views, as facts; what cannot be read, as gaps that name the right.

use peaje_model::{Fact, FactValue, Gap};

use super::identify::{AZURE_SQL_DATABASE, engine_edition, major_version};
use super::rights::{Right, Rights};
use super::row::Row;
use super::session::Session;
use super::{
    CLASSIFIER, FORCED_ENCRYPTION, LOGIN_AUDIT_LEVEL, LOGIN_AUDITS, LOGIN_EVENTS, LOGON_TRIGGERS, MACHINE, SETTINGS,
    Statement, Versions,
};

/// `EngineEdition` of a managed instance: its version says 12, and it has everything.
const MANAGED_INSTANCE: u32 = 8;

/// Settings of `sys.configurations`: the name there, and the name and unit of the fact.
const CONFIGURATIONS: &[(&str, &str, Option<&str>)] = &[
    ("user connections", "user_connections", None),
    ("remote admin connections", "remote_admin_connections", None),
    ("network packet size (B)", "network_packet_size", Some("B")),
    ("max worker threads", "max_worker_threads", None),
    ("contained database authentication", "contained_database_authentication", None),
    ("common criteria compliance enabled", "common_criteria_compliance_enabled", None),
    ("c2 audit mode", "c2_audit_mode", None),
    ("lightweight pooling", "lightweight_pooling", None),
    ("user options", "user_options", None),
];

/// What is collected on the way.
struct Reading<'a> {
    session: &'a mut Session,
    rights: &'a Rights,
    server: &'a Row,
    facts: Vec<Fact>,
    gaps: Vec<Gap>,
}

/// Everything that is worth keeping.
pub(super) async fn read(session: &mut Session, server: &Row, rights: &Rights) -> (Vec<Fact>, Vec<Gap>) {
    let mut reading = Reading { session, rights, server, facts: server_facts(server), gaps: Vec::new() };
    if let Some(rows) = reading.ask(&MACHINE, "sys.dm_os_sys_info", Some(Right::PerformanceState)).await {
        reading.facts.extend(rows.first().map(machine_facts).unwrap_or_default());
    }
    if let Some(rows) = reading.ask(&SETTINGS, "sys.configurations", None).await {
        reading.facts.extend(rows.iter().filter_map(configuration));
    }
    reading.list("logon_triggers", &LOGON_TRIGGERS, "sys.server_triggers", Right::Definition, names).await;
    let audits = "sys.server_audit_specifications";
    reading.list("login_audits", &LOGIN_AUDITS, audits, Right::SecurityDefinition, audit_groups).await;
    reading.list("login_event_sessions", &LOGIN_EVENTS, "sys.dm_xe_sessions", Right::PerformanceState, names).await;
    reading
        .list(
            "resource_governor_classifier",
            &CLASSIFIER,
            "sys.resource_governor_configuration",
            Right::Definition,
            classifier,
        )
        .await;
    if let Some(rows) = reading.ask(&LOGIN_AUDIT_LEVEL, "login_audit_level", None).await {
        reading.registry(&rows, "login_audit_level", "AuditLevel", audit_level);
    }
    if let Some(rows) = reading.ask(&FORCED_ENCRYPTION, "forced_encryption", None).await {
        reading.registry(&rows, "forced_encryption", "ForceEncryption", |n| Some(FactValue::Bool(n != 0)));
    }
    (reading.facts, reading.gaps)
}

impl Reading<'_> {
    /// Whether this server has what a statement reads.
    fn applies(&self, statement: &Statement) -> bool {
        applies(statement.versions, self.server)
    }

    /// Rows of a statement; `None` = it does not apply here, or a gap has been noted.
    async fn ask(&mut self, statement: &Statement, what: &str, right: Option<Right>) -> Option<Vec<Row>> {
        if !self.applies(statement) {
            return None;
        }
        let allowed = right.map_or(Ok(()), |right| self.rights.need(what, right));
        let rows = match allowed {
            Ok(()) => self.session.rows(statement, what).await,
            Err(gap) => Err(gap),
        };
        rows.map_err(|gap| self.gaps.push(gap)).ok()
    }

    /// A fact that is a list; an empty one is known to be empty.
    async fn list(
        &mut self,
        name: &str,
        statement: &Statement,
        source: &str,
        right: Right,
        of: fn(&[Row]) -> Vec<String>,
    ) {
        if let Some(rows) = self.ask(statement, source, Some(right)).await {
            self.facts.push(fact(name, FactValue::Text(of(&rows).join("; ")), source));
        }
    }

    fn registry(&mut self, rows: &[Row], name: &str, value: &str, of: fn(i64) -> Option<FactValue>) {
        let number = rows.iter().find(|r| r.text("Value").is_none_or(|v| v == value)).and_then(|r| r.number("Data"));
        match number.and_then(of) {
            Some(value) => self.facts.push(fact(name, value, "xp_instance_regread")),
            None => self.gaps.push(Gap {
                what: name.to_owned(),
                why: format!("the instance's registry key has no {value}"),
                next_step: Some("look at the properties of the server in SQL Server Configuration Manager".to_owned()),
            }),
        }
    }
}

/// Whether a server has what a statement of these versions reads.
pub(super) fn applies(versions: Versions, server: &Row) -> bool {
    let azure = engine_edition(server) == Some(AZURE_SQL_DATABASE);
    match versions {
        Versions::Any => true,
        Versions::AzureDatabase => azure,
        Versions::Since(_) if engine_edition(server) == Some(MANAGED_INSTANCE) => true,
        // A version that cannot be read is tried.
        Versions::Since(least) => !azure && major_version(server).is_none_or(|major| major >= least),
    }
}

fn fact(name: &str, value: FactValue, source: &str) -> Fact {
    Fact { name: name.to_owned(), value, unit: None, source: source.to_owned(), at: None }
}

fn number(n: i64) -> FactValue {
    FactValue::Number(n as f64)
}

/// Facts of `server.sql`.
fn server_facts(row: &Row) -> Vec<Fact> {
    const TEXTS: [&str; 8] = [
        "product_version",
        "product_level",
        "product_update_level",
        "edition",
        "server_name",
        "database_name",
        "updateability",
        "auth_scheme",
    ];
    const NUMBERS: [&str; 2] = ["engine_edition", "password_hash_algorithm"];
    const FLAGS: [&str; 3] = ["hadr_enabled", "clustered", "integrated_security_only"];
    let text = |name: &&str| Some(fact(name, FactValue::Text(row.text(name)?.to_owned()), "serverproperty()"));
    let count = |name: &&str| Some(fact(name, number(row.number(name)?), "serverproperty()"));
    let flag = |name: &&str| Some(fact(name, FactValue::Bool(row.number(name)? != 0), "serverproperty()"));
    let mut facts: Vec<Fact> = TEXTS.iter().filter_map(text).collect();
    facts.extend(NUMBERS.iter().filter_map(count));
    facts.extend(FLAGS.iter().filter_map(flag));
    facts
}

fn machine_facts(row: &Row) -> Vec<Fact> {
    let source = "sys.dm_os_sys_info";
    let mut facts: Vec<Fact> = ["cpu_count", "max_workers_count"]
        .iter()
        .filter_map(|name| Some(fact(name, number(row.number(name)?), source)))
        .collect();
    let started = row.text("started_at").map(|at| fact("sqlserver_start_time", FactValue::Text(at.to_owned()), source));
    facts.extend(started);
    facts
}

fn configuration(row: &Row) -> Option<Fact> {
    let (_, name, unit) = CONFIGURATIONS.iter().find(|(name, ..)| Some(*name) == row.text("name"))?;
    let value = number(row.number("value_in_use")?);
    Some(Fact { unit: unit.map(str::to_owned), ..fact(name, value, "sys.configurations") })
}

/// The names, each once.
fn names(rows: &[Row]) -> Vec<String> {
    let mut names: Vec<String> = rows.iter().filter_map(|row| row.text("name").map(str::to_owned)).collect();
    names.sort();
    names.dedup();
    names
}

/// `audit: GROUP, GROUP` for each audit.
fn audit_groups(rows: &[Row]) -> Vec<String> {
    let groups = |audit: &String| {
        let of = rows.iter().filter(|row| row.text("name") == Some(audit));
        let mut groups: Vec<&str> = of.filter_map(|row| row.text("audit_action_name")).collect();
        groups.sort_unstable();
        groups.dedup();
        format!("{audit}: {}", groups.join(", "))
    };
    names(rows).iter().map(groups).collect()
}

/// The classifier's name, if Resource Governor is on and has one.
fn classifier(rows: &[Row]) -> Vec<String> {
    let row = rows.first().filter(|row| row.number("is_enabled") == Some(1));
    let function = row.filter(|row| row.number("classifier_function_id").is_some_and(|id| id != 0));
    function.map(|row| row.text("name").unwrap_or("a function of master").to_owned()).into_iter().collect()
}

fn audit_level(level: i64) -> Option<FactValue> {
    let word = match level {
        0 => "none",
        1 => "successful",
        2 => "failed",
        3 => "both",
        _ => return None,
    };
    Some(FactValue::Text(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_go_where_they_are_understood() {
        let server =
            |version: &str, edition: &str| Row::of(&[("product_version", version), ("engine_edition", edition)]);
        for (versions, version, edition, expected) in [
            (Versions::Any, "12.0.2000.8", "5", true),
            (Versions::Since(9), "12.0.2000.8", "5", false),
            (Versions::AzureDatabase, "12.0.2000.8", "5", true),
            (Versions::AzureDatabase, "16.0.1", "3", false),
            (Versions::Since(11), "10.50.1", "3", false),
            (Versions::Since(11), "11.0.1", "3", true),
            (Versions::Since(16), "12.0.2000.8", "8", true),
        ] {
            assert_eq!(applies(versions, &server(version, edition)), expected, "{versions:?} {version} {edition}");
        }
        assert!(applies(Versions::Since(11), &Row::default()), "an unknown version is tried");
    }

    #[test]
    fn lists_name_each_thing_once() {
        let rows = [("b", "LOGOUT_GROUP"), ("a", "SUCCESSFUL_LOGIN_GROUP"), ("b", "FAILED_LOGIN_GROUP")]
            .map(|(name, group)| Row::of(&[("name", name), ("audit_action_name", group)]));
        assert_eq!(names(&rows), ["a", "b"]);
        assert_eq!(audit_groups(&rows), ["a: SUCCESSFUL_LOGIN_GROUP", "b: FAILED_LOGIN_GROUP, LOGOUT_GROUP"]);
        let governor = |on, id, name| {
            let named = [("is_enabled", on), ("classifier_function_id", id), ("name", name)];
            classifier(&[Row::of(&named)])
        };
        assert_eq!(governor("1", "77", "dbo.classify"), ["dbo.classify"]);
        assert!(governor("1", "0", "").is_empty() && governor("0", "77", "dbo.classify").is_empty());
    }

    #[test]
    fn settings_have_names_without_blanks_and_units() {
        let row = Row::of(&[("name", "network packet size (B)"), ("value_in_use", "4096")]);
        let fact = configuration(&row).expect("it is known");
        assert_eq!(
            (fact.name.as_str(), fact.value, fact.unit.as_deref()),
            ("network_packet_size", number(4096), Some("B"))
        );
        assert_eq!(configuration(&Row::of(&[("name", "fill factor (%)"), ("value_in_use", "0")])), None);
        assert_eq!(audit_level(3), Some(FactValue::Text("both".to_owned())));
        assert_eq!(audit_level(7), None);
    }
}
