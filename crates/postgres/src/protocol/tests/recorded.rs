//! What PostgreSQL 15.18 (Debian 12) has sent, byte for byte: a whole welcome, and the failures a DBA meets.

use super::super::backend::{AuthRequest, BackendMessage, ServerError, TransactionStatus, decode_backend};

/// A login by `trust`, to its end.
pub(crate) const WELCOME: &[u8] = b"\
    R\0\0\0\x08\0\0\0\0\
    S\0\0\0\x1bapplication_name\0peaje\0\
    S\0\0\0\x19client_encoding\0UTF8\0\
    S\0\0\0\x17DateStyle\0ISO, MDY\0\
    S\0\0\0&default_transaction_read_only\0off\0\
    S\0\0\0\x17in_hot_standby\0off\0\
    S\0\0\0\x19integer_datetimes\0on\0\
    S\0\0\0\x1bIntervalStyle\0postgres\0\
    S\0\0\0\x15is_superuser\0off\0\
    S\0\0\0\x19server_encoding\0UTF8\0\
    S\0\0\x002server_version\x0015.18 (Debian 15.18-0+deb12u1)\0\
    S\0\0\0\"session_authorization\0trust_u\0\
    S\0\0\0#standard_conforming_strings\0on\0\
    S\0\0\0\x15TimeZone\0Etc/UTC\0\
    K\0\0\0\x0c\0\0\x17l\xcd\x9c\xfc;\
    Z\0\0\0\x05I";
/// The database does not exist: the credentials are accepted first.
pub(crate) const NO_DATABASE: &[u8] = b"\
    R\0\0\0\x08\0\0\0\0\
    E\0\0\0YSFATAL\0VFATAL\0C3D000\0Mdatabase \"shop\" does not exist\0Fpostinit.c\0L948\0RInitPostgres\0\
    \0";
/// The role may not connect to the database.
pub(crate) const NO_CONNECT: &[u8] = b"\
    R\0\0\0\x08\0\0\0\0\
    E\0\0\0\x8cSFATAL\0VFATAL\0C42501\0Mpermission denied for database \"noconn\"\0DUser does not have CO\
    NNECT privilege.\0Fpostinit.c\0L363\0RCheckMyDatabase\0\0";
/// The connection limit of the role is reached.
pub(crate) const ROLE_FULL: &[u8] = b"\
    R\0\0\0\x08\0\0\0\0\
    E\0\0\0iSFATAL\0VFATAL\0C53300\0Mtoo many connections for role \"cap\"\0Fmiscinit.c\0L842\0RInitializ\
    eSessionUserId\0\0";
/// pg_hba.conf has no line for this connection.
pub(crate) const NO_ENTRY: &[u8] = b"\
    E\0\0\0\x9aSFATAL\0VFATAL\0C28000\0Mno pg_hba.conf entry for host \"127.0.0.1\", user \"ghost\", data\
    base \"postgres\", no encryption\0Fauth.c\0L544\0RClientAuthentication\0\0";
/// The server wants an MD5 answer.
pub(crate) const MD5: &[u8] = b"\
    R\0\0\0\x0c\0\0\0\x05\xb1\x9b\xddI";
/// The server wants SCRAM; without TLS there is no channel to bind to.
pub(crate) const SASL: &[u8] = b"\
    R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0";

fn all(mut bytes: &[u8]) -> Vec<BackendMessage<'_>> {
    let mut messages = Vec::new();
    while let Some((message, length)) = decode_backend(bytes).unwrap() {
        messages.push(message);
        bytes = &bytes[length..];
    }
    assert!(bytes.is_empty());
    messages
}

fn fatal(code: &str, message: &str, detail: Option<&str>) -> BackendMessage<'static> {
    BackendMessage::Error(ServerError {
        severity: "FATAL".to_owned(),
        code: code.to_owned(),
        message: message.to_owned(),
        detail: detail.map(str::to_owned),
        hint: None,
    })
}

const ACCEPTED: BackendMessage<'_> = BackendMessage::Authentication(AuthRequest::Ok);

#[test]
fn a_welcome() {
    let messages = all(WELCOME);
    assert_eq!(messages.len(), 16);
    assert_eq!(messages[0], ACCEPTED);
    let version = BackendMessage::ParameterStatus {
        name: "server_version".into(),
        value: "15.18 (Debian 15.18-0+deb12u1)".into(),
    };
    assert!(messages.contains(&version));
    assert!(matches!(messages[14], BackendMessage::BackendKeyData { secret_key: [_, _, _, _], .. }));
    assert_eq!(messages[15], BackendMessage::ReadyForQuery(TransactionStatus::Idle));
}

#[test]
fn failures() {
    let no_database = fatal("3D000", "database \"shop\" does not exist", None);
    assert_eq!(all(NO_DATABASE), [ACCEPTED, no_database]);
    let detail = Some("User does not have CONNECT privilege.");
    assert_eq!(all(NO_CONNECT), [ACCEPTED, fatal("42501", "permission denied for database \"noconn\"", detail)]);
    assert_eq!(all(ROLE_FULL), [ACCEPTED, fatal("53300", "too many connections for role \"cap\"", None)]);
    let no_entry = "no pg_hba.conf entry for host \"127.0.0.1\", user \"ghost\", database \"postgres\", no encryption";
    assert_eq!(all(NO_ENTRY), [fatal("28000", no_entry, None)]);
}

#[test]
fn requests() {
    assert!(matches!(all(MD5)[..], [BackendMessage::Authentication(AuthRequest::Md5Password { .. })]));
    let mechanisms = vec!["SCRAM-SHA-256"];
    assert_eq!(all(SASL), [BackendMessage::Authentication(AuthRequest::Sasl { mechanisms })]);
}
