//! One login: a place, the greeting, TLS, credentials, and the OK after which a client may ask.
//!
//! A newcomer would look for the full server after the password. The real one finds out before it greets: the client
//! gets an error where it expected a greeting.

use std::sync::atomic::Ordering::Relaxed;

use crate::connection::Connection;
use crate::end::End;
use crate::options::is_missing;
use crate::place::{self, Place};
use crate::steps::{after, before, handshake};
use crate::{RefuseHow, Step};

use super::auth::{Offer, Path, Verdict, authenticate, new_scramble};
use super::capabilities::Capabilities;
use super::dialogue::{Dialogue, LONGEST_LOGIN};
use super::handshake::{Answer, Greeting, Login, decode_answer};
use super::reply::{SqlError, ok, status};
use super::session::{Client, Session};
use super::{Shared, VERSION};

/// Logs a client in. The OK is still in the output, and leaves with the first wait.
pub(crate) async fn log_in<'a>(
    connection: &mut Connection,
    shared: &'a Shared,
    number: u64,
) -> Result<Session<'a>, End> {
    after(Step::Connect, connection, shared, number).await?;
    let mut dialogue = Dialogue { connection, sequence: 0 };
    let place = take_place(&mut dialogue, shared, number)?;
    let scramble = new_scramble();
    let login = greet(&mut dialogue, shared, &scramble, number).await?;
    if shared.options.faults.resets(number) {
        return Err(End::Reset);
    }
    check(&mut dialogue, shared, &login, Some(&scramble)).await?;
    after(Step::Authenticate, dialogue.connection, shared, number).await?;
    check_database(&mut dialogue, &login.database)?;
    ok(&mut dialogue.writer(), status::AUTOCOMMIT);
    after(Step::Session, dialogue.connection, shared, number).await?;
    let capabilities = login.capabilities.common(Capabilities::OFFERED);
    let Login { user, database, program, process, .. } = login;
    let client = Client { number, capabilities, user, database, program, process };
    let session = Session::new(shared, client, place, dialogue.connection);
    // Counted before the client can know: its count is never ahead of the server's.
    shared.counters.logins.fetch_add(1, Relaxed);
    dialogue.connection.login_is_over()?;
    Ok(session)
}

fn take_place<'a>(dialogue: &mut Dialogue<'_>, shared: &'a Shared, number: u64) -> Result<Place<'a>, End> {
    let place = match shared.options.faults.refuses(number) {
        Some(RefuseHow::Close) => return Err(End::Silent),
        Some(RefuseHow::ServerFull) => None,
        None => place::take(shared, dialogue.connection),
    };
    let own = &shared.protocol.status;
    let Some(place) = place else {
        own.full.fetch_add(1, Relaxed);
        SqlError::new(1040, "08004", "Too many connections").write_before_login(&mut dialogue.writer());
        return Err(End::Told);
    };
    own.most_sessions.fetch_max(shared.counters.sessions.load(Relaxed), Relaxed);
    Ok(place)
}

/// Greets and reads what the client logs in with, after TLS if it asks for that.
async fn greet(dialogue: &mut Dialogue<'_>, shared: &Shared, scramble: &[u8; 20], number: u64) -> Result<Login, End> {
    before(Step::Negotiate, shared).await;
    let offered = Capabilities::OFFERED;
    let greeting = Greeting {
        version: VERSION,
        thread: thread_id(number),
        scramble,
        capabilities: if shared.tls.is_some() { offered.with(Capabilities::SSL) } else { offered },
        plugin: shared.protocol.account.greeting_plugin().name(),
    };
    dialogue.send(|out| greeting.put(out));
    after(Step::Negotiate, dialogue.connection, shared, number).await?;
    let first = read_answer(dialogue).await.inspect_err(|end| {
        if *end == End::Left {
            shared.protocol.status.before_login.fetch_add(1, Relaxed);
        }
    })?;
    match (first, &shared.tls) {
        (Answer::Login(login), _) => Ok(login),
        (Answer::Tls, None) => Err(dialogue.fatal(&bad_handshake())),
        (Answer::Tls, Some(tls)) => {
            handshake(dialogue.connection, tls.config.clone(), shared, number).await?;
            match read_answer(dialogue).await? {
                Answer::Login(login) => Ok(login),
                Answer::Tls => Err(dialogue.fatal(&bad_handshake())),
            }
        }
    }
}

/// The protocol has 32 bits for it.
pub(super) fn thread_id(number: u64) -> u32 {
    number as u32
}

async fn read_answer(dialogue: &mut Dialogue<'_>) -> Result<Answer, End> {
    let body = dialogue.receive(LONGEST_LOGIN).await?;
    decode_answer(&body).map_err(|_| dialogue.fatal(&bad_handshake()))
}

fn bad_handshake() -> SqlError {
    SqlError::new(1043, "08S01", "Bad handshake")
}

/// Checks the credentials of a login or of a change of user.
pub(super) async fn check(
    dialogue: &mut Dialogue<'_>,
    shared: &Shared,
    login: &Login,
    scramble: Option<&[u8; 20]>,
) -> Result<(), End> {
    let verdict = authenticate(dialogue, &shared.protocol.account, Offer { login, scramble }).await?;
    before(Step::Authenticate, shared).await;
    let counter = match verdict {
        Verdict { accepted: false, with_password, .. } => {
            shared.protocol.status.denied.fetch_add(1, Relaxed);
            return Err(denied(dialogue, &login.user, with_password));
        }
        Verdict { path: Path::Fast, .. } => &shared.counters.auth_cached,
        Verdict { path: Path::Full, .. } => &shared.counters.auth_full,
        Verdict { path: Path::Only, .. } => return Ok(()),
    };
    counter.fetch_add(1, Relaxed);
    Ok(())
}

fn denied(dialogue: &mut Dialogue<'_>, user: &str, with_password: bool) -> End {
    let (host, given) = (dialogue.connection.client().ip(), if with_password { "YES" } else { "NO" });
    let message = format!("Access denied for user '{user}'@'{host}' (using password: {given})");
    dialogue.fatal(&SqlError::new(1045, "28000", message))
}

/// Every database is there, those aside that are missing by their name.
pub(super) fn check_database(dialogue: &mut Dialogue<'_>, name: &str) -> Result<(), End> {
    find_database(name).map_err(|error| dialogue.fatal(&error))
}

pub(super) fn find_database(name: &str) -> Result<(), SqlError> {
    if is_missing(name) {
        return Err(SqlError::new(1049, "42000", format!("Unknown database '{name}'")));
    }
    Ok(())
}
