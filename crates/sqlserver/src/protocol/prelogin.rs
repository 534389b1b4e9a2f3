//! PRELOGIN: versions, and whether there will be TLS. Question and answer have the same form.
//!
//! A newcomer would take `ENCRYPT_OFF` for no encryption. It means that *only the login* is encrypted; no encryption at
//! all is `ENCRYPT_NOT_SUP`.

use super::DecodeError;
use super::read::Body;

const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD_ID: u8 = 3;
const MARS: u8 = 4;
const TRACE_ID: u8 = 5;
const FED_AUTH_REQUIRED: u8 = 6;
const NONCE: u8 = 7;
const TERMINATOR: u8 = 0xff;

/// What one side says of encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Encryption {
    /// Only the login needs to be encrypted (`ENCRYPT_OFF`).
    #[default]
    LoginOnly = 0,
    /// Everything is to be encrypted (`ENCRYPT_ON`).
    On = 1,
    /// It cannot be encrypted (`ENCRYPT_NOT_SUP`).
    NotSupported = 2,
    /// It has to be encrypted (`ENCRYPT_REQ`).
    Required = 3,
}

impl Encryption {
    fn from_byte(byte: u8) -> Option<Self> {
        // Bit 7 says that the client shows a certificate.
        match byte & 0x7f {
            0 => Some(Self::LoginOnly),
            1 => Some(Self::On),
            2 => Some(Self::NotSupported),
            3 => Some(Self::Required),
            _ => None,
        }
    }
}

/// What both sides have agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agreed {
    /// No TLS at all.
    Plain,
    /// TLS for the login message, then plain text.
    LoginOnly,
    /// TLS for the whole session.
    Full,
    /// The client insists on TLS, the server has none.
    ServerCannot,
    /// The server insists on TLS, the client has none.
    ClientCannot,
}

/// What follows from the client's word and the server's answer (MS-TDS, section 2.2.6.5).
pub fn agreed(client: Encryption, server: Encryption) -> Agreed {
    use Encryption as E;
    match (client, server) {
        (E::NotSupported | E::LoginOnly, E::NotSupported) => Agreed::Plain,
        (E::NotSupported, _) => Agreed::ClientCannot,
        (E::LoginOnly, E::LoginOnly) => Agreed::LoginOnly,
        (E::On | E::Required, E::NotSupported | E::LoginOnly) => Agreed::ServerCannot,
        (_, E::On | E::Required) => Agreed::Full,
    }
}

/// What a server answers to a client's word, by its own setting.
pub fn answer(client: Encryption, server: Encryption) -> Encryption {
    use Encryption as E;
    match (client, server) {
        (_, E::NotSupported) | (E::NotSupported, E::LoginOnly) => E::NotSupported,
        (E::LoginOnly, E::LoginOnly) => E::LoginOnly,
        (E::On | E::Required, _) => E::On,
        (_, E::Required | E::On) => E::Required,
    }
}

/// A connection's identity for the traces of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TraceId {
    /// The connection.
    pub connection: [u8; 16],
    /// The activity it belongs to.
    pub activity: [u8; 16],
    /// Position within the activity.
    pub sequence: u32,
}

/// The message; fields that are `None` are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prelogin {
    /// Major, minor, build (high, low), sub-build: of the driver, or of the server; 16.0.4150 is
    /// `[16, 0, 0x10, 0x36, 0, 0]`.
    pub version: [u8; 6],
    /// Encryption.
    pub encryption: Option<Encryption>,
    /// Instance name; a server answers 0 (fits) or 1 (does not).
    pub instance: Option<Vec<u8>>,
    /// The client's thread (servers send it empty).
    pub thread_id: Option<Vec<u8>>,
    /// Several requests at a time.
    pub mars: Option<bool>,
    /// Identity for traces.
    pub trace_id: Option<TraceId>,
    /// The client can, or the server wants, an access token.
    pub fed_auth_required: Option<bool>,
    /// Random bytes that an access token is bound to.
    pub nonce: Option<[u8; 32]>,
}

impl Prelogin {
    /// Appends the message's payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let options = self.options();
        let mut offset = options.len() * 5 + 1;
        for (token, data) in &options {
            out.push(*token);
            out.extend_from_slice(&(offset as u16).to_be_bytes());
            out.extend_from_slice(&(data.len() as u16).to_be_bytes());
            offset += data.len();
        }
        out.push(TERMINATOR);
        for (_, data) in &options {
            out.extend_from_slice(data);
        }
    }

    fn options(&self) -> Vec<(u8, Vec<u8>)> {
        let mut options = vec![(VERSION, self.version.to_vec())];
        let byte = |flag: bool| vec![u8::from(flag)];
        let optional = [
            (ENCRYPTION, self.encryption.map(|e| vec![e as u8])),
            (INSTANCE, self.instance.clone()),
            (THREAD_ID, self.thread_id.clone()),
            (MARS, self.mars.map(byte)),
            (TRACE_ID, self.trace_id.map(|id| id.encode())),
            (FED_AUTH_REQUIRED, self.fed_auth_required.map(byte)),
            (NONCE, self.nonce.map(|n| n.to_vec())),
        ];
        options.extend(optional.into_iter().filter_map(|(token, data)| Some((token, data?))));
        options
    }

    /// Reads a message's payload. Options that are not known are passed over.
    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut seen = Self::default();
        let mut list = Body::new(payload);
        let mut has_version = false;
        loop {
            let token = list.u8("the list of options")?;
            if token == TERMINATOR {
                break;
            }
            let offset = usize::from(list.u16_be("an option's offset")?);
            let length = usize::from(list.u16_be("an option's length")?);
            let data = payload
                .get(offset..offset + length)
                .ok_or(DecodeError::Malformed("an option outside of its message"))?;
            has_version |= token == VERSION;
            seen.note(token, data)?;
        }
        if has_version { Ok(seen) } else { Err(DecodeError::Malformed("a PRELOGIN without a version")) }
    }

    fn note(&mut self, token: u8, data: &[u8]) -> Result<(), DecodeError> {
        match token {
            VERSION => self.version = Body::new(data).array("the version")?,
            ENCRYPTION => {
                let byte = Body::new(data).u8("the encryption")?;
                let word = Encryption::from_byte(byte).ok_or(DecodeError::Malformed("a word on encryption"))?;
                self.encryption = Some(word);
            }
            INSTANCE => self.instance = Some(data.to_vec()),
            THREAD_ID => self.thread_id = Some(data.to_vec()),
            MARS => self.mars = Some(data.first().is_some_and(|b| *b != 0)),
            TRACE_ID if data.len() == 36 => self.trace_id = Some(TraceId::decode(data)?),
            FED_AUTH_REQUIRED => self.fed_auth_required = Some(data.first().is_some_and(|b| *b != 0)),
            NONCE if !data.is_empty() => self.nonce = Some(Body::new(data).array("the nonce")?),
            _ => {}
        }
        Ok(())
    }
}

impl TraceId {
    fn encode(&self) -> Vec<u8> {
        [&self.connection[..], &self.activity, &self.sequence.to_le_bytes()].concat()
    }

    fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut body = Body::new(data);
        Ok(Self {
            connection: body.array("the trace id")?,
            activity: body.array("the trace id")?,
            sequence: body.u32("the trace id")?,
        })
    }
}
