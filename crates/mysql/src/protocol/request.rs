//! What the client says at login: the request for TLS, and the login itself (handshake response of version 4.1).

use super::read::Reader;
use super::write::{put_lenenc, put_lenenc_bytes, put_text};
use super::{DecodeError, capability, packet};

/// Longest packet the client announces to accept: the protocol's own limit for one.
const MAX_PACKET: u32 = 0x0100_0000;
/// Length of the request for TLS, which is also the beginning of every login.
const FIXED: usize = 32;

/// Writes the request for TLS: the beginning of the login, and nothing more.
pub fn ssl_request(out: &mut Vec<u8>, sequence: u8, capabilities: u32, collation: u8) {
    packet::encode(out, sequence, |out| fixed(out, capabilities | capability::SSL, collation));
}

fn fixed(out: &mut Vec<u8>, capabilities: u32, collation: u8) {
    out.extend_from_slice(&capabilities.to_le_bytes());
    out.extend_from_slice(&MAX_PACKET.to_le_bytes());
    out.push(collation);
    out.extend_from_slice(&[0; 23]);
}

/// A login. Fields whose capability is not set are not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Login<'a> {
    /// [`capability`].
    pub capabilities: u32,
    /// Collation of the session.
    pub collation: u8,
    /// User.
    pub user: &'a [u8],
    /// Answer to the challenge.
    pub answer: &'a [u8],
    /// Database (`CONNECT_WITH_DB`).
    pub database: &'a [u8],
    /// Plugin the answer is made by (`PLUGIN_AUTH`).
    pub auth_plugin: &'a [u8],
    /// Attributes (`CONNECT_ATTRS`), as [`put_attribute`] writes them.
    pub attributes: &'a [u8],
}

/// Appends an attribute of the connection.
pub fn put_attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    put_lenenc_bytes(out, name.as_bytes());
    put_lenenc_bytes(out, value.as_bytes());
}

/// Name and value.
pub type Attribute<'a> = (&'a [u8], &'a [u8]);

/// Attributes of a login.
pub fn attributes(bytes: &[u8]) -> Result<Vec<Attribute<'_>>, DecodeError> {
    let mut rest = Reader(bytes);
    let mut found = Vec::new();
    while !rest.is_empty() {
        found.push((rest.lenenc_bytes("an attribute's name")?, rest.lenenc_bytes("an attribute's value")?));
    }
    Ok(found)
}

impl Login<'_> {
    /// Writes the packet. An answer longer than 255 bytes needs `PLUGIN_AUTH_LENENC`.
    pub fn encode(&self, out: &mut Vec<u8>, sequence: u8) {
        let has = |bit| self.capabilities & bit != 0;
        packet::encode(out, sequence, |out| {
            fixed(out, self.capabilities, self.collation);
            put_text(out, self.user);
            if has(capability::PLUGIN_AUTH_LENENC) {
                put_lenenc_bytes(out, self.answer);
            } else {
                debug_assert!(self.answer.len() < 256, "its length has one byte");
                out.push(self.answer.len() as u8);
                out.extend_from_slice(self.answer);
            }
            if has(capability::CONNECT_WITH_DB) {
                put_text(out, self.database);
            }
            if has(capability::PLUGIN_AUTH) {
                put_text(out, self.auth_plugin);
            }
            if has(capability::CONNECT_ATTRS) {
                put_lenenc(out, self.attributes.len() as u64);
                out.extend_from_slice(self.attributes);
            }
        });
    }
}

/// The client's first packet, as a server reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First<'a> {
    /// TLS is wanted, with these capabilities: the handshake follows.
    Ssl(u32),
    /// A login.
    Login(Login<'a>),
}

impl<'a> First<'a> {
    /// Reads the payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, DecodeError> {
        let mut rest = Reader(payload);
        let capabilities = rest.u32("the capabilities")?;
        if capabilities & capability::PROTOCOL_41 == 0 {
            return Err(DecodeError::Unexpected("client of a version before 4.1"));
        }
        rest.u32("the longest packet")?;
        let collation = rest.u8("the collation")?;
        rest.bytes(FIXED - 9, "the reserved bytes")?;
        let has = |bit| capabilities & bit != 0;
        if rest.is_empty() && has(capability::SSL) {
            return Ok(First::Ssl(capabilities));
        }
        let user = rest.text("the user")?;
        let answer = if has(capability::PLUGIN_AUTH_LENENC) {
            rest.lenenc_bytes("the answer to the challenge")?
        } else {
            let length = rest.u8("the answer to the challenge")?;
            rest.bytes(usize::from(length), "the answer to the challenge")?
        };
        // Fields at the end are left out by some clients, whatever they announce.
        let database = if has(capability::CONNECT_WITH_DB) { rest.text_or_rest() } else { b"" };
        let auth_plugin = if has(capability::PLUGIN_AUTH) { rest.text_or_rest() } else { b"" };
        let attributes =
            if has(capability::CONNECT_ATTRS) && !rest.is_empty() { rest.lenenc_bytes("the attributes")? } else { b"" };
        Ok(First::Login(Login { capabilities, collation, user, answer, database, auth_plugin, attributes }))
    }
}
