//! From what the server said to an outcome with a next step.

use peaje_engine::{Failure, PasswordOrigin};
use peaje_model::{OutcomeKind, Phase};

use crate::config::Encrypt;
use crate::protocol::DecodeError;
use crate::protocol::token::ServerMessage;

/// Longest text of a server that is passed on.
const LONGEST_TEXT: usize = 1000;

/// What an error number means for a login: outcome, and what to do.
struct Meaning(&'static [i32], OutcomeKind, &'static str);

use OutcomeKind as K;

const FULL: &str = "a limit on sessions, workers or logins is reached: close sessions, lower pool sizes, or raise the \
                    limit (`user connections`, or the service tier)";
const BUSY: &str = "the service is busy or moves the database: wait some seconds and try again";
const STARTING: &str = "the server is starting, stopping, paused or upgrading: wait, and look at its error log";

const STATES: &str = "the server tells the client state 1 only, its error log has the real one (5 = no such login, 7 = \
                      disabled, 8 = wrong password, 11 or 12 = no permission to connect, 38 or 40 = database, 58 = \
                      Windows logins only)";

/// Errors of a login, by number.
const MEANINGS: &[Meaning] = &[
    Meaning(&[18456], K::Rejected, STATES),
    Meaning(
        &[18452],
        K::Rejected,
        "the server accepts Windows logins only, or not from this domain: enable mixed mode (sys.configurations shows \
         it, SERVERPROPERTY('IsIntegratedSecurityOnly'))",
    ),
    Meaning(&[18470], K::Rejected, "enable the login: ALTER LOGIN … ENABLE"),
    Meaning(
        &[18486],
        K::Rejected,
        "the login is locked out after wrong passwords: ALTER LOGIN … WITH PASSWORD = … UNLOCK",
    ),
    Meaning(&[18487], K::Rejected, "the password has expired: set a new one with ALTER LOGIN … WITH PASSWORD = …"),
    Meaning(&[18488], K::Rejected, "the password must be changed at the first login: ALTER LOGIN … WITH PASSWORD = …"),
    Meaning(
        &[4060, 911],
        K::Rejected,
        "check the database's name, that it is online, and that the login has a user in it",
    ),
    Meaning(
        &[4064],
        K::Rejected,
        "the login's default database cannot be opened: name another one with Database=…, or ALTER LOGIN … WITH \
         DEFAULT_DATABASE = …",
    ),
    Meaning(&[17892], K::Rejected, "a logon trigger refuses the login: see sys.server_triggers"),
    Meaning(&[40615, 40914], K::Rejected, "add this machine's address to the firewall rules of the server"),
    Meaning(&[40532, 40531], K::Rejected, "Azure cannot tell the server from the login: write User ID=user@server"),
    Meaning(&[17809, 17300, 10928, 10929, 10930, 10936], K::ServerFull, FULL),
    Meaning(&[40501, 40197, 40613, 40143, 49918, 49919, 49920, 4221], K::Refused, BUSY),
    Meaning(&[18401, 18451, 18461, 17142, 17187, 17197, 17198, 6005, 922, 983], K::Refused, STARTING),
    Meaning(
        &[17830, 17836, 17832, 17828],
        K::Reset,
        "the login took the server too long, or a message was cut: look at its error log",
    ),
    Meaning(&[596, 6002, 6104], K::Reset, "somebody ended the session"),
];

/// An error of the server in answer to a login.
pub(super) fn rejected(error: &ServerMessage, phase: Option<Phase>) -> Failure {
    let meaning = MEANINGS.iter().find(|m| m.0.contains(&error.number));
    let kind = meaning.map_or(OutcomeKind::Rejected, |m| m.1);
    let failure = Failure::new(kind, words(error)).code(error.number.to_string()).phase(phase);
    match meaning {
        Some(meaning) => failure.hint(meaning.2),
        None => failure,
    }
}

/// A failed login, with where its password came from: there may be several, and one was used.
pub(super) fn with_origin(failure: Failure, password: Option<&PasswordOrigin>) -> Failure {
    match password {
        Some(origin) if failure.hint.as_deref() == Some(STATES) => {
            failure.hint(format!("check {origin} and the user's name; {STATES}"))
        }
        _ => failure,
    }
}

/// An error of the server in answer to a query.
pub(super) fn of_query(error: &ServerMessage, phase: Option<Phase>) -> Failure {
    // From severity 20 on the session is gone.
    let kind = if error.severity >= 20 { OutcomeKind::Reset } else { OutcomeKind::Rejected };
    Failure::new(kind, words(error)).code(error.number.to_string()).phase(phase)
}

fn words(error: &ServerMessage) -> String {
    let text = printable(&error.message);
    let text = if text.is_empty() { "the server gave no reason" } else { text.as_str() };
    let mut place = format!("severity {}, state {}", error.severity, error.state);
    if error.line > 1 {
        place = format!("{place}, line {}", error.line);
    }
    format!("{text} ({place})")
}

/// The server has closed the connection.
pub(super) fn closed(phase: Option<Phase>) -> Failure {
    let during = phase.map(|p| format!(" during `{p}`")).unwrap_or_default();
    Failure::new(OutcomeKind::Reset, format!("the server closed the connection{during}"))
        .hint("look at the server's error log (or that of the gateway or proxy in between)")
        .phase(phase)
}

/// A failure before the answer to PRELOGIN; `bytes` are what came in its place.
pub(super) fn before_login(failure: Failure, bytes: &[u8]) -> Failure {
    if let Some(who) = peaje_engine::stranger(bytes).filter(|_| failure.kind == OutcomeKind::Protocol) {
        return failure.hint(format!("{who} answers here, not SQL Server: check the port"));
    }
    if failure.kind != OutcomeKind::Reset {
        return failure;
    }
    Failure {
        hint: Some(
            "the server closes before it speaks: Encrypt=strict only, out of sessions or memory, or no SQL Server \
             (PostgreSQL closes so too: check the port); look at its error log"
                .to_owned(),
        ),
        ..failure
    }
}

/// A connection that ends in answer to the login message: Windows clients call it error 233.
pub(super) fn lost_in_login(failure: Failure) -> Failure {
    if failure.kind != OutcomeKind::Reset {
        return failure;
    }
    Failure {
        hint: Some(
            "the server ended the login without a word (error 233 on Windows): out of sessions, a login timeout, or a \
             packet it did not like; look at its error log"
                .to_owned(),
        ),
        ..failure
    }
}

/// A handshake that failed, with hints in the words of these connection strings.
pub(super) fn of_tls(failure: Failure, encrypt: Encrypt) -> Failure {
    let hint = match failure.code.as_deref() {
        Some("certificate-unknown-issuer") if encrypt == Encrypt::Strict => {
            "name the certificate with ServerCertificate=FILE, or have it issued by an authority that this machine \
             trusts: Encrypt=strict always checks it"
        }
        Some("certificate-unknown-issuer") => {
            "name the certificate with ServerCertificate=FILE, have it issued by an authority that this machine trusts, \
             or use TrustServerCertificate=yes to skip the check"
        }
        Some("certificate-wrong-host") => {
            "connect by a name that stands in the certificate, or say which one does with HostNameInCertificate=NAME"
        }
        code if encrypt == Encrypt::Strict
            && (failure.kind == K::Reset || code.is_some_and(|code| code.starts_with("tls"))) =>
        {
            "Encrypt=strict needs SQL Server 2022 or later, or Azure SQL, with a certificate; use mandatory for others, \
             and check that SQL Server listens on this port"
        }
        _ if failure.kind == K::Reset => "look at the server's error log: it ended the TLS handshake",
        _ => return failure,
    };
    Failure { hint: Some(hint.to_owned()), ..failure }
}

/// Bytes that are not TDS.
pub(super) fn protocol(error: &DecodeError, phase: Option<Phase>) -> Failure {
    not_sql_server(error.to_string(), phase)
}

/// Something that SQL Server would not say at this place.
pub(super) fn not_sql_server(message: impl Into<String>, phase: Option<Phase>) -> Failure {
    Failure::new(OutcomeKind::Protocol, message).hint("check that SQL Server listens on this port").phase(phase)
}

/// A server's text, safe for a terminal: control characters could rewrite the screen.
pub(super) fn printable(text: &str) -> String {
    // Characters that turn the direction of text could show a message in another order than it has.
    let turns = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
    let clean = text.trim().chars().map(|c| if c.is_control() || turns(c) { ' ' } else { c });
    clean.take(LONGEST_TEXT).collect()
}
