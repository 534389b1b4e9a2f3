//! Feature extensions: what a client can do beyond the fixed fields of LOGIN7.

use peaje_model::Secret;

use crate::protocol::read::{Body, utf16};
use crate::protocol::{DecodeError, write};

/// Number of a feature extension.
pub mod feature {
    /// Session recovery.
    pub const SESSION_RECOVERY: u8 = 0x01;
    /// Access tokens.
    pub const FED_AUTH: u8 = 0x02;
    /// Always Encrypted.
    pub const COLUMN_ENCRYPTION: u8 = 0x04;
    /// Global transactions (Azure).
    pub const GLOBAL_TRANSACTIONS: u8 = 0x05;
    /// Read-only intent on failover partners (Azure).
    pub const AZURE_SQL_SUPPORT: u8 = 0x08;
    /// Data classification.
    pub const DATA_CLASSIFICATION: u8 = 0x09;
    /// UTF-8 collations.
    pub const UTF8_SUPPORT: u8 = 0x0a;
    /// End of the list.
    pub const TERMINATOR: u8 = 0xff;
}

/// A feature extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feature {
    /// An access token, sent with the login (library "security token").
    AccessToken {
        /// Whether the server said in PRELOGIN that it wants one.
        echo: bool,
        /// The token.
        token: Secret,
        /// The server's nonce, when it sent one.
        nonce: Option<[u8; 32]>,
    },
    /// The client reads UTF-8.
    Utf8Support,
    /// Another one, with its data.
    Other {
        /// Its number.
        id: u8,
        /// Its data.
        data: Vec<u8>,
    },
}

/// Library "security token" in the upper seven bits.
const SECURITY_TOKEN: u8 = 0x01 << 1;

impl Feature {
    fn encode(&self, out: &mut Vec<u8>) {
        let (id, data) = match self {
            // Microsoft's drivers send the byte or leave it out.
            Feature::Utf8Support => (feature::UTF8_SUPPORT, vec![1]),
            Feature::Other { id, data } => (*id, data.clone()),
            Feature::AccessToken { echo, token, nonce } => {
                let mut data = vec![SECURITY_TOKEN | u8::from(*echo)];
                let mut text = Vec::new();
                write::utf16(&mut text, token.expose());
                data.extend_from_slice(&(text.len() as u32).to_le_bytes());
                data.extend_from_slice(&text);
                data.extend_from_slice(nonce.as_ref().map_or(&[][..], |n| &n[..]));
                (feature::FED_AUTH, data)
            }
        };
        out.push(id);
        out.extend_from_slice(&(data.len() as u32).to_le_bytes());
        out.extend_from_slice(&data);
    }

    fn decode(id: u8, data: &[u8]) -> Result<Self, DecodeError> {
        match id {
            feature::UTF8_SUPPORT if data == [1] => Ok(Feature::Utf8Support),
            feature::FED_AUTH if data.first().is_some_and(|b| b & !1 == SECURITY_TOKEN) => {
                let mut body = Body::new(data);
                let echo = body.u8("the token's options")? & 1 == 1;
                let length = body.u32("the token's length")? as usize;
                let token = Secret::new(utf16(body.bytes(length, "the access token")?));
                let nonce = if body.is_empty() { None } else { Some(body.array("the nonce")?) };
                Ok(Feature::AccessToken { echo, token, nonce })
            }
            _ => Ok(Feature::Other { id, data: data.to_vec() }),
        }
    }
}

/// Appends the list and its end.
pub(super) fn encode(features: &[Feature], out: &mut Vec<u8>) {
    for feature in features {
        feature.encode(out);
    }
    out.push(feature::TERMINATOR);
}

/// Reads the list that the field `extension` points to.
pub(super) fn decode(extension: &[u8], payload: &[u8]) -> Result<Vec<Feature>, DecodeError> {
    let offset = Body::new(extension).u32("the features' offset")? as usize;
    let list = payload.get(offset..).ok_or(DecodeError::Malformed("features outside of LOGIN7"))?;
    let mut list = Body::new(list);
    let mut features = Vec::new();
    loop {
        let id = list.u8("the end of the features")?;
        if id == feature::TERMINATOR {
            return Ok(features);
        }
        let length = list.u32("a feature's length")? as usize;
        features.push(Feature::decode(id, list.bytes(length, "a feature")?)?);
    }
}
