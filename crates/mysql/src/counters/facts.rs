//! Settings and views, as facts; what cannot be read, as gaps that name the privilege.

use peaje_model::{Fact, FactValue, Facts, Gap};

use super::arithmetic::Reading;
use super::session::{Row, text};

/// Settings that every server has: without them nothing can be said of a login.
const EXPECTED: &[&str] = &["max_connections", "init_connect", "general_log", "performance_schema"];

/// Settings whose values are words, even when they look like numbers.
const WORDS: &[&str] = &["version", "version_comment", "hostname", "aurora_version", "tls_version"];

/// Rows of `show global variables`, as facts.
pub(super) fn settings(rows: &[Row]) -> (Vec<Fact>, Vec<Gap>) {
    let facts: Vec<Fact> = rows.iter().filter_map(setting).collect();
    let missing = EXPECTED.iter().filter(|name| !facts.iter().any(|fact| fact.name == **name));
    let gaps = missing
        .map(|name| Gap {
            what: (*name).to_owned(),
            why: "the server does not show this variable".to_owned(),
            next_step: None,
        })
        .collect();
    (facts, gaps)
}

fn setting(row: &Row) -> Option<Fact> {
    // Column names come in the server's own spelling, Variable_name and Value.
    let of = |wanted: &str| row.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted))?.1.as_deref();
    let name = of("variable_name")?.to_ascii_lowercase();
    let value = of("value")?;
    let unit = name.ends_with("_timeout").then(|| "s".to_owned());
    Some(Fact { value: typed(&name, value), name, unit, source: "global variables".to_owned(), at: None })
}

fn typed(name: &str, value: &str) -> FactValue {
    let words = || FactValue::Text(value.to_owned());
    if WORDS.contains(&name) {
        return words();
    }
    match value {
        "ON" | "YES" => FactValue::Bool(true),
        "OFF" | "NO" | "DISABLED" => FactValue::Bool(false),
        _ if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) => {
            value.parse().map_or_else(|_| words(), FactValue::Number)
        }
        _ => words(),
    }
}

/// Rows of `information_schema.plugins`: one fact for each kind, with the names.
pub(super) fn plugins(rows: &[Row]) -> Vec<Fact> {
    [("authentication_plugins", "AUTHENTICATION"), ("audit_plugins", "AUDIT")]
        .iter()
        .map(|(name, kind)| {
            let names: Vec<&str> =
                rows.iter().filter(|row| text(row, "type") == Some(kind)).filter_map(|row| text(row, "name")).collect();
            Fact {
                name: (*name).to_owned(),
                value: FactValue::Text(names.join(", ")),
                unit: None,
                source: "information_schema.plugins".to_owned(),
                at: None,
            }
        })
        .collect()
}

/// Rows of `check_status.sql`: threads and connections so far.
pub(super) fn thread_counters(rows: &[Row]) -> Vec<Fact> {
    let named = [("threads_created", "threads_created"), ("threads_cached", "threads_cached")];
    let named = named.into_iter().chain([("connections", "connections_total")]);
    let of = |wanted: &str| {
        let row = rows.iter().filter_map(setting).find(|fact| fact.name == wanted)?;
        Some(Fact { source: "global status".to_owned(), ..row })
    };
    named.filter_map(|(variable, name)| Some(Fact { name: name.to_owned(), ..of(variable)? })).collect()
}

/// The row of `host_cache.sql`.
pub(super) fn host_cache(row: &Row) -> Vec<Fact> {
    let columns = [("hosts", "host_cache_hosts"), ("blocked", "host_cache_blocked")];
    let columns = columns.into_iter().chain([("worst_errors", "host_cache_worst_errors")]);
    columns
        .chain([("name_errors", "host_cache_name_errors")])
        .filter_map(|(column, name)| {
            let value = FactValue::Number(text(row, column)?.parse().ok()?);
            let source = "performance_schema.host_cache".to_owned();
            Some(Fact { name: name.to_owned(), value, unit: None, source, at: None })
        })
        .collect()
}

/// What the counters say of the server itself.
pub(super) fn uptimes(reading: &Reading) -> Vec<Fact> {
    let (started, flushed) = reading.birth.times();
    [("server_start_time", started), ("status_flush_time", flushed)]
        .iter()
        .map(|(name, seconds)| Fact {
            name: (*name).to_owned(),
            value: FactValue::Number(*seconds as f64),
            unit: Some("seconds since 1970".to_owned()),
            source: "global status".to_owned(),
            at: None,
        })
        .collect()
}

/// Whether a setting is on, as far as it is known.
pub(super) fn is_on(facts: &[Fact], name: &str) -> Option<bool> {
    Facts(facts).value(name).map(|value| *value == FactValue::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), Some((*v).to_owned()))).collect()
    }

    fn variable(name: &str, value: &str) -> Row {
        row(&[("Variable_name", name), ("Value", value)])
    }

    #[test]
    fn settings_are_typed() {
        for (name, value, expected) in [
            ("general_log", "ON", FactValue::Bool(true)),
            ("have_ssl", "DISABLED", FactValue::Bool(false)),
            ("max_connections", "151", FactValue::Number(151.0)),
            ("init_connect", "", FactValue::Text(String::new())),
            ("hostname", "42", FactValue::Text("42".to_owned())),
            ("version", "10.11", FactValue::Text("10.11".to_owned())),
            ("log_output", "FILE", FactValue::Text("FILE".to_owned())),
        ] {
            assert_eq!(setting(&variable(name, value)).expect("a fact").value, expected, "{name}");
        }
    }

    #[test]
    fn what_is_not_shown_is_a_gap() {
        let (facts, gaps) = settings(&[variable("max_connections", "10"), variable("general_log", "OFF")]);
        assert_eq!(facts.len(), 2);
        let missing: Vec<&str> = gaps.iter().map(|gap| gap.what.as_str()).collect();
        assert_eq!(missing, ["init_connect", "performance_schema"]);
        assert_eq!(is_on(&facts, "general_log"), Some(false));
        assert_eq!(is_on(&facts, "performance_schema"), None);
    }

    #[test]
    fn threads_and_hosts() {
        let rows = [variable("Threads_created", "7"), variable("Connections", "4000"), variable("Threads_cached", "2")];
        let names: Vec<(String, FactValue)> =
            thread_counters(&rows).into_iter().map(|fact| (fact.name, fact.value)).collect();
        let number = FactValue::Number;
        let expected = [("threads_created", 7.0), ("threads_cached", 2.0), ("connections_total", 4000.0)];
        assert_eq!(names, expected.map(|(name, n)| (name.to_owned(), number(n))));
        let row = row(&[("hosts", "3"), ("blocked", "0"), ("worst_errors", "12"), ("name_errors", "1")]);
        let facts = host_cache(&row);
        assert_eq!(facts[2].name, "host_cache_worst_errors");
        assert_eq!(facts[2].value, number(12.0));
    }

    #[test]
    fn plugins_by_kind() {
        let rows = [
            row(&[("name", "server_audit"), ("type", "AUDIT")]),
            row(&[("name", "ed25519"), ("type", "AUTHENTICATION")]),
            row(&[("name", "unix_socket"), ("type", "AUTHENTICATION")]),
        ];
        let facts = plugins(&rows);
        assert_eq!(facts[0].value, FactValue::Text("ed25519, unix_socket".to_owned()));
        assert_eq!(facts[1].value, FactValue::Text("server_audit".to_owned()));
    }
}
