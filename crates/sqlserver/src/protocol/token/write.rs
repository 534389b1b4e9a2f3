//! What a server sends, token by token.

use super::{Done, DoneKind, EnvChange, LoginAck, ServerMessage, id};
use crate::protocol::login7::feature;
use crate::protocol::types::{Column, TypeInfo, Value, write_column, write_value};
use crate::protocol::write::{b_bytes, b_text, short_token, us_text, utf16};

/// The login is accepted.
pub fn login_ack(out: &mut Vec<u8>, ack: &LoginAck) {
    short_token(out, id::LOGIN_ACK, |out| {
        out.push(ack.interface);
        out.extend_from_slice(&ack.tds_version.to_be_bytes());
        b_text(out, &ack.program);
        out.extend_from_slice(&ack.version);
    });
}

/// An error.
pub fn error(out: &mut Vec<u8>, message: &ServerMessage) {
    short_token(out, id::ERROR, |out| server_message(out, message));
}

/// A message for a person.
pub fn info(out: &mut Vec<u8>, message: &ServerMessage) {
    short_token(out, id::INFO, |out| server_message(out, message));
}

fn server_message(out: &mut Vec<u8>, message: &ServerMessage) {
    out.extend_from_slice(&message.number.to_le_bytes());
    out.extend_from_slice(&[message.state, message.severity]);
    us_text(out, crate::protocol::write::cut(&message.message, 4000));
    b_text(out, &message.server);
    b_text(out, &message.procedure);
    out.extend_from_slice(&message.line.to_le_bytes());
}

/// A setting has changed.
pub fn env_change(out: &mut Vec<u8>, change: &EnvChange) {
    short_token(out, id::ENV_CHANGE, |out| match change {
        EnvChange::Database { new, old } => texts(out, 1, new, old),
        EnvChange::Language { new, old } => texts(out, 2, new, old),
        EnvChange::PacketSize { new, old } => texts(out, 4, &new.to_string(), &old.to_string()),
        EnvChange::Collation(collation) => bytes(out, 7, collation, &[]),
        EnvChange::BeginTransaction(id) => bytes(out, 8, &id.to_le_bytes(), &[]),
        EnvChange::CommitTransaction(id) => bytes(out, 9, &[], &id.to_le_bytes()),
        EnvChange::RollbackTransaction(id) => bytes(out, 10, &[], &id.to_le_bytes()),
        EnvChange::MirrorPartner(partner) => texts(out, 13, partner, ""),
        EnvChange::ResetDone => bytes(out, 18, &[], &[]),
        EnvChange::Routing { server, port } => routing(out, server, *port),
        EnvChange::Other(number) => bytes(out, *number, &[], &[]),
    });
}

fn texts(out: &mut Vec<u8>, number: u8, new: &str, old: &str) {
    out.push(number);
    b_text(out, new);
    b_text(out, old);
}

fn bytes(out: &mut Vec<u8>, number: u8, new: &[u8], old: &[u8]) {
    out.push(number);
    b_bytes(out, new);
    b_bytes(out, old);
}

fn routing(out: &mut Vec<u8>, server: &str, port: u16) {
    let mut target = vec![0];
    target.extend_from_slice(&port.to_le_bytes());
    us_text(&mut target, crate::protocol::write::cut(server, 1024));
    out.push(20);
    out.extend_from_slice(&(target.len() as u16).to_le_bytes());
    out.extend_from_slice(&target);
    out.extend_from_slice(&0u16.to_le_bytes());
}

/// A statement, procedure or batch has ended.
pub fn done(out: &mut Vec<u8>, done: &Done) {
    out.push(match done.kind {
        DoneKind::Statement => id::DONE,
        DoneKind::Procedure => id::DONE_PROC,
        DoneKind::InProcedure => id::DONE_IN_PROC,
    });
    out.extend_from_slice(&done.status.to_le_bytes());
    out.extend_from_slice(&done.command.to_le_bytes());
    out.extend_from_slice(&done.rows.to_le_bytes());
}

/// The columns of the rows that follow.
pub fn col_metadata(out: &mut Vec<u8>, columns: &[Column]) {
    out.push(id::COL_METADATA);
    // 65,535 says that there is no description at all.
    let count = if columns.is_empty() { u16::MAX } else { columns.len() as u16 };
    out.extend_from_slice(&count.to_le_bytes());
    for column in columns {
        write_column(out, column);
    }
}

/// A row: a value for each column.
pub fn row(out: &mut Vec<u8>, columns: &[Column], values: &[Value]) {
    out.push(id::ROW);
    for (index, column) in columns.iter().enumerate() {
        write_value(out, &column.ty, values.get(index).unwrap_or(&Value::Null));
    }
}

/// A row with its nulls in a bit map.
pub fn nbc_row(out: &mut Vec<u8>, columns: &[Column], values: &[Value]) {
    out.push(id::NBC_ROW);
    let value = |index: usize| values.get(index).unwrap_or(&Value::Null);
    let mut nulls = vec![0u8; columns.len().div_ceil(8)];
    for index in (0..columns.len()).filter(|i| value(*i).is_null()) {
        nulls[index / 8] |= 1 << (index % 8);
    }
    out.extend_from_slice(&nulls);
    for (index, column) in columns.iter().enumerate().filter(|(i, _)| !value(*i).is_null()) {
        write_value(out, &column.ty, value(index));
    }
}

/// What a procedure returned.
pub fn return_status(out: &mut Vec<u8>, status: i32) {
    out.push(id::RETURN_STATUS);
    out.extend_from_slice(&status.to_le_bytes());
}

/// An output parameter.
pub fn return_value(out: &mut Vec<u8>, ordinal: u16, name: &str, ty: &TypeInfo, value: &Value) {
    out.push(id::RETURN_VALUE);
    out.extend_from_slice(&ordinal.to_le_bytes());
    b_text(out, name);
    // An output parameter of a procedure; no user type, no flags.
    out.push(0x01);
    out.extend_from_slice(&0u32.to_le_bytes());
    out.extend_from_slice(&0u16.to_le_bytes());
    ty.write(out);
    write_value(out, ty, value);
}

/// Features that are accepted.
pub fn feature_ext_ack(out: &mut Vec<u8>, features: &[(u8, &[u8])]) {
    out.push(id::FEATURE_EXT_ACK);
    for (number, data) in features {
        out.push(*number);
        out.extend_from_slice(&(data.len() as u32).to_le_bytes());
        out.extend_from_slice(data);
    }
    out.push(feature::TERMINATOR);
}

/// Where an access token is to be had: name of the principal's service, and address of the token service.
pub fn fed_auth_info(out: &mut Vec<u8>, service: &str, address: &str) {
    let (mut spn, mut sts) = (Vec::new(), Vec::new());
    utf16(&mut spn, service);
    utf16(&mut sts, address);
    // Two options of nine bytes each behind their count: offsets are from there.
    let first = 4 + 2 * 9;
    out.push(id::FED_AUTH_INFO);
    out.extend_from_slice(&((first + spn.len() + sts.len()) as u32).to_le_bytes());
    out.extend_from_slice(&2u32.to_le_bytes());
    for (number, length, offset) in [(0x02u8, spn.len(), first), (0x01, sts.len(), first + spn.len())] {
        out.push(number);
        out.extend_from_slice(&(length as u32).to_le_bytes());
        out.extend_from_slice(&(offset as u32).to_le_bytes());
    }
    out.extend_from_slice(&spn);
    out.extend_from_slice(&sts);
}
