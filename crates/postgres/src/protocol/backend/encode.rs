//! Encoding what the server sends. Everything is appended, so that several messages leave in one packet.

use super::super::write::{c_str, count, message, value};
use super::{Column, TransactionStatus};

fn authentication(out: &mut Vec<u8>, request: i32, fill: impl FnOnce(&mut Vec<u8>)) {
    message(out, b'R', |body| {
        body.extend_from_slice(&request.to_be_bytes());
        fill(body);
    });
}

/// The credentials are accepted.
pub fn authentication_ok(out: &mut Vec<u8>) {
    authentication(out, 0, |_| {});
}

/// Asks for the password in clear.
pub fn authentication_cleartext(out: &mut Vec<u8>) {
    authentication(out, 3, |_| {});
}

/// Asks for an MD5 answer.
pub fn authentication_md5(out: &mut Vec<u8>, salt: [u8; 4]) {
    authentication(out, 5, |body| body.extend_from_slice(&salt));
}

/// Offers SASL mechanisms.
pub fn authentication_sasl(out: &mut Vec<u8>, mechanisms: &[&str]) {
    authentication(out, 10, |body| {
        for name in mechanisms {
            c_str(body, name);
        }
        body.push(0);
    });
}

/// SASL challenge.
pub fn authentication_sasl_continue(out: &mut Vec<u8>, data: &[u8]) {
    authentication(out, 11, |body| body.extend_from_slice(data));
}

/// SASL outcome.
pub fn authentication_sasl_final(out: &mut Vec<u8>, data: &[u8]) {
    authentication(out, 12, |body| body.extend_from_slice(data));
}

/// Asks for a method by its number alone (2 Kerberos, 7 GSSAPI, 9 SSPI, or one that does not exist).
pub fn authentication_unsupported(out: &mut Vec<u8>, request: i32) {
    authentication(out, request, |_| {});
}

/// Tells a setting.
pub fn parameter_status(out: &mut Vec<u8>, name: &str, value: &str) {
    message(out, b'S', |body| {
        c_str(body, name);
        c_str(body, value);
    });
}

/// Tells how to cancel a query of this session.
pub fn backend_key_data(out: &mut Vec<u8>, process_id: i32, secret_key: &[u8]) {
    message(out, b'K', |body| {
        body.extend_from_slice(&process_id.to_be_bytes());
        body.extend_from_slice(secret_key);
    });
}

/// Waits for a query.
pub fn ready_for_query(out: &mut Vec<u8>, status: TransactionStatus) {
    message(out, b'Z', |body| body.push(status.letter()));
}

/// An error, with severity `FATAL` or `ERROR`.
pub fn error(out: &mut Vec<u8>, severity: &str, sqlstate: &str, text: &str, hint: Option<&str>) {
    message(out, b'E', |body| fields(body, severity, sqlstate, text, hint));
}

/// A notice, with severity `WARNING`, `NOTICE`, …
pub fn notice(out: &mut Vec<u8>, severity: &str, sqlstate: &str, text: &str, hint: Option<&str>) {
    message(out, b'N', |body| fields(body, severity, sqlstate, text, hint));
}

fn fields(body: &mut Vec<u8>, severity: &str, sqlstate: &str, text: &str, hint: Option<&str>) {
    let all =
        [(b'S', Some(severity)), (b'V', Some(severity)), (b'C', Some(sqlstate)), (b'M', Some(text)), (b'H', hint)];
    for (letter, field) in all {
        if let Some(field) = field {
            body.push(letter);
            c_str(body, field);
        }
    }
    body.push(0);
}

/// Columns that follow.
pub fn row_description(out: &mut Vec<u8>, columns: &[Column<'_>]) {
    message(out, b'T', |body| {
        count(body, columns.len());
        for column in columns {
            c_str(body, &column.name);
            // No table: oid 0, position 0.
            body.extend_from_slice(&[0; 6]);
            body.extend_from_slice(&column.type_oid.to_be_bytes());
            body.extend_from_slice(&column.type_size.to_be_bytes());
            // No type modifier.
            body.extend_from_slice(&(-1i32).to_be_bytes());
            body.extend_from_slice(&column.format.to_be_bytes());
        }
    });
}

/// A row; `None` = null.
pub fn data_row(out: &mut Vec<u8>, values: &[Option<&[u8]>]) {
    message(out, b'D', |body| {
        count(body, values.len());
        for v in values {
            value(body, *v);
        }
    });
}

/// A statement has ended (`SELECT 1`).
pub fn command_complete(out: &mut Vec<u8>, tag: &str) {
    message(out, b'C', |body| c_str(body, tag));
}

/// The query was empty.
pub fn empty_query(out: &mut Vec<u8>) {
    message(out, b'I', |_| {});
}

/// The newest minor version known, and the options that are not.
pub fn negotiate_protocol_version(out: &mut Vec<u8>, minor: i32, unknown_options: &[&str]) {
    message(out, b'v', |body| {
        body.extend_from_slice(&minor.to_be_bytes());
        body.extend_from_slice(&i32::try_from(unknown_options.len()).unwrap_or(i32::MAX).to_be_bytes());
        for option in unknown_options {
            c_str(body, option);
        }
    });
}

/// Statement prepared.
pub fn parse_complete(out: &mut Vec<u8>) {
    message(out, b'1', |_| {});
}

/// Values bound.
pub fn bind_complete(out: &mut Vec<u8>) {
    message(out, b'2', |_| {});
}

/// Statement or portal forgotten.
pub fn close_complete(out: &mut Vec<u8>) {
    message(out, b'3', |_| {});
}

/// No rows will come.
pub fn no_data(out: &mut Vec<u8>) {
    message(out, b'n', |_| {});
}

/// The row limit of `Execute` was reached.
pub fn portal_suspended(out: &mut Vec<u8>) {
    message(out, b's', |_| {});
}

/// Types of a statement's parameters.
pub fn parameter_description(out: &mut Vec<u8>, types: &[u32]) {
    message(out, b't', |body| {
        count(body, types.len());
        for t in types {
            body.extend_from_slice(&t.to_be_bytes());
        }
    });
}
