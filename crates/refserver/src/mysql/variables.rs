//! System variables: what `show variables`, `select @@…` and `set` speak of.
//!
//! A newcomer would store every variable in every session. A session stores only what its client has changed.

use super::reply::SqlError;
use super::sql::Scope;
use super::value::{Type, Value};
use super::{Shared, VERSION};

/// Variables a session may change at most, and the length of a value.
const MOST_CHANGED: usize = 100;
const LONGEST_VALUE: usize = 4096;

/// How a variable's value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `ON` and `OFF`; 1 and 0 in a select.
    Switch,
    Number,
    Text,
}

/// Who may change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Every session for itself.
    Session,
    /// Nobody.
    Fixed,
}

use Access::{Fixed, Session};
use Kind::{Number, Switch, Text};

/// What drivers, tools and peaje ask for. Values of [`own`] differ between servers.
const KNOWN: &[(&str, &str, Kind, Access)] = &[
    ("auto_increment_increment", "1", Number, Session),
    ("auto_increment_offset", "1", Number, Session),
    ("autocommit", "ON", Switch, Session),
    ("back_log", "4096", Number, Fixed),
    ("big_tables", "OFF", Switch, Session),
    ("character_set_client", "utf8mb4", Text, Session),
    ("character_set_connection", "utf8mb4", Text, Session),
    ("character_set_database", "utf8mb4", Text, Session),
    ("character_set_results", "utf8mb4", Text, Session),
    ("character_set_server", "utf8mb4", Text, Session),
    ("character_set_system", "utf8mb3", Text, Fixed),
    ("collation_connection", "utf8mb4_general_ci", Text, Session),
    ("collation_database", "utf8mb4_general_ci", Text, Session),
    ("collation_server", "utf8mb4_general_ci", Text, Session),
    ("connect_timeout", "60", Number, Fixed),
    ("datadir", "", Text, Fixed),
    ("default_storage_engine", "NONE", Text, Session),
    ("event_scheduler", "OFF", Text, Fixed),
    ("foreign_key_checks", "ON", Switch, Session),
    ("general_log", "OFF", Switch, Fixed),
    ("have_ssl", "", Text, Fixed),
    ("host_cache_size", "0", Number, Fixed),
    ("hostname", "reference-server", Text, Fixed),
    ("init_connect", "", Text, Fixed),
    ("innodb_lock_wait_timeout", "50", Number, Session),
    ("interactive_timeout", "28800", Number, Session),
    ("lc_messages", "en_US", Text, Session),
    ("license", "MIT OR Apache-2.0", Text, Fixed),
    ("lock_wait_timeout", "31536000", Number, Session),
    ("log_error_verbosity", "1", Number, Fixed),
    ("log_output", "NONE", Text, Fixed),
    ("lower_case_table_names", "0", Number, Fixed),
    ("max_allowed_packet", "", Number, Session),
    ("max_connect_errors", "18446744073709551615", Text, Fixed),
    ("max_connections", "", Number, Fixed),
    ("max_execution_time", "0", Number, Session),
    ("max_statement_time", "0", Number, Session),
    ("max_user_connections", "0", Number, Session),
    ("net_buffer_length", "16384", Number, Session),
    ("net_read_timeout", "30", Number, Session),
    ("net_write_timeout", "60", Number, Session),
    ("peaje_reference_server", "ON", Switch, Fixed),
    ("performance_schema", "ON", Switch, Fixed),
    ("pid_file", "", Text, Fixed),
    ("port", "", Number, Fixed),
    ("protocol_version", "10", Number, Fixed),
    ("query_cache_size", "0", Number, Fixed),
    ("query_cache_type", "OFF", Text, Session),
    ("read_only", "OFF", Switch, Fixed),
    ("require_secure_transport", "OFF", Switch, Fixed),
    ("server_id", "1", Number, Fixed),
    ("session_track_gtids", "OFF", Text, Session),
    ("session_track_schema", "OFF", Switch, Session),
    ("session_track_state_change", "OFF", Switch, Session),
    ("session_track_transaction_info", "OFF", Text, Session),
    ("skip_name_resolve", "ON", Switch, Fixed),
    ("socket", "", Text, Fixed),
    ("sql_auto_is_null", "OFF", Switch, Session),
    ("sql_log_bin", "OFF", Switch, Session),
    ("sql_mode", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION", Text, Session),
    ("sql_notes", "ON", Switch, Session),
    ("sql_quote_show_create", "ON", Switch, Session),
    ("sql_safe_updates", "OFF", Switch, Session),
    ("sql_select_limit", "18446744073709551615", Text, Session),
    ("sql_warnings", "OFF", Switch, Session),
    ("super_read_only", "OFF", Switch, Fixed),
    ("system_time_zone", "UTC", Text, Fixed),
    ("thread_cache_size", "0", Number, Fixed),
    ("thread_handling", "reference-server", Text, Fixed),
    ("time_zone", "SYSTEM", Text, Session),
    ("tls_version", "", Text, Fixed),
    ("transaction_isolation", "REPEATABLE-READ", Text, Session),
    ("transaction_read_only", "OFF", Switch, Session),
    ("tx_isolation", "REPEATABLE-READ", Text, Session),
    ("tx_read_only", "OFF", Switch, Session),
    ("unique_checks", "ON", Switch, Session),
    ("version", VERSION, Text, Fixed),
    ("version_comment", "peaje reference server: not a database", Text, Fixed),
    ("version_compile_machine", "", Text, Fixed),
    ("version_compile_os", "", Text, Fixed),
    ("wait_timeout", "28800", Number, Session),
];

/// Values that differ between servers.
fn own(name: &str, shared: &Shared) -> Option<String> {
    Some(match name {
        "have_ssl" => if shared.tls.is_some() { "YES" } else { "DISABLED" }.to_owned(),
        "max_allowed_packet" => super::session::LONGEST_COMMAND.to_string(),
        "max_connections" => shared.session_limit.to_string(),
        "port" => shared.port.to_string(),
        "tls_version" if shared.tls.is_some() => "TLSv1.2,TLSv1.3".to_owned(),
        "version_compile_machine" => std::env::consts::ARCH.to_owned(),
        "version_compile_os" => std::env::consts::OS.to_owned(),
        _ => return None,
    })
}

fn find(name: &str) -> Option<&'static (&'static str, &'static str, Kind, Access)> {
    KNOWN.binary_search_by(|(known, ..)| (*known).cmp(name)).ok().map(|n| &KNOWN[n])
}

fn unknown(name: &str) -> SqlError {
    SqlError::new(1193, "HY000", format!("Unknown system variable '{name}'"))
}

/// What the client of a session has changed: system variables by their names, its own with `@` before them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    changed: Vec<(String, Value)>,
}

impl Variables {
    fn changed(&self, name: &str) -> Option<&Value> {
        self.changed.iter().find(|(changed, _)| changed == name).map(|(_, value)| value)
    }

    /// The value as it is shown: text, `ON`, `OFF`.
    fn shown(&self, scope: Scope, name: &str, shared: &Shared) -> Result<Value, SqlError> {
        let (known, default, ..) = find(name).ok_or_else(|| unknown(name))?;
        let changed = self.changed(known).filter(|_| scope == Scope::Session).cloned();
        Ok(changed.unwrap_or_else(|| Value::Text(own(known, shared).unwrap_or_else(|| (*default).to_owned()))))
    }

    /// The value as a select gives it: numbers as numbers.
    pub(crate) fn get(&self, scope: Scope, name: &str, shared: &Shared) -> Result<Value, SqlError> {
        let value = self.shown(scope, name, shared)?;
        let Some(text) = value.show() else { return Ok(Value::Null) };
        Ok(match find(name).map_or(Text, |(.., kind, _)| *kind) {
            Switch => Value::Int(i64::from(text == "ON")),
            Number => text.parse().map_or_else(|_| value.clone(), Value::Int),
            Text => value,
        })
    }

    /// Type of the value that a select gives.
    pub(crate) fn kind(name: &str) -> Type {
        match find(name) {
            Some((_, _, Switch | Number, _)) => Type::Int,
            _ => Type::Text,
        }
    }

    /// A variable of the client's own.
    pub(crate) fn user(&self, name: &str) -> Value {
        self.changed(&format!("@{name}")).cloned().unwrap_or(Value::Null)
    }

    pub(crate) fn set_user(&mut self, name: &str, value: Value) -> Result<(), SqlError> {
        self.store(format!("@{name}"), Some(value))
    }

    /// Changes a system variable of the session; `None` = its default.
    pub(crate) fn set(&mut self, name: &str, value: Option<Value>) -> Result<(), SqlError> {
        let (known, _, kind, access) = find(name).ok_or_else(|| unknown(name))?;
        if *access == Fixed {
            return Err(SqlError::new(1238, "HY000", format!("Variable '{known}' is a read only variable")));
        }
        let value = match value {
            Some(value) if *kind == Switch => Some(switch(known, &value)?),
            value => value,
        };
        self.store((*known).to_owned(), value)
    }

    fn store(&mut self, name: String, value: Option<Value>) -> Result<(), SqlError> {
        self.changed.retain(|(changed, _)| *changed != name);
        let Some(value) = value else { return Ok(()) };
        if self.changed.len() >= MOST_CHANGED || value.show().is_some_and(|text| text.len() > LONGEST_VALUE) {
            let message = "the reference server keeps 100 variables of 4096 bytes at most";
            return Err(SqlError::new(1041, "HY000", message));
        }
        self.changed.push((name, value));
        Ok(())
    }

    /// Whether statements are committed one by one.
    pub(crate) fn autocommit(&self) -> bool {
        self.changed("autocommit").is_none_or(|value| *value == Value::text("ON"))
    }

    /// All variables with their values as they are shown.
    pub(crate) fn all(&self, scope: Scope, shared: &Shared) -> Vec<(&'static str, Value)> {
        KNOWN.iter().filter_map(|(name, ..)| Some((*name, self.shown(scope, name, shared).ok()?))).collect()
    }
}

fn switch(name: &str, value: &Value) -> Result<Value, SqlError> {
    let text = value.show().unwrap_or_default();
    match text.to_lowercase().as_str() {
        "1" | "on" | "true" => Ok(Value::text("ON")),
        "0" | "off" | "false" => Ok(Value::text("OFF")),
        _ => {
            let message = format!("Variable '{name}' can't be set to the value of '{text}'");
            Err(SqlError::new(1231, "42000", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KNOWN.is_sorted_by_key(|(name, ..)| *name));
    }

    #[test]
    fn switches_and_defaults() {
        let mut variables = Variables::default();
        assert!(variables.autocommit());
        variables.set("autocommit", Some(Value::Int(0))).unwrap();
        assert!(!variables.autocommit());
        variables.set("autocommit", None).unwrap();
        assert!(variables.autocommit());
        assert_eq!(variables.set("autocommit", Some(Value::text("maybe"))).unwrap_err().code, 1231);
        assert_eq!(variables.set("version", Some(Value::Int(0))).unwrap_err().code, 1238);
        assert_eq!(variables.set("nope", None).unwrap_err().code, 1193);
    }

    #[test]
    fn memory_is_bounded() {
        let mut variables = Variables::default();
        let errors = (0..200).filter(|n| variables.set_user(&n.to_string(), Value::Int(1)).is_err()).count();
        assert_eq!(errors, 100);
        assert!(variables.set_user("1", Value::text("x".repeat(5000))).is_err());
    }
}
