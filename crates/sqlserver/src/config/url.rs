//! `mssql://`, `sqlserver://` and `jdbc:sqlserver://`.
//!
//! A newcomer who knows the Go driver would expect the path of `sqlserver://` to be an instance. It is the database
//! here, as in every other URL; an instance is written `host\instance` or `?instance=`.

use peaje_engine::{Plus, Undecodable, Zero, percent_decode};

use super::key_value::{Family, Setting, Settings, parse_into};
use super::keys::Key;
use super::server_name::ServerName;
use super::{ConfigError, Place};

const JDBC: &str = "jdbc:sqlserver://";
const SCHEMES: [&str; 3] = ["mssql://", "sqlserver://", JDBC];

/// Where the part behind the scheme begins.
pub(super) fn after_scheme(text: &str) -> Option<usize> {
    SCHEMES
        .iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|t| t.eq_ignore_ascii_case(scheme)))
        .map(|s| s.len())
}

/// Reads a URL; `start` = where the part behind the scheme begins.
pub(super) fn parse(text: &str, start: usize) -> Result<Settings, ConfigError> {
    let mut settings = Settings::default();
    let end = text[start..].find(['/', '?', ';']).map_or(text.len(), |at| start + at);
    let is_jdbc = start == JDBC.len() || text[end..].starts_with(';');
    let authority = &text[start..end];
    let host_at = match authority.rfind('@') {
        Some(at) if !is_jdbc => {
            user_info(&mut settings, &text[start..start + at], start)?;
            start + at + 1
        }
        _ => start,
    };
    server(&mut settings, &text[host_at..end], host_at, is_jdbc)?;
    if is_jdbc {
        parse_into(&mut settings, text, end, Family::Jdbc)?;
    } else {
        path_and_query(&mut settings, text, end)?;
    }
    Ok(settings)
}

fn user_info(settings: &mut Settings, text: &str, at: usize) -> Result<(), ConfigError> {
    let (user, password) = text.split_once(':').map_or((text, None), |(u, p)| (u, Some(p)));
    put(settings, Key::User, user, at)?;
    if let Some(password) = password {
        // An empty one is one: `user:@host`.
        let at = at + user.len() + 1;
        let value = decode(password, at)?;
        settings.put(Setting { key: Key::Password, value, place: Place::Text { at: at + 1 } }, Family::Jdbc);
    }
    Ok(())
}

fn server(settings: &mut Settings, text: &str, at: usize, is_jdbc: bool) -> Result<(), ConfigError> {
    if text.is_empty() {
        return Ok(());
    }
    let place = Place::Text { at: at + 1 };
    let decoded = if is_jdbc { text.to_owned() } else { decode(text, at)? };
    let name = ServerName::parse_with_colon(&decoded).map_err(|(problem, next_step)| ConfigError::Syntax {
        place,
        problem,
        next_step,
    })?;
    let mut add = |key, value| settings.put(Setting { key, value, place }, Family::Jdbc);
    if let Some(port) = name.port {
        add(Key::Port, port.to_string());
    }
    if let Some(instance) = name.instance {
        add(Key::Instance, instance);
    }
    add(Key::Server, name.host);
    Ok(())
}

fn path_and_query(settings: &mut Settings, text: &str, end: usize) -> Result<(), ConfigError> {
    let query_at = text[end..].find('?').map_or(text.len(), |at| end + at);
    let path = text[end..query_at].trim_start_matches('/');
    if !path.is_empty() {
        put(settings, Key::Database, path, end + 1)?;
    }
    let mut at = query_at + 1;
    for pair in text.get(at..).unwrap_or_default().split('&') {
        if let Some((key, value)) = pair.split_once('=') {
            settings.note(&decode(key, at)?, decode(value, at)?, at + 1, Family::Jdbc);
        } else if !pair.is_empty() {
            return Err(ConfigError::Syntax {
                place: Place::Text { at: at + 1 },
                problem: "a parameter without `=`",
                next_step: "write ?key=value&key=value",
            });
        }
        at += pair.len() + 1;
    }
    Ok(())
}

fn put(settings: &mut Settings, key: Key, text: &str, at: usize) -> Result<(), ConfigError> {
    let value = decode(text, at)?;
    if !value.is_empty() {
        settings.put(Setting { key, value, place: Place::Text { at: at + 1 } }, Family::Jdbc);
    }
    Ok(())
}

/// Percent-decodes.
fn decode(text: &str, at: usize) -> Result<String, ConfigError> {
    let syntax = |offset: usize| ConfigError::Syntax {
        place: Place::Text { at: at + offset + 1 },
        problem: "a `%` that is not followed by two hexadecimal digits of a UTF-8 text",
        next_step: "write %25 for a percent sign",
    };
    percent_decode(text, Plus::Kept, Zero::Taken).map_err(|error| match error {
        Undecodable::Zero(at) | Undecodable::Digits(at) => syntax(at),
        Undecodable::NotUtf8 => syntax(0),
    })
}
