//! What the server says after the greeting: OK, error, another plugin, more of the authentication.

use super::read::Reader;
use super::write::{put_lenenc, put_text};
use super::{DecodeError, packet};

const OK: u8 = 0x00;
const MORE: u8 = 0x01;
const SWITCH: u8 = 0xFE;
/// First byte of an error packet.
pub const ERROR: u8 = 0xFF;

/// It is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done<'a> {
    /// Rows changed.
    pub affected_rows: u64,
    /// Last number given by AUTO_INCREMENT.
    pub last_insert_id: u64,
    /// [`super::status`].
    pub status: u16,
    /// Warnings.
    pub warnings: u16,
    /// The server's words.
    pub info: &'a [u8],
}

impl<'a> Done<'a> {
    /// Reads an OK packet, whichever its first byte is.
    pub fn decode(payload: &'a [u8]) -> Result<Self, DecodeError> {
        let mut rest = Reader(payload);
        rest.u8("an OK packet")?;
        Ok(Self {
            affected_rows: rest.lenenc("an OK packet")?,
            last_insert_id: rest.lenenc("an OK packet")?,
            status: rest.u16("the status")?,
            warnings: rest.u16("the warnings")?,
            info: rest.rest(),
        })
    }

    /// Writes an OK packet.
    pub fn encode(&self, out: &mut Vec<u8>, sequence: u8) {
        self.encode_as(OK, out, sequence);
    }

    /// Writes an OK packet that ends rows (`DEPRECATE_EOF`).
    pub fn encode_after_rows(&self, out: &mut Vec<u8>, sequence: u8) {
        self.encode_as(SWITCH, out, sequence);
    }

    fn encode_as(&self, first: u8, out: &mut Vec<u8>, sequence: u8) {
        packet::encode(out, sequence, |out| {
            out.push(first);
            put_lenenc(out, self.affected_rows);
            put_lenenc(out, self.last_insert_id);
            out.extend_from_slice(&self.status.to_le_bytes());
            out.extend_from_slice(&self.warnings.to_le_bytes());
            out.extend_from_slice(self.info);
        });
    }
}

/// An error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerError<'a> {
    /// Number.
    pub code: u16,
    /// SQLSTATE; `None` in most errors that come in the place of the greeting.
    pub sqlstate: Option<[u8; 5]>,
    /// Words.
    pub message: &'a [u8],
}

impl<'a> ServerError<'a> {
    /// Reads an error packet, with or without SQLSTATE.
    pub fn decode(payload: &'a [u8]) -> Result<Self, DecodeError> {
        let mut rest = Reader(payload);
        if rest.u8("an error packet")? != ERROR {
            return Err(DecodeError::Unexpected("packet in the place of an error"));
        }
        let code = rest.u16("the error's number")?;
        let text = rest.rest();
        Ok(match text {
            [b'#', a, b, c, d, e, message @ ..] => Self { code, sqlstate: Some([*a, *b, *c, *d, *e]), message },
            message => Self { code, sqlstate: None, message },
        })
    }

    /// Writes an error packet.
    pub fn encode(&self, out: &mut Vec<u8>, sequence: u8) {
        packet::encode(out, sequence, |out| {
            out.push(ERROR);
            out.extend_from_slice(&self.code.to_le_bytes());
            if let Some(sqlstate) = self.sqlstate {
                out.push(b'#');
                out.extend_from_slice(&sqlstate);
            }
            out.extend_from_slice(self.message);
        });
    }
}

/// The server's word in the authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthReply<'a> {
    /// Logged in.
    Ok(Done<'a>),
    /// Not logged in.
    Error(ServerError<'a>),
    /// Answer with another plugin.
    Switch {
        /// Its name.
        plugin: &'a [u8],
        /// Its challenge, with a zero at the end for most plugins.
        data: &'a [u8],
    },
    /// Answer in the way of versions before 4.1.
    OldPassword,
    /// Data for the plugin.
    More(&'a [u8]),
}

impl<'a> AuthReply<'a> {
    /// Reads the payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, DecodeError> {
        match payload {
            [OK, ..] => Done::decode(payload).map(AuthReply::Ok),
            [ERROR, ..] => ServerError::decode(payload).map(AuthReply::Error),
            [SWITCH] => Ok(AuthReply::OldPassword),
            [SWITCH, rest @ ..] => {
                let mut rest = Reader(rest);
                Ok(AuthReply::Switch { plugin: rest.text("the plugin's name")?, data: rest.rest() })
            }
            [MORE, rest @ ..] => Ok(AuthReply::More(rest)),
            // A plugin's data needs the mark only where it could be taken for something else.
            [_, ..] => Ok(AuthReply::More(payload)),
            [] => Err(DecodeError::Short("the answer to the login")),
        }
    }

    /// Writes the packet.
    pub fn encode(&self, out: &mut Vec<u8>, sequence: u8) {
        match self {
            AuthReply::Ok(done) => done.encode(out, sequence),
            AuthReply::Error(error) => error.encode(out, sequence),
            AuthReply::Switch { plugin, data } => packet::encode(out, sequence, |out| {
                out.push(SWITCH);
                put_text(out, plugin);
                out.extend_from_slice(data);
            }),
            AuthReply::OldPassword => packet::encode(out, sequence, |out| out.push(SWITCH)),
            AuthReply::More(data) => packet::encode(out, sequence, |out| {
                out.push(MORE);
                out.extend_from_slice(data);
            }),
        }
    }
}
