//! The functions that drivers and people call without a table.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use super::super::reply::SqlError;
use super::super::value::{Type, Value, micros};

/// Longest sleep that `pg_sleep` grants.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

/// A function that takes no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Version,
    CurrentDatabase,
    CurrentUser,
    SessionUser,
    CurrentSchema,
    CurrentSetting,
    SetConfig,
    BackendPid,
    IsInRecovery,
    Now,
    Sleep,
    AdvisoryUnlockAll,
    ClientAddress,
    ClientPort,
    StartTime,
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "version" => Self::Version,
            "current_database" | "current_catalog" => Self::CurrentDatabase,
            "current_user" | "current_role" | "user" => Self::CurrentUser,
            "session_user" => Self::SessionUser,
            "current_schema" => Self::CurrentSchema,
            "current_setting" => Self::CurrentSetting,
            "set_config" => Self::SetConfig,
            "pg_backend_pid" => Self::BackendPid,
            "pg_is_in_recovery" => Self::IsInRecovery,
            "now" | "current_timestamp" | "transaction_timestamp" | "statement_timestamp" | "clock_timestamp" => {
                Self::Now
            }
            "pg_sleep" => Self::Sleep,
            "pg_advisory_unlock_all" => Self::AdvisoryUnlockAll,
            "inet_client_addr" => Self::ClientAddress,
            "inet_client_port" => Self::ClientPort,
            "pg_postmaster_start_time" => Self::StartTime,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::CurrentDatabase => "current_database",
            Self::CurrentUser => "current_user",
            Self::SessionUser => "session_user",
            Self::CurrentSchema => "current_schema",
            Self::CurrentSetting => "current_setting",
            Self::SetConfig => "set_config",
            Self::BackendPid => "pg_backend_pid",
            Self::IsInRecovery => "pg_is_in_recovery",
            Self::Now => "now",
            Self::Sleep => "pg_sleep",
            Self::AdvisoryUnlockAll => "pg_advisory_unlock_all",
            Self::ClientAddress => "inet_client_addr",
            Self::ClientPort => "inet_client_port",
            Self::StartTime => "pg_postmaster_start_time",
        }
    }

    pub(super) fn result(self) -> Type {
        match self {
            // The real one is of type `inet`, which has the same text.
            Self::ClientAddress | Self::Version | Self::CurrentSetting | Self::SetConfig => Type::TEXT,
            Self::CurrentDatabase | Self::CurrentUser | Self::SessionUser | Self::CurrentSchema => Type::NAME,
            Self::BackendPid | Self::ClientPort => Type::INT4,
            Self::IsInRecovery => Type::BOOL,
            Self::Now | Self::StartTime => Type::TIMESTAMPTZ,
            Self::Sleep | Self::AdvisoryUnlockAll => Type::VOID,
        }
    }

    /// Types of the arguments; the last `optional` of them may be left out.
    pub(super) fn arguments(self) -> (&'static [Type], usize) {
        match self {
            Self::CurrentSetting => (&[Type::TEXT, Type::BOOL], 1),
            Self::SetConfig => (&[Type::TEXT, Type::TEXT, Type::BOOL], 0),
            Self::Sleep => (&[Type::FLOAT8], 0),
            _ => (&[], 0),
        }
    }

    /// Names that the standard calls without parentheses.
    pub(super) fn may_stand_alone(name: &str) -> bool {
        matches!(
            name,
            "current_catalog"
                | "current_user"
                | "current_role"
                | "user"
                | "session_user"
                | "current_schema"
                | "current_timestamp"
        )
    }
}

/// What expressions are computed in: a session, and the values bound.
pub(crate) trait Context {
    fn parameter(&self, n: u16) -> Option<&Value>;
    fn version(&self) -> String;
    fn database(&self) -> &str;
    fn user(&self) -> &str;
    fn setting(&self, name: &str) -> Option<String>;
    fn set(&mut self, name: &str, value: &str) -> Result<String, SqlError>;
    fn process_id(&self) -> i32;
    fn client(&self) -> SocketAddr;
    fn server_started(&self) -> SystemTime;
    /// The answer to this statement is held back.
    fn pause(&mut self, time: Duration);
}

/// Calls a function; null in, null out.
pub(super) fn call(function: Function, arguments: &[Value], context: &mut impl Context) -> Result<Value, SqlError> {
    if arguments.contains(&Value::Null) {
        return Ok(Value::Null);
    }
    let text = |n: usize| arguments.get(n).map(Value::to_text).unwrap_or_default();
    Ok(match function {
        Function::Version => Value::Text(context.version()),
        Function::CurrentDatabase => Value::Text(context.database().to_owned()),
        Function::CurrentUser | Function::SessionUser => Value::Text(context.user().to_owned()),
        Function::CurrentSchema => Value::Text("public".to_owned()),
        Function::CurrentSetting => match context.setting(&text(0)) {
            Some(value) => Value::Text(value),
            None if arguments.get(1) == Some(&Value::Bool(true)) => Value::Null,
            None => return Err(no_setting(&text(0))),
        },
        Function::SetConfig => Value::Text(context.set(&text(0), &text(1))?),
        Function::BackendPid => Value::Int(context.process_id().into()),
        Function::IsInRecovery => Value::Bool(false),
        Function::ClientAddress => Value::Text(context.client().ip().to_string()),
        Function::ClientPort => Value::Int(context.client().port().into()),
        Function::Now => Value::Time(micros(SystemTime::now())),
        Function::StartTime => Value::Time(micros(context.server_started())),
        Function::Sleep => {
            let Some(Value::Float(seconds)) = arguments.first() else { return Ok(Value::Null) };
            let time = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(LONGEST_SLEEP);
            context.pause(time.min(LONGEST_SLEEP));
            Value::Text(String::new())
        }
        Function::AdvisoryUnlockAll => Value::Text(String::new()),
    })
}

/// The error for a setting that does not exist.
pub(crate) fn no_setting(name: &str) -> SqlError {
    SqlError::new("42704", format!("unrecognized configuration parameter \"{name}\""))
}
