//! One login: negotiation, a place, credentials, and everything a client is told before its first query.

use std::sync::atomic::Ordering::Relaxed;

use peaje_postgres::protocol::backend::{self, TransactionStatus};

use crate::connection::Connection;
use crate::end::End;
use crate::options::is_missing;
use crate::place;
use crate::seats::Who;
use crate::steps::{after, before};
use crate::{RefuseHow, Step};

use super::Shared;
use super::auth;
use super::end::fatal;
use super::reply::SqlError;
use super::session::{Identity, Session};
use super::settings::{Settings, reported};
use super::startup::{Startup, negotiate};

/// Settings told at login that differ between clients.
pub(crate) const OWN_PARAMETERS: [&str; 2] = ["application_name", "session_authorization"];

/// Newest minor version of the protocol that is spoken.
const NEWEST_MINOR: u16 = 2;

/// Logs a client in. What it is told last is still in the output, and leaves with the first wait.
pub(crate) async fn log_in<'a>(
    connection: &mut Connection,
    shared: &'a Shared,
    number: u64,
) -> Result<Session<'a>, End> {
    after(Step::Connect, connection, shared, number).await?;
    let startup = negotiate(connection, shared, number).await?;
    if shared.options.faults.resets(number) {
        return Err(End::Reset);
    }
    let (identity, settings) = read_parameters(connection, startup, number)?;
    let place = match shared.options.faults.refuses(number) {
        Some(RefuseHow::Close) => return Err(End::Silent),
        Some(RefuseHow::ServerFull) => None,
        None => place::take(shared, connection),
    };
    let Some(place) = place else {
        return Err(fatal(connection, "53300", "sorry, too many clients already"));
    };
    auth::authenticate(connection, shared, &identity.user).await?;
    if is_missing(&identity.database) {
        let message = format!("database \"{}\" does not exist", identity.database);
        return Err(fatal(connection, "3D000", &message));
    }
    after(Step::Authenticate, connection, shared, number).await?;
    if !shared.options.delays.session.is_zero() {
        connection.flush().await?;
        before(Step::Session, shared).await;
    }
    welcome(&mut connection.output, shared, &identity, &settings);
    after(Step::Session, connection, shared, number).await?;
    let encrypted = connection.is_encrypted();
    let who = Who {
        user: identity.user.clone(),
        database: identity.database.clone(),
        program: settings.changed("application_name").unwrap_or_default().to_owned(),
        client: Some(connection.client()),
        encrypted,
        ..Who::default()
    };
    // In the list before it is counted, as in a PostgreSQL.
    let listed = shared.seats.list(connection.seat(), &who);
    // Counted before the client can know: its count is never ahead of the server's.
    shared.counters.logins.fetch_add(1, Relaxed);
    connection.login_is_over()?;
    Ok(Session::new(shared, identity, settings, listed, place, connection))
}

fn read_parameters(connection: &mut Connection, startup: Startup, number: u64) -> Result<(Identity, Settings), End> {
    let mut settings = Settings::default();
    let (mut user, mut database) = (String::new(), String::new());
    let mut unknown: Vec<String> = Vec::new();
    for (name, value) in startup.parameters {
        let result = match name.as_str() {
            "user" => {
                user = value;
                Ok(())
            }
            "database" => {
                database = value;
                Ok(())
            }
            "options" => set_options(&mut settings, &value),
            "replication" if matches!(value.as_str(), "false" | "off" | "no" | "0") => Ok(()),
            "replication" => Err(SqlError::new("0A000", "the reference server does not replicate")),
            name if name.starts_with("_pq_.") => {
                unknown.push(name.to_owned());
                Ok(())
            }
            name => settings.set(name, Some(&value)),
        };
        result.map_err(|e| fatal(connection, e.code, &e.message))?;
    }
    if user.is_empty() {
        return Err(fatal(connection, "28000", "no PostgreSQL user name specified in startup packet"));
    }
    if database.is_empty() {
        database.clone_from(&user);
    }
    if startup.minor > NEWEST_MINOR || !unknown.is_empty() {
        let unknown: Vec<&str> = unknown.iter().map(String::as_str).collect();
        let minor = startup.minor.min(NEWEST_MINOR);
        backend::negotiate_protocol_version(&mut connection.output, minor.into(), &unknown);
    }
    // What is told at login is told below, whether changed or not.
    settings.take_untold();
    let process = connection.process();
    Ok((Identity::new(user, database, startup.minor, number, process), settings))
}

/// `-c name=value` and `--name=value`, separated by blanks; a backslash takes the next character as it is.
fn set_options(settings: &mut Settings, options: &str) -> Result<(), SqlError> {
    let mut words = vec![String::new()];
    let mut chars = options.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => words.last_mut().expect("there is always one").extend(chars.next()),
            c if c.is_whitespace() => words.push(String::new()),
            c => words.last_mut().expect("there is always one").push(c),
        }
    }
    let mut words = words.into_iter().filter(|w| !w.is_empty());
    while let Some(word) = words.next() {
        let assignment = match word.strip_prefix("--") {
            Some(assignment) => Some(assignment.replace('-', "_")),
            None if word == "-c" => words.next(),
            None => word.strip_prefix("-c").map(str::to_owned),
        };
        let pair = assignment.as_deref().and_then(|a| a.split_once('='));
        let (name, value) =
            pair.ok_or_else(|| SqlError::new("42601", format!("invalid command-line argument: {word}")))?;
        settings.set(name, Some(value))?;
    }
    Ok(())
}

/// Everything from "accepted" to "ready for a query".
fn welcome(out: &mut Vec<u8>, shared: &Shared, identity: &Identity, settings: &Settings) {
    let as_prepared = |name, value| settings.changed(name).is_none_or(|changed| changed == value);
    if reported().all(|(name, value)| OWN_PARAMETERS.contains(&name) || as_prepared(name, value)) {
        out.extend_from_slice(&shared.protocol.parameters);
    } else {
        for (name, value) in reported().filter(|(name, _)| !OWN_PARAMETERS.contains(name)) {
            backend::parameter_status(out, name, settings.changed(name).unwrap_or(value));
        }
    }
    let application_name = settings.changed("application_name").unwrap_or_default();
    backend::parameter_status(out, "application_name", application_name);
    backend::parameter_status(out, "session_authorization", &identity.user);
    backend::backend_key_data(out, identity.process_id, identity.key());
    backend::ready_for_query(out, TransactionStatus::Idle);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_startup_message() {
        let mut settings = Settings::default();
        set_options(&mut settings, r"-c a.b=1\ 2  -cstatement_timeout=5s --lock-timeout=7").unwrap();
        assert_eq!(settings.changed("a.b"), Some("1 2"));
        assert_eq!(settings.changed("statement_timeout"), Some("5s"));
        assert_eq!(settings.changed("lock_timeout"), Some("7"));
        for bad in ["-c", "-x", "x=1", "-c a", "--x"] {
            assert!(set_options(&mut Settings::default(), bad).is_err(), "{bad}");
        }
    }
}
