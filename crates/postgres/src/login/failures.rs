//! From what the server said to an outcome with a next step.

use peaje_engine::Failure;
use peaje_model::{OutcomeKind, Phase};

use super::prepared::Credentials;
use crate::protocol::DecodeError;
use crate::protocol::backend::ServerError;
use crate::protocol::scram::ScramError;

/// Longest text of a server that is passed on.
const LONGEST_TEXT: usize = 1000;

/// SQLSTATE: no session left.
const TOO_MANY_CONNECTIONS: &str = "53300";
/// SQLSTATE: the server starts, stops or recovers.
pub(super) const CANNOT_CONNECT_NOW: &str = "57P03";
/// SQLSTATE: no line of pg_hba.conf, or one that rejects; also an unknown role.
pub(super) const INVALID_AUTHORIZATION: &str = "28000";

/// SQLSTATE: a wrong password.
const INVALID_PASSWORD: &str = "28P01";

/// What poolers say when they are full; they have no SQLSTATE of their own for it.
const POOLER_FULL: [&str; 4] =
    ["no more connections allowed", "max clients reached", "too many connections", "too many clients"];

/// An error of the server.
pub(super) fn rejected(error: &ServerError, credentials: Option<&Credentials>, phase: Option<Phase>) -> Failure {
    let mut message = printable(&error.message);
    if message.is_empty() {
        "the server gave no reason".clone_into(&mut message);
    }
    if let Some(detail) = &error.detail {
        message = format!("{message} ({})", printable(detail));
    }
    let kind = kind_of(error);
    let failure = Failure::new(kind, message).code(printable(&error.code)).phase(phase);
    let advice = match error.code.as_str() {
        INVALID_PASSWORD => Some(wrong_password(credentials)),
        _ => advice(error, kind).map(str::to_owned),
    };
    match error.hint.as_deref().map(printable).or(advice) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A rejected login can lock an account, so it stops a run: what says nothing of the login must not count as one.
fn kind_of(error: &ServerError) -> OutcomeKind {
    match error.code.as_str() {
        _ if is_full(error) => OutcomeKind::ServerFull,
        CANNOT_CONNECT_NOW => OutcomeKind::Refused,
        // The session was ended by an administrator, a crash of another one, or with its database.
        "57P01" | "57P02" | "57P04" | "57P05" => OutcomeKind::Reset,
        _ => OutcomeKind::Rejected,
    }
}

fn is_full(error: &ServerError) -> bool {
    let by_words = || {
        let message = error.message.to_lowercase();
        matches!(error.code.as_str(), "08P01" | "08004" | "XX000" | "58000")
            && POOLER_FULL.iter().any(|words| message.contains(words))
    };
    error.code == TOO_MANY_CONNECTIONS || by_words()
}

/// Where to look for a wrong password: there may be several, and one was used.
fn wrong_password(credentials: Option<&Credentials>) -> String {
    match credentials.map(|credentials| &credentials.password_origin) {
        Some(Some(origin)) => format!("check {origin}, and the user's name"),
        Some(None) => "check the password in the password file (PGPASSFILE, ~/.pgpass): it was used here".to_owned(),
        None => "check the password, and the user's name".to_owned(),
    }
}

fn advice(error: &ServerError, kind: OutcomeKind) -> Option<&'static str> {
    if kind == OutcomeKind::ServerFull {
        return Some(
            "a limit on sessions is reached (max_connections, or that of the role, the database or the pooler): \
             close sessions, or put a pooler in front",
        );
    }
    Some(match error.code.as_str() {
        INVALID_AUTHORIZATION if error.message.contains("pg_hba.conf") => {
            "look at pg_hba.conf on the server: the first line that fits this address, user, database and encryption \
             decides"
        }
        INVALID_AUTHORIZATION => "check the user's name, that the role may log in, and its line in pg_hba.conf",
        "3D000" => "check the database's name; `psql -l` lists those that exist",
        "42501" => "grant it: GRANT CONNECT ON DATABASE … TO …, or use another role",
        "55000" => "the database does not accept connections (datallowconn)",
        CANNOT_CONNECT_NOW => "the server is starting, stopping or recovering: wait, and look at its log",
        "57P01" | "57P02" => "the server is being stopped, or somebody has ended the session",
        "53000" | "53100" | "53200" | "53400" => "the server is short of memory, disk or another resource: see its log",
        _ => return None,
    })
}

/// The server has closed the connection.
pub(super) fn closed(phase: Option<Phase>) -> Failure {
    let during = phase.map(|p| format!(" during `{p}`")).unwrap_or_default();
    Failure::new(OutcomeKind::Reset, format!("the server closed the connection{during}"))
        .hint("look at the server's log (or that of the pooler or proxy in between)")
        .phase(phase)
}

/// Bytes that are not PostgreSQL's protocol.
pub(super) fn protocol(error: &DecodeError, phase: Option<Phase>) -> Failure {
    not_postgres(error.to_string(), phase)
}

/// Something that PostgreSQL would not say at this place.
pub(super) fn not_postgres(message: impl Into<String>, phase: Option<Phase>) -> Failure {
    Failure::new(OutcomeKind::Protocol, message)
        .hint("check that a PostgreSQL server listens on this port")
        .phase(phase)
}

/// A handshake that failed, with hints in the words of libpq's settings.
pub(crate) fn of_tls(failure: Failure) -> Failure {
    let hint = match failure.code.as_deref() {
        Some("certificate-unknown-issuer") => {
            "give the issuer's certificate with sslrootcert=FILE, or use sslmode=require to skip the check"
        }
        Some("certificate-wrong-host") => {
            "connect by a name that stands in the certificate, or use sslmode=verify-ca to check only the issuer"
        }
        _ => return failure,
    };
    failure.hint(hint)
}

/// A protocol error, with the name of the one who speaks if its first bytes tell.
pub(super) fn named(failure: Failure, bytes: &[u8]) -> Failure {
    match peaje_engine::stranger(bytes) {
        Some(who) if failure.kind == OutcomeKind::Protocol => {
            failure.hint(format!("{who} answers here, not PostgreSQL: check the port"))
        }
        _ => failure,
    }
}

/// A SCRAM exchange that went wrong on our side.
pub(super) fn scram(error: &ScramError) -> Failure {
    let failure = Failure::new(OutcomeKind::Protocol, error.to_string()).code("scram").phase(Some(Phase::Authenticate));
    match error {
        ScramError::ServerSignature | ScramError::Nonce => {
            failure.hint("this may not be the server it claims to be: check what stands between you and it")
        }
        ScramError::TooManyIterations(_) => {
            failure.hint("lower scram_iterations on the server, and set the user's password again")
        }
        _ => failure,
    }
}

/// A server's text, safe for a terminal: control characters could rewrite the screen.
pub(super) fn printable(text: &str) -> String {
    // Characters that turn the direction of text could show a message in another order than it has.
    let turns = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
    let clean = text.trim().chars().map(|c| if c.is_control() || turns(c) { ' ' } else { c });
    clean.take(LONGEST_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str, message: &str) -> ServerError {
        ServerError { code: code.to_owned(), message: message.to_owned(), ..ServerError::default() }
    }

    #[test]
    fn full_servers_and_poolers() {
        let table = [
            ("53300", "sorry, too many clients already", OutcomeKind::ServerFull),
            ("53300", "désolé, trop de clients sont déjà connectés", OutcomeKind::ServerFull),
            ("53300", "too many connections for role \"app\"", OutcomeKind::ServerFull),
            ("08P01", "no more connections allowed (max_client_conn)", OutcomeKind::ServerFull),
            ("XX000", "MaxClientsInSessionMode: max clients reached", OutcomeKind::ServerFull),
            ("08P01", "invalid frontend message type 7", OutcomeKind::Rejected),
            ("57P03", "the database system is starting up", OutcomeKind::Refused),
            ("28P01", "too many connections", OutcomeKind::Rejected),
        ];
        for (code, message, kind) in table {
            let failure = rejected(&error(code, message), None, Some(Phase::Authenticate));
            assert_eq!((failure.kind, failure.code.as_deref()), (kind, Some(code)), "{message}");
            assert_eq!(failure.phase, Some(Phase::Authenticate));
        }
    }

    #[test]
    fn the_servers_hint_wins() {
        let with_hint = ServerError { hint: Some("do that".to_owned()), ..error("28P01", "no") };
        assert_eq!(rejected(&with_hint, None, None).hint.as_deref(), Some("do that"));
        assert!(rejected(&error("28P01", "no"), None, None).hint.is_some_and(|h| h.contains("check the password")));
        assert_eq!(rejected(&error("99999", "no"), None, None).hint, None);
    }

    #[test]
    fn texts_cannot_control_the_terminal() {
        assert_eq!(printable(" a\x1b[2Jb\r\nc\u{9b}d "), "a [2Jb  c d");
        assert_eq!(printable(&"x".repeat(5000)).len(), LONGEST_TEXT);
    }
}
