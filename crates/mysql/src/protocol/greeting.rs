//! The server's first word: handshake version 10.

use super::read::Reader;
use super::write::put_text;
use super::{DecodeError, NONCE, capability, packet};

/// The only version in use.
const VERSION: u8 = 10;
/// Length of the first part of the challenge.
const FIRST_PART: usize = 8;

/// What the greeting holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greeting<'a> {
    /// What the server calls itself.
    pub server_version: &'a [u8],
    /// The server's number for this session.
    pub connection_id: u32,
    /// Challenge.
    pub nonce: [u8; NONCE],
    /// [`capability`].
    pub capabilities: u32,
    /// MariaDB's own capabilities; 0 for MySQL.
    pub mariadb_capabilities: u32,
    /// Collation of the server.
    pub collation: u8,
    /// [`super::status`].
    pub status: u16,
    /// The plugin the server would begin with; empty when it names none.
    pub auth_plugin: &'a [u8],
}

impl<'a> Greeting<'a> {
    /// Reads the payload of the first packet, which is no error packet.
    pub fn decode(payload: &'a [u8]) -> Result<Self, DecodeError> {
        let mut rest = Reader(payload);
        match rest.u8("the protocol version")? {
            VERSION => {}
            other => return Err(DecodeError::Version(other)),
        }
        let server_version = rest.text("the server's version")?;
        let connection_id = rest.u32("the connection's number")?;
        let mut nonce = [0; NONCE];
        nonce[..FIRST_PART].copy_from_slice(rest.bytes(FIRST_PART, "the challenge")?);
        rest.bytes(1, "the challenge")?;
        let mut capabilities = u32::from(rest.u16("the capabilities")?);
        let collation = rest.u8("the collation")?;
        let status = rest.u16("the status")?;
        capabilities |= u32::from(rest.u16("the capabilities")?) << 16;
        let whole_challenge = usize::from(rest.u8("the length of the challenge")?);
        rest.bytes(6, "the reserved bytes")?;
        let reserved = rest.u32("the reserved bytes")?;
        let mariadb_capabilities = if capabilities & capability::LONG_PASSWORD == 0 { reserved } else { 0 };
        if capabilities & capability::SECURE_CONNECTION != 0 {
            // At least 13 bytes, the last of them a zero.
            let length = whole_challenge.saturating_sub(FIRST_PART).max(13);
            let second = rest.bytes(length, "the challenge")?;
            nonce[FIRST_PART..].copy_from_slice(&second[..NONCE - FIRST_PART]);
        }
        let named = capabilities & capability::PLUGIN_AUTH != 0;
        // The zero at its end is missing in some versions.
        let auth_plugin = if named { rest.text_or_rest() } else { b"" };
        Ok(Self {
            server_version,
            connection_id,
            nonce,
            capabilities,
            mariadb_capabilities,
            collation,
            status,
            auth_plugin,
        })
    }

    /// Writes the packet. The challenge must hold no zero: old clients stop there.
    pub fn encode(&self, out: &mut Vec<u8>) {
        packet::encode(out, 0, |out| {
            out.push(VERSION);
            put_text(out, self.server_version);
            out.extend_from_slice(&self.connection_id.to_le_bytes());
            out.extend_from_slice(&self.nonce[..FIRST_PART]);
            out.push(0);
            let capabilities = self.capabilities.to_le_bytes();
            out.extend_from_slice(&capabilities[..2]);
            out.push(self.collation);
            out.extend_from_slice(&self.status.to_le_bytes());
            out.extend_from_slice(&capabilities[2..]);
            let named = self.capabilities & capability::PLUGIN_AUTH != 0;
            out.push(if named { NONCE as u8 + 1 } else { 0 });
            out.extend_from_slice(&[0; 6]);
            out.extend_from_slice(&self.mariadb_capabilities.to_le_bytes());
            if self.capabilities & capability::SECURE_CONNECTION != 0 {
                out.extend_from_slice(&self.nonce[FIRST_PART..]);
                out.push(0);
            }
            if named {
                put_text(out, self.auth_plugin);
            }
        });
    }
}
