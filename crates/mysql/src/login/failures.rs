//! From what the server said to an outcome with a next step.

use peaje_engine::{Failure, PasswordOrigin};
use peaje_model::{OutcomeKind, Phase};

use crate::protocol::DecodeError;
use crate::protocol::reply::ServerError;

/// Longest text of a server that is passed on.
const LONGEST_TEXT: usize = 1000;

/// An error of the server. Its number is the code; its SQLSTATE stands behind the words.
pub(super) fn rejected(error: &ServerError<'_>, phase: Option<Phase>) -> Failure {
    let mut message = printable(&String::from_utf8_lossy(error.message));
    if message.is_empty() {
        "the server gave no reason".clone_into(&mut message);
    }
    if let Some(sqlstate) = error.sqlstate {
        message = format!("{message} (SQLSTATE {})", printable(&String::from_utf8_lossy(&sqlstate)));
    }
    let failure = Failure::new(kind_of(error.code), message).code(error.code.to_string()).phase(phase);
    match advice(error.code) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// An error in answer to credentials.
pub(super) fn refused(error: &ServerError<'_>, password: &PasswordOrigin, phase: Option<Phase>) -> Failure {
    let failure = rejected(error, phase);
    if error.code != 1045 {
        return failure;
    }
    failure.hint(format!(
        "check {password}, the user's name and the host the account may come from; without TLS, an account or a server \
         that requires TLS refuses in the same words"
    ))
}

/// A rejected login can lock an account, so it stops a run: what says nothing of the login must not count as one.
fn kind_of(code: u16) -> OutcomeKind {
    match code {
        // max_connections, max_user_connections of the server, limits of the account, no thread to be had.
        1040 | 1203 | 1226 | 1135 => OutcomeKind::ServerFull,
        // Shutting down; in offline mode.
        1053 | 3032 => OutcomeKind::Refused,
        // Killed (MariaDB, MySQL), idle for too long.
        1927 | 3169 | 4031 => OutcomeKind::Reset,
        _ => OutcomeKind::Rejected,
    }
}

fn advice(code: u16) -> Option<&'static str> {
    Some(match code {
        1040 => "max_connections is reached: close sessions, raise it, or put a pooler in front",
        1203 | 1226 => {
            "a limit of this account is reached (max_user_connections, or a resource limit): close sessions, or raise it"
        }
        1135 => "the server cannot create a thread: see its limits of processes and memory",
        1044 => "grant it: GRANT … ON database.* TO the account, or leave the database out",
        1045 => {
            "check the user's name, the password and the host the account may come from; without TLS, an account or a \
             server that requires TLS refuses in the same words"
        }
        1698 => "the account is bound to an operating-system user (unix_socket): use the socket as that user",
        1049 => "check the database's name; SHOW DATABASES lists those that exist",
        1129 => "too many interrupted logins came from this host: mysqladmin flush-hosts, or TRUNCATE host_cache",
        1130 => "no account may come from this address: CREATE USER name@'address', and check how the server sees it",
        1524 | 1251 => "the account's authentication plugin is not loaded on the server, or too old for this client",
        1275 => {
            "the account's password is of a version before 4.1, which the server refuses (secure_auth): set it again"
        }
        3159 => "the server takes encrypted connections only: use ssl-mode=REQUIRED",
        1820 | 1862 => "the password has expired: set a new one with ALTER USER",
        3118 | 4151 => "the account is locked: ALTER USER … ACCOUNT UNLOCK",
        1053 | 3032 => "the server is being stopped, or is in offline mode: wait, and look at its log",
        1184 => "the server gave up the session: see its log, and whether init_connect runs without an error",
        1927 | 3169 => "somebody has ended the session (KILL), or the server is being stopped",
        4031 => "the session was idle for longer than wait_timeout",
        _ => return None,
    })
}

/// The server has closed the connection.
pub(super) fn closed(phase: Option<Phase>) -> Failure {
    let during = phase.map(|p| format!(" during `{p}`")).unwrap_or_default();
    Failure::new(OutcomeKind::Reset, format!("the server closed the connection{during}"))
        .hint("look at the server's log (or that of the proxy in between)")
        .phase(phase)
}

/// Bytes that are not MySQL's protocol.
pub(super) fn protocol(error: &DecodeError, phase: Option<Phase>) -> Failure {
    not_mysql(error.to_string(), phase)
}

/// Something that MySQL would not say at this place.
pub(super) fn not_mysql(message: impl Into<String>, phase: Option<Phase>) -> Failure {
    Failure::new(OutcomeKind::Protocol, message)
        .hint("check that a MySQL or MariaDB server listens on this port (33060 is the X protocol)")
        .phase(phase)
}

/// A handshake that failed, with hints in the words of MySQL's settings.
pub(super) fn of_tls(failure: Failure) -> Failure {
    let hint = match failure.code.as_deref() {
        Some("certificate-unknown-issuer") => {
            "give the issuer's certificate with ssl-ca=FILE, or use ssl-mode=REQUIRED to skip the check"
        }
        Some("certificate-wrong-host") => {
            "connect by a name that stands in the certificate, or use ssl-mode=VERIFY_CA to check only the issuer"
        }
        _ => return failure,
    };
    failure.hint(hint)
}

/// A server's text, safe for a terminal: control characters could rewrite the screen.
pub(super) fn printable(text: &str) -> String {
    // Characters that turn the direction of text could show a message in another order than it has.
    let turns = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
    let clean = text.chars().map(|c| if c.is_control() || turns(c) { ' ' } else { c });
    clean.take(LONGEST_TEXT).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: u16, message: &str) -> ServerError<'_> {
        ServerError { code, sqlstate: Some(*b"08004"), message: message.as_bytes() }
    }

    #[test]
    fn numbers_and_kinds() {
        use OutcomeKind as K;
        let table = [
            (1040, K::ServerFull),
            (1203, K::ServerFull),
            (1226, K::ServerFull),
            (1045, K::Rejected),
            (1049, K::Rejected),
            (1044, K::Rejected),
            (1129, K::Rejected),
            (1130, K::Rejected),
            (1698, K::Rejected),
            (1524, K::Rejected),
            (3159, K::Rejected),
            (1053, K::Refused),
            (1927, K::Reset),
            (9999, K::Rejected),
        ];
        for (code, kind) in table {
            let failure = rejected(&error(code, "words"), Some(Phase::Authenticate));
            assert_eq!((failure.kind, failure.code), (kind, Some(code.to_string())));
            assert_eq!(
                (failure.message.as_str(), failure.phase),
                ("words (SQLSTATE 08004)", Some(Phase::Authenticate))
            );
            assert_eq!(failure.hint.is_some(), code != 9999);
        }
    }

    #[test]
    fn texts_cannot_control_the_terminal() {
        assert_eq!(printable(" a\x1b[2Jb\r\nc\u{9b}d "), "a [2Jb  c d");
        assert_eq!(printable(&"x".repeat(5000)).len(), LONGEST_TEXT);
        let silent = ServerError { code: 1, sqlstate: None, message: b"\0\xFF" };
        assert_eq!(rejected(&silent, None).message, "\u{FFFD}");
    }
}
