//! The greeting, and what a client answers it with. No I/O.
//!
//! A newcomer would expect the client to speak first. In this protocol the server does, and a request for TLS is the
//! first part of the client's answer, cut off before the user's name.

use super::capabilities::Capabilities;
use super::packet::{PacketError, Reader, put_ended};

/// Bytes of the random part that passwords are mixed with, `ed25519` aside.
pub(crate) const SCRAMBLE: usize = 20;
/// Connection attributes read at most.
const MOST_ATTRIBUTES: usize = 64;

/// What a server says first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Greeting<'a> {
    pub(crate) version: &'a str,
    pub(crate) thread: u32,
    pub(crate) scramble: &'a [u8; SCRAMBLE],
    pub(crate) capabilities: Capabilities,
    pub(crate) plugin: &'a str,
}

impl Greeting<'_> {
    /// Appends the body of the packet (protocol version 10).
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let [a, b, c, d] = self.capabilities.0.to_le_bytes();
        out.push(10);
        put_ended(out, self.version.as_bytes());
        out.extend_from_slice(&self.thread.to_le_bytes());
        put_ended(out, &self.scramble[..8]);
        // utf8mb4, and "autocommit".
        out.extend_from_slice(&[a, b, 45, 2, 0, c, d, SCRAMBLE as u8 + 1]);
        out.extend_from_slice(&[0; 10]);
        put_ended(out, &self.scramble[8..]);
        put_ended(out, self.plugin.as_bytes());
    }
}

/// The client's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It wants TLS, and will answer inside.
    Tls,
    /// It logs in.
    Login(Login),
}

/// What a client logs in with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Login {
    pub(crate) capabilities: Capabilities,
    pub(crate) user: String,
    /// Its first answer to the scramble, by its own choice of plugin.
    pub(crate) response: Vec<u8>,
    pub(crate) database: String,
    /// `None` = the client knows no plugins.
    pub(crate) plugin: Option<String>,
    /// The connection attribute `program_name`.
    pub(crate) program: String,
    /// The connection attribute `_pid`.
    pub(crate) process: Option<u64>,
}

/// Reads the client's answer to the greeting.
pub(crate) fn decode_answer(body: &[u8]) -> Result<Answer, PacketError> {
    let mut reader = Reader::new(body);
    let capabilities = Capabilities(reader.u32()?);
    if !capabilities.has(Capabilities::PROTOCOL_41) {
        return Err(PacketError::Malformed);
    }
    // Longest packet, character set, and zeros.
    reader.take(4 + 1 + 23)?;
    if reader.is_at_end() && capabilities.has(Capabilities::SSL) {
        return Ok(Answer::Tls);
    }
    let user = text(reader.ended()?);
    let response = if capabilities.has(Capabilities::PLUGIN_AUTH_LENENC) {
        reader.bytes()?
    } else if capabilities.has(Capabilities::SECURE_CONNECTION) {
        let length = reader.byte()?;
        reader.take(length.into())?
    } else {
        reader.ended_or_rest()
    };
    let mut login = Login { capabilities, user, response: response.to_vec(), ..Login::default() };
    if capabilities.has(Capabilities::CONNECT_WITH_DB) {
        login.database = text(reader.ended_or_rest());
    }
    login.read_plugin_and_attributes(&mut reader)?;
    Ok(Answer::Login(login))
}

/// Reads the body of `COM_CHANGE_USER`, whose client has these capabilities.
pub(crate) fn decode_change_user(body: &[u8], capabilities: Capabilities) -> Result<Login, PacketError> {
    let mut reader = Reader::new(body);
    let user = text(reader.ended()?);
    let length = reader.byte()?;
    let response = reader.take(length.into())?.to_vec();
    let database = text(reader.ended_or_rest());
    let mut login = Login { capabilities, user, response, database, ..Login::default() };
    // The character set, unless the client ends here.
    if !reader.is_at_end() {
        reader.u16()?;
        login.read_plugin_and_attributes(&mut reader)?;
    }
    Ok(login)
}

impl Login {
    fn read_plugin_and_attributes(&mut self, reader: &mut Reader<'_>) -> Result<(), PacketError> {
        if self.capabilities.has(Capabilities::PLUGIN_AUTH) && !reader.is_at_end() {
            self.plugin = Some(text(reader.ended_or_rest()));
        }
        if self.capabilities.has(Capabilities::CONNECT_ATTRS) && !reader.is_at_end() {
            self.read_attributes(reader.bytes()?)?;
        }
        Ok(())
    }

    fn read_attributes(&mut self, attributes: &[u8]) -> Result<(), PacketError> {
        let mut reader = Reader::new(attributes);
        for _ in 0..MOST_ATTRIBUTES {
            if reader.is_at_end() {
                break;
            }
            match (reader.bytes()?, reader.bytes()?) {
                (b"program_name", value) => self.program = text(value),
                (b"_pid", value) => self.process = text(value).parse().ok(),
                _ => {}
            }
        }
        Ok(())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The request to answer by another plugin.
pub(crate) fn put_auth_switch(out: &mut Vec<u8>, plugin: &str, data: &[u8]) {
    out.push(0xfe);
    put_ended(out, plugin.as_bytes());
    put_ended(out, data);
}

/// More data of a plugin.
pub(crate) fn put_auth_more(out: &mut Vec<u8>, data: &[u8]) {
    out.push(0x01);
    out.extend_from_slice(data);
}

/// A client's answer, as a client writes it: for tests of this side.
#[cfg(test)]
fn put_answer(out: &mut Vec<u8>, login: &Login) {
    use super::packet::put_bytes;

    let has = |flag| login.capabilities.has(flag);
    out.extend_from_slice(&login.capabilities.0.to_le_bytes());
    out.extend_from_slice(&[0, 0, 0, 1, 45]);
    out.extend_from_slice(&[0; 23]);
    put_ended(out, login.user.as_bytes());
    if has(Capabilities::PLUGIN_AUTH_LENENC) {
        put_bytes(out, &login.response);
    } else {
        out.push(login.response.len() as u8);
        out.extend_from_slice(&login.response);
    }
    if has(Capabilities::CONNECT_WITH_DB) {
        put_ended(out, login.database.as_bytes());
    }
    if let Some(plugin) = &login.plugin {
        put_ended(out, plugin.as_bytes());
    }
    if has(Capabilities::CONNECT_ATTRS) {
        let mut attributes = Vec::new();
        for (name, value) in [("_os", "Linux"), ("program_name", &login.program), ("_pid", "7")] {
            put_bytes(&mut attributes, name.as_bytes());
            put_bytes(&mut attributes, value.as_bytes());
        }
        put_bytes(out, &attributes);
    }
}

#[cfg(test)]
mod tests {
    use mysql_common::io::ParseBuf;
    use mysql_common::packets::HandshakePacket;
    use mysql_common::proto::MyDeserialize;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_greeting_is_read_by_a_driver_as_it_is_meant() {
        let scramble = *b"abcdefghijklmnopqrst";
        let capabilities = Capabilities::OFFERED.with(Capabilities::SSL);
        let greeting = Greeting {
            version: "8.4.0-x",
            thread: 7,
            scramble: &scramble,
            capabilities,
            plugin: "caching_sha2_password",
        };
        let mut out = Vec::new();
        greeting.put(&mut out);
        let read = HandshakePacket::deserialize((), &mut ParseBuf(&out)).unwrap();
        assert_eq!(read.server_version_parsed(), Some((8, 4, 0)));
        assert_eq!((read.connection_id(), read.capabilities().bits()), (7, capabilities.0));
        assert_eq!(read.nonce(), scramble);
        assert_eq!(read.auth_plugin_name_ref(), Some(&b"caching_sha2_password"[..]));
    }

    #[test]
    fn a_request_for_tls_is_an_answer_cut_off() {
        let capabilities = Capabilities::OFFERED.with(Capabilities::SSL);
        let mut out = Vec::new();
        put_answer(&mut out, &Login { capabilities, ..Login::default() });
        assert_eq!(decode_answer(&out[..32]), Ok(Answer::Tls));
        assert_eq!(decode_answer(&out[..31]), Err(PacketError::Malformed));
        out[1] &= !0x08;
        assert_eq!(decode_answer(&out[..32]), Err(PacketError::Malformed), "no TLS wanted, no user given");
    }

    fn flags() -> impl Strategy<Value = Capabilities> {
        any::<u32>()
            .prop_map(|bits| Capabilities(bits).with(Capabilities::PROTOCOL_41).with(Capabilities::SECURE_CONNECTION))
    }

    proptest! {
        #[test]
        fn answers_survive(
            capabilities in flags(), user in "[^\0]{0,20}", response in prop::collection::vec(any::<u8>(), 0..250),
            database in "[^\0]{0,9}", plugin in "[a-z_]{1,20}", program in ".{0,20}",
        ) {
            let has = |flag| capabilities.has(flag);
            let login = Login {
                capabilities,
                user,
                response,
                database: if has(Capabilities::CONNECT_WITH_DB) { database } else { String::new() },
                plugin: has(Capabilities::PLUGIN_AUTH).then_some(plugin),
                program: if has(Capabilities::CONNECT_ATTRS) { program } else { String::new() },
                process: has(Capabilities::CONNECT_ATTRS).then_some(7),
            };
            let mut out = Vec::new();
            put_answer(&mut out, &login);
            prop_assert_eq!(decode_answer(&out), Ok(Answer::Login(login)));
        }

        #[test]
        fn any_bytes_are_an_answer_or_refused(bytes: Vec<u8>, capabilities in flags()) {
            let _ = decode_answer(&bytes);
            let _ = decode_change_user(&bytes, capabilities);
            let mut whole = capabilities.0.to_le_bytes().to_vec();
            whole.extend_from_slice(&[0; 28]);
            whole.extend_from_slice(&bytes);
            let _ = decode_answer(&whole);
        }
    }
}
