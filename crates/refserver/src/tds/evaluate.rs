//! Values of select items: constants, parameters, and the functions that drivers and people ask for.

use std::time::{SystemTime, UNIX_EPOCH};

use peaje_sqlserver::protocol::types::{TypeInfo, Value, id};

use super::message::SqlError;
use super::session::Identity;
use super::sql::Expression;
use super::{PRODUCT_VERSION, SERVER_NAME, banner};

/// A parameter's name, type and value.
pub(super) type Variable = (String, TypeInfo, Value);

/// What values may depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) identity: &'a Identity,
    pub(super) database: &'a str,
    pub(super) client: std::net::SocketAddr,
    /// How many times a transaction was begun.
    pub(super) transactions: u32,
    pub(super) session_limit: u64,
    /// Connections accepted so far.
    pub(super) connections: u64,
    pub(super) variables: &'a [Variable],
}

/// Type and value of an expression.
pub(super) fn evaluate(expression: &Expression, context: Context<'_>) -> Result<(TypeInfo, Value), SqlError> {
    match expression {
        Expression::Null => Ok((TypeInfo::int(), Value::Null)),
        Expression::Int(n) => Ok(integer(*n)),
        Expression::Text(text) => Ok(text_of(text.clone())),
        Expression::Variable(name) => variable(name, context.variables),
        Expression::Cast(inner, ty) => {
            let (_, value) = evaluate(inner, context)?;
            Ok((*ty, cast(value, ty)?))
        }
        Expression::Function(name, arguments) => function(name, arguments, context),
    }
}

/// A constant of the type that holds it.
fn integer(n: i64) -> (TypeInfo, Value) {
    let fixed = TypeInfo { id: id::INT4, size: 4, ..TypeInfo::int() };
    (if i32::try_from(n).is_ok() { fixed } else { TypeInfo::big_int() }, Value::Int(n))
}

fn text_of(text: String) -> (TypeInfo, Value) {
    let units = text.encode_utf16().count().max(1);
    (TypeInfo::nvarchar(u32::try_from(units).unwrap_or(u32::MAX)), Value::Text(text))
}

fn variable(name: &str, variables: &[Variable]) -> Result<(TypeInfo, Value), SqlError> {
    let found = variables.iter().find(|(other, ..)| other.eq_ignore_ascii_case(name));
    let (_, ty, value) = found.ok_or_else(|| SqlError::undeclared(name))?;
    let returned = match (ty.id, value) {
        (id::NULL, _) => TypeInfo::nvarchar(1),
        // Texts of old and texts in a code page come back as texts of today.
        (id::NTEXT | id::TEXT | id::BIGVARCHAR | id::BIGCHAR | id::VARCHAR | id::CHAR, _) => text_type(value),
        (id::INTN | id::BITN | id::NVARCHAR | id::BIGVARBINARY | id::DATETIMEN | id::GUID, _) => *ty,
        (id::INT1 | id::INT2 | id::INT4 | id::INT8, _) => TypeInfo { id: id::INTN, ..*ty },
        (id::FLTN, _) if ty.size == 8 => *ty,
        (id::DATETIME2N, _) if ty.scale == 7 => *ty,
        _ => return Err(SqlError::unknown_type()),
    };
    Ok((returned, value.clone()))
}

fn text_type(value: &Value) -> TypeInfo {
    match value {
        Value::Text(text) => text_of(text.clone()).0,
        _ => TypeInfo::nvarchar(1),
    }
}

fn cast(value: Value, ty: &TypeInfo) -> Result<Value, SqlError> {
    let failed = || SqlError::new(245, 16, 1, "Conversion failed when converting the value.");
    Ok(match (ty.id, value) {
        (_, Value::Null) => Value::Null,
        (id::INTN, value) => {
            let number = match &value {
                Value::Text(text) => text.trim().parse().ok(),
                other => other.as_i64(),
            };
            let n = number.ok_or_else(failed)?;
            let (least, most) = match ty.size {
                1 => (0, 255),
                2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
                4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
                _ => (i64::MIN, i64::MAX),
            };
            if !(least..=most).contains(&n) {
                return Err(SqlError::new(
                    8115,
                    16,
                    2,
                    "Arithmetic overflow error converting expression to data type.",
                ));
            }
            Value::Int(n)
        }
        (id::BITN, value) => Value::Bit(value.as_i64().ok_or_else(failed)? != 0),
        (id::FLTN, Value::Int(n)) => Value::Float(n as f64),
        (id::NVARCHAR, Value::Int(n)) => Value::Text(n.to_string()),
        (id::NVARCHAR, value @ Value::Text(_))
        | (id::FLTN, value @ Value::Float(_))
        | (id::BIGVARBINARY, value @ Value::Binary(_))
        | (id::DATETIMEN | id::DATETIME2N, value @ Value::DateTime(_)) => value,
        _ => return Err(SqlError::unknown_type()),
    })
}

fn function(name: &str, arguments: &[Expression], context: Context<'_>) -> Result<(TypeInfo, Value), SqlError> {
    let argument = match arguments {
        [] => None,
        [Expression::Text(text)] => Some(text.to_ascii_lowercase()),
        _ => return Err(SqlError::unknown()),
    };
    let text = |text: &str| Ok(text_of(text.to_owned()));
    let int = |n: u64| Ok((TypeInfo::int(), Value::Int(i64::try_from(n).unwrap_or(i64::MAX).min(i32::MAX.into()))));
    match (name, argument.as_deref()) {
        ("@@version", None) => text(&banner()),
        ("@@servername", None) => text(SERVER_NAME),
        ("@@servicename", None) => text("MSSQLSERVER"),
        ("@@language", None) => text("us_english"),
        ("@@spid", None) => Ok((TypeInfo::small_int(), Value::Int(context.identity.spid.cast_signed().into()))),
        ("@@trancount", None) => int(context.transactions.into()),
        ("@@max_connections", None) => int(context.session_limit),
        ("@@connections", None) => int(context.connections),
        ("@@microsoftversion", None) => int(0x1000_03e8),
        ("@@rowcount" | "@@error", None) => int(0),
        ("db_name", None) => text(context.database),
        ("suser_sname" | "suser_name" | "system_user" | "original_login", None) => text(&context.identity.user),
        ("user_name" | "user" | "current_user" | "session_user", None) => text("dbo"),
        ("host_name", None) => text(&context.identity.host),
        ("app_name", None) => text(&context.identity.program),
        ("getdate" | "getutcdate" | "current_timestamp", None) => Ok((TypeInfo::datetime(), now())),
        ("sysdatetime" | "sysutcdatetime", None) => Ok((TypeInfo::datetime2(), now())),
        ("serverproperty", Some(property)) => Ok(server_property(property)),
        ("connectionproperty", Some(property)) => Ok(connection_property(property, context)),
        _ => Err(SqlError::unknown()),
    }
}

/// The server's clock is in UTC.
fn now() -> Value {
    moment(SystemTime::now())
}

pub(super) fn moment(time: SystemTime) -> Value {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Value::DateTime(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// The edition: what a person sees who asks for it.
pub(super) const EDITION: &str = "peaje reference server (no database)";

fn server_property(name: &str) -> (TypeInfo, Value) {
    match name {
        "productversion" => text_of(PRODUCT_VERSION.to_owned()),
        "productlevel" => text_of("RTM".to_owned()),
        "edition" => text_of(EDITION.to_owned()),
        "engineedition" => integer(3),
        "servername" | "machinename" => text_of(SERVER_NAME.to_owned()),
        "isclustered" | "ishadrenabled" | "isintegratedsecurityonly" => integer(0),
        _ => (TypeInfo::nvarchar(1), Value::Null),
    }
}

fn connection_property(name: &str, context: Context<'_>) -> (TypeInfo, Value) {
    match name {
        "net_transport" | "physical_net_transport" => text_of("TCP".to_owned()),
        "protocol_type" => text_of("TSQL".to_owned()),
        "auth_scheme" => text_of("SQL".to_owned()),
        "client_net_address" => text_of(context.client.ip().to_string()),
        _ => (TypeInfo::nvarchar(1), Value::Null),
    }
}
