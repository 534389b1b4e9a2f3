//! One login: negotiation, LOGIN7, a place, credentials, and everything a client is told before its first request.

use std::sync::atomic::Ordering::Relaxed;

use peaje_sqlserver::protocol::login7::{Feature, INTEGRATED_SECURITY, Login7, feature};
use peaje_sqlserver::protocol::packet::{DEFAULT_PACKET_SIZE, Framing, MAX_PACKET_SIZE, MIN_PACKET_SIZE, PacketKind};
use peaje_sqlserver::protocol::token::{Done, DoneKind, EnvChange, LoginAck, done, write};
use peaje_sqlserver::protocol::types::LATIN1;
use peaje_sqlserver::protocol::{TDS_7_4, TDS_8_0};

use crate::connection::Connection;
use crate::end::End;
use crate::options::MISSING_DATABASE;
use crate::place;
use crate::server::Shared;
use crate::steps::{after, before};
use crate::{Auth, RefuseHow, Step};

use super::inbox::Inbox;
use super::message::{SqlError, notice};
use super::negotiate::negotiate;
use super::session::{Identity, Session};
use super::{Prepared, VERSION};

/// Oldest version of the protocol that counts rows as today.
const TDS_7_2: u32 = 0x7200_0000;
const LANGUAGE: &str = "us_english";
/// Position of the status in a packet's header, and its bit "end of message".
const STATUS: usize = 1;
const END_OF_MESSAGE: u8 = 0x01;

/// Logs a client in. What it is told last is still in the output, and leaves with the first wait.
pub(super) async fn log_in<'a>(
    connection: &mut Connection,
    shared: &'a Shared<Prepared>,
    number: u64,
) -> Result<Session<'a>, End> {
    after(Step::Connect, connection, shared, number).await?;
    let mut inbox = Inbox::of_stranger();
    let negotiated = negotiate(connection, &mut inbox, shared, number).await?;
    let message = inbox.next(connection).await?;
    if shared.options.faults.resets(number) {
        return Err(End::Reset);
    }
    if message.kind != PacketKind::Login7 {
        return Err(End::Silent);
    }
    if negotiated.login_only {
        connection.end_tls().await?;
    }
    let login = Login7::decode(&message.payload)
        .map_err(|error| SqlError::end(&[SqlError::broken(&error.to_string())], connection))?;
    let place = match shared.options.faults.refuses(number) {
        Some(RefuseHow::Close) => return Err(End::Silent),
        Some(RefuseHow::ServerFull) => None,
        None => place::take(shared, connection),
    };
    let Some(place) = place else {
        return Err(SqlError::end(&[SqlError::full(shared.session_limit)], connection));
    };
    before(Step::Authenticate, shared).await;
    check(&login, shared).map_err(|errors| SqlError::end(&errors, connection))?;
    let identity = Identity::new(login, number);
    welcome(connection, shared, &identity, number).await?;
    let session = Session::new(shared, identity, place, connection);
    // Counted before the client can know: its count is never ahead of the server's.
    shared.counters.logins.fetch_add(1, Relaxed);
    connection.login_is_over()?;
    Ok(session)
}

/// Whether the login may come in, and to the database that it wants.
fn check(login: &Login7, shared: &Shared<Prepared>) -> Result<(), Vec<SqlError>> {
    if login.tds_version < TDS_7_2 && login.tds_version != TDS_8_0 {
        return Err(vec![SqlError::old_protocol()]);
    }
    if login.option_flags_2 & INTEGRATED_SECURITY != 0 {
        return Err(vec![SqlError::no_integrated_security()]);
    }
    if !is_right(login, &shared.options.auth) {
        return Err(vec![SqlError::login_failed(&login.user)]);
    }
    if !has_database(&login.database) {
        return Err(vec![SqlError::no_database_at_login(&login.database), SqlError::login_failed(&login.user)]);
    }
    Ok(())
}

/// An access token is right when it is the password.
fn is_right(login: &Login7, auth: &Auth) -> bool {
    let Auth::Password { user, password } = auth else { return *auth == Auth::Trust };
    let token = login.features.iter().find_map(|f| match f {
        Feature::AccessToken { token, .. } => Some(token),
        _ => None,
    });
    match token {
        Some(token) => token == password,
        // Names compare as the usual collation does.
        None => login.user.to_lowercase() == user.to_lowercase() && login.password == *password,
    }
}

/// Whether a database exists; the empty name is the login's own.
pub(super) fn has_database(name: &str) -> bool {
    !name.to_lowercase().starts_with(MISSING_DATABASE)
}

/// Everything from "accepted" to "ready for a request": one message, in two parts if there is a pause between them.
async fn welcome(
    connection: &mut Connection,
    shared: &Shared<Prepared>,
    identity: &Identity,
    number: u64,
) -> Result<(), End> {
    let framing = Framing::new(PacketKind::Response).spid(identity.spid);
    let mut tokens = Vec::with_capacity(512);
    accepted(&mut tokens, identity);
    let apart =
        !shared.options.delays.session.is_zero() || shared.options.faults.drops_after(Step::Authenticate, number);
    if apart {
        let start = connection.output.len();
        framing.write(&mut connection.output, &tokens);
        connection.output[start + STATUS] &= !END_OF_MESSAGE;
        tokens.clear();
        connection.flush().await?;
        after(Step::Authenticate, connection, shared, number).await?;
        before(Step::Session, shared).await;
    }
    ready(&mut tokens, identity, shared);
    framing.write(&mut connection.output, &tokens);
    after(Step::Session, connection, shared, number).await
}

/// The first part, in the order of the real server: settings of the session, then the word that the login is accepted.
fn accepted(out: &mut Vec<u8>, identity: &Identity) {
    let database = &identity.database;
    write::env_change(out, &EnvChange::Database { new: database.clone(), old: "master".to_owned() });
    notice(out, 5701, 2, format!("Changed database context to '{database}'."));
    write::env_change(out, &EnvChange::Collation(LATIN1));
    write::env_change(out, &EnvChange::Language { new: LANGUAGE.to_owned(), old: String::new() });
    notice(out, 5703, 1, format!("Changed language setting to {LANGUAGE}."));
    let ack = LoginAck {
        interface: 1,
        // Some clients that begin with TLS still speak 7.4 within it.
        tds_version: if identity.tds_version == TDS_8_0 { TDS_8_0 } else { identity.tds_version.min(TDS_7_4) },
        program: "Microsoft SQL Server".to_owned(),
        version: VERSION,
    };
    write::login_ack(out, &ack);
}

fn ready(out: &mut Vec<u8>, identity: &Identity, shared: &Shared<Prepared>) {
    let (new, old) = (identity.packet_size, DEFAULT_PACKET_SIZE);
    write::env_change(out, &EnvChange::PacketSize { new, old });
    let acknowledged = acknowledged(identity);
    if !acknowledged.is_empty() {
        write::feature_ext_ack(out, &acknowledged);
    }
    if let Some((server, port)) = &shared.options.sql_server.route_to {
        write::env_change(out, &EnvChange::Routing { server: server.clone(), port: *port });
    }
    write::done(out, &Done { kind: DoneKind::Statement, status: done::FINAL, command: 0, rows: 0 });
}

/// Features that were asked for and are there.
fn acknowledged(identity: &Identity) -> Vec<(u8, &[u8])> {
    identity
        .features
        .iter()
        .filter_map(|asked| match asked {
            Feature::Utf8Support => Some((feature::UTF8_SUPPORT, &[1][..])),
            Feature::AccessToken { nonce, .. } => {
                Some((feature::FED_AUTH, nonce.as_ref().map_or(&[][..], |nonce| &nonce[..])))
            }
            Feature::Other { .. } => None,
        })
        .collect()
}

/// The packet size that a client gets: what it asks for, within what there is; 0 leaves it to the server.
pub(super) fn packet_size(asked: u32) -> usize {
    match asked as usize {
        0 => DEFAULT_PACKET_SIZE,
        size => size.clamp(MIN_PACKET_SIZE, MAX_PACKET_SIZE),
    }
}

#[cfg(test)]
mod tests {
    use peaje_model::Secret;

    use super::*;

    #[test]
    fn credentials() {
        let auth = Auth::Password { user: "sa".into(), password: Secret::new("Pencil") };
        let with = |user: &str, password: &str| Login7 {
            user: user.to_owned(),
            password: Secret::new(password),
            ..Login7::default()
        };
        for (user, password, expected) in
            [("sa", "Pencil", true), ("SA", "Pencil", true), ("sa", "pencil", false), ("bo", "Pencil", false)]
        {
            assert_eq!(is_right(&with(user, password), &auth), expected, "{user} {password}");
            assert!(is_right(&with(user, password), &Auth::Trust));
        }
        for (token, expected) in [("Pencil", true), ("other", false)] {
            let token = Feature::AccessToken { echo: false, token: Secret::new(token), nonce: None };
            let login = Login7 { features: vec![token], ..with("sa", "Pencil") };
            assert_eq!(is_right(&login, &auth), expected, "a token counts, not the password beside it");
        }
    }

    #[test]
    fn packet_sizes() {
        for (asked, got) in [(0, 4096), (100, 512), (4096, 4096), (16_384, 16_384), (1_000_000, 32_767)] {
            assert_eq!(packet_size(asked), got);
        }
    }
}
