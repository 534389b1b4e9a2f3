//! Encoding what the client sends. Everything is appended, so that several messages leave in one packet.

use super::super::write::{c_str, count, message, untyped, value};
use super::{CANCEL_REQUEST, Described, GSS_ENCRYPTION_REQUEST, SSL_REQUEST};

/// Asks for TLS.
pub fn ssl_request(out: &mut Vec<u8>) {
    untyped(out, |body| body.extend_from_slice(&SSL_REQUEST.to_be_bytes()));
}

/// Asks for GSSAPI encryption.
pub fn gss_encryption_request(out: &mut Vec<u8>) {
    untyped(out, |body| body.extend_from_slice(&GSS_ENCRYPTION_REQUEST.to_be_bytes()));
}

/// Cancels the query of another session.
pub fn cancel_request(out: &mut Vec<u8>, process_id: i32, secret_key: &[u8]) {
    untyped(out, |body| {
        body.extend_from_slice(&CANCEL_REQUEST.to_be_bytes());
        body.extend_from_slice(&process_id.to_be_bytes());
        body.extend_from_slice(secret_key);
    });
}

/// Logs in with protocol 3.0.
pub fn startup(out: &mut Vec<u8>, parameters: &[(&str, &str)]) {
    startup_version(out, 3, 0, parameters);
}

/// Logs in with another version of the protocol.
pub fn startup_version(out: &mut Vec<u8>, major: u16, minor: u16, parameters: &[(&str, &str)]) {
    untyped(out, |body| {
        body.extend_from_slice(&major.to_be_bytes());
        body.extend_from_slice(&minor.to_be_bytes());
        for (name, value) in parameters {
            c_str(body, name);
            c_str(body, value);
        }
        body.push(0);
    });
}

/// Simple query.
pub fn query(out: &mut Vec<u8>, sql: &str) {
    message(out, b'Q', |body| c_str(body, sql));
}

/// Goodbye.
pub fn terminate(out: &mut Vec<u8>) {
    message(out, b'X', |_| {});
}

/// A password, in clear or as an MD5 answer; the zero byte is added.
pub fn password(out: &mut Vec<u8>, password: &[u8]) {
    message(out, b'p', |body| {
        body.extend_from_slice(password);
        body.push(0);
    });
}

/// The first SASL answer.
pub fn sasl_initial_response(out: &mut Vec<u8>, mechanism: &str, data: &[u8]) {
    message(out, b'p', |body| {
        c_str(body, mechanism);
        value(body, Some(data));
    });
}

/// A later SASL answer.
pub fn sasl_response(out: &mut Vec<u8>, data: &[u8]) {
    message(out, b'p', |body| body.extend_from_slice(data));
}

/// Prepares a statement.
pub fn parse(out: &mut Vec<u8>, statement: &str, sql: &str, parameter_types: &[u32]) {
    message(out, b'P', |body| {
        c_str(body, statement);
        c_str(body, sql);
        count(body, parameter_types.len());
        for t in parameter_types {
            body.extend_from_slice(&t.to_be_bytes());
        }
    });
}

/// Binds a statement to values.
pub fn bind(
    out: &mut Vec<u8>,
    portal: &str,
    statement: &str,
    parameter_formats: &[i16],
    parameters: &[Option<&[u8]>],
    result_formats: &[i16],
) {
    message(out, b'B', |body| {
        c_str(body, portal);
        c_str(body, statement);
        formats(body, parameter_formats);
        count(body, parameters.len());
        for p in parameters {
            value(body, *p);
        }
        formats(body, result_formats);
    });
}

fn formats(body: &mut Vec<u8>, formats: &[i16]) {
    count(body, formats.len());
    for f in formats {
        body.extend_from_slice(&f.to_be_bytes());
    }
}

/// Describes a statement or a portal.
pub fn describe(out: &mut Vec<u8>, what: Described, name: &str) {
    message(out, b'D', |body| {
        body.push(what.letter());
        c_str(body, name);
    });
}

/// Runs a portal; 0 rows = all.
pub fn execute(out: &mut Vec<u8>, portal: &str, max_rows: i32) {
    message(out, b'E', |body| {
        c_str(body, portal);
        body.extend_from_slice(&max_rows.to_be_bytes());
    });
}

/// Forgets a statement or a portal.
pub fn close(out: &mut Vec<u8>, what: Described, name: &str) {
    message(out, b'C', |body| {
        body.push(what.letter());
        c_str(body, name);
    });
}

/// Asks for what is there.
pub fn flush(out: &mut Vec<u8>) {
    message(out, b'H', |_| {});
}

/// Ends an extended query.
pub fn sync(out: &mut Vec<u8>) {
    message(out, b'S', |_| {});
}
