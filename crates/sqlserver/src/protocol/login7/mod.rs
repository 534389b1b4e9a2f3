//! LOGIN7: who logs in, and what the client can do.
//!
//! A newcomer would take the password for encrypted. Its bytes are only shuffled: whoever sees the message reads it.

use peaje_model::Secret;

use super::read::{Body, utf16};
use super::{DecodeError, TDS_7_4, write};

mod features;

pub use features::{Feature, feature};

/// Fixed part, up to the first variable field.
const FIXED: usize = 94;
/// Longest text of a field, in UTF-16 units (MS-TDS, section 2.2.6.4).
pub const LONGEST_FIELD: usize = 128;

/// The message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login7 {
    /// Version of the protocol.
    pub tds_version: u32,
    /// Packet size asked for.
    pub packet_size: u32,
    /// Version of the driver.
    pub client_version: u32,
    /// The client's process.
    pub process_id: u32,
    /// Number of a primary connection (reconnects).
    pub connection_id: u32,
    /// Byte order, character set, floating point, `USE` notices, database and language are fatal.
    pub option_flags_1: u8,
    /// Language, ODBC, user type, Windows authentication.
    pub option_flags_2: u8,
    /// SQL dialect, OLE DB, read-only intent.
    pub type_flags: u8,
    /// Password change, instance of one's own, XML, extensions.
    pub option_flags_3: u8,
    /// Minutes from UTC.
    pub time_zone: i32,
    /// Language and collation.
    pub lcid: u32,
    /// Name of the client's machine.
    pub host_name: String,
    /// Login name.
    pub user: String,
    /// Password.
    pub password: Secret,
    /// Program name.
    pub program: String,
    /// The server as the client names it.
    pub server: String,
    /// Name of the driver.
    pub library: String,
    /// Language.
    pub language: String,
    /// Database.
    pub database: String,
    /// Hardware address of the client.
    pub client_id: [u8; 6],
    /// First message of Windows authentication.
    pub sspi: Vec<u8>,
    /// File to attach.
    pub attach_file: String,
    /// New password.
    pub new_password: Secret,
    /// Feature extensions, in order.
    pub features: Vec<Feature>,
}

/// Bit of [`Login7::option_flags_2`]: the login fails if the language cannot be set.
pub const LANGUAGE_FATAL: u8 = 0x01;
/// Bit of [`Login7::option_flags_2`]: an ODBC-like client (`ANSI_DEFAULTS` and no row limits).
pub const ODBC: u8 = 0x02;
/// Bit of [`Login7::option_flags_2`]: Windows authentication.
pub const INTEGRATED_SECURITY: u8 = 0x80;
/// Bits of [`Login7::option_flags_1`]: `USE` gives a notice, and a database or language that cannot be set is fatal.
pub const NOTICES_AND_FATAL: u8 = 0xe0;
/// Bit of [`Login7::type_flags`]: `ApplicationIntent=ReadOnly`.
pub const READ_ONLY_INTENT: u8 = 0x20;
/// Bit of [`Login7::option_flags_3`]: feature extensions follow.
pub const EXTENSION: u8 = 0x10;
/// Bit of [`Login7::option_flags_3`]: collations that the client does not know may be sent.
pub const UNKNOWN_COLLATIONS: u8 = 0x08;

impl Default for Login7 {
    fn default() -> Self {
        Self {
            tds_version: TDS_7_4,
            packet_size: 4096,
            client_version: 0,
            process_id: 0,
            connection_id: 0,
            option_flags_1: NOTICES_AND_FATAL,
            option_flags_2: LANGUAGE_FATAL | ODBC,
            type_flags: 0,
            option_flags_3: 0,
            time_zone: 0,
            lcid: 0x0409,
            host_name: String::new(),
            user: String::new(),
            password: Secret::default(),
            program: String::new(),
            server: String::new(),
            library: String::new(),
            language: String::new(),
            database: String::new(),
            client_id: [0; 6],
            sspi: Vec::new(),
            attach_file: String::new(),
            new_password: Secret::default(),
            features: Vec::new(),
        }
    }
}

impl Login7 {
    /// Appends the message's payload. Texts longer than [`LONGEST_FIELD`] are cut; check before.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let numbers = [0, self.tds_version, self.packet_size, self.client_version, self.process_id, self.connection_id];
        out.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        let extension = if self.features.is_empty() { 0 } else { EXTENSION };
        out.extend_from_slice(&[
            self.option_flags_1,
            self.option_flags_2,
            self.type_flags,
            self.option_flags_3 | extension,
        ]);
        out.extend_from_slice(&self.time_zone.to_le_bytes());
        out.extend_from_slice(&self.lcid.to_le_bytes());
        let mut data = Vec::with_capacity(256);
        let extension_at = self.directory(out, &mut data);
        if let Some(at) = extension_at {
            let offset = (FIXED + data.len()) as u32;
            data[at..at + 4].copy_from_slice(&offset.to_le_bytes());
            features::encode(&self.features, &mut data);
        }
        out.extend_from_slice(&data);
        let length = (out.len() - start) as u32;
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// Offsets and lengths of the variable fields, and the fields. Returns where the features' offset belongs.
    fn directory(&self, out: &mut Vec<u8>, data: &mut Vec<u8>) -> Option<usize> {
        text(out, data, &self.host_name);
        text(out, data, &self.user);
        secret(out, data, &self.password);
        text(out, data, &self.program);
        text(out, data, &self.server);
        let extension_at = if self.features.is_empty() {
            field(out, data, &[], 0);
            None
        } else {
            field(out, data, &[0; 4], 4);
            Some(data.len() - 4)
        };
        text(out, data, &self.library);
        text(out, data, &self.language);
        text(out, data, &self.database);
        out.extend_from_slice(&self.client_id);
        field(out, data, &self.sspi, self.sspi.len().min(0xffff));
        text(out, data, &self.attach_file);
        secret(out, data, &self.new_password);
        let long_sspi = if self.sspi.len() >= 0xffff { self.sspi.len() as u32 } else { 0 };
        out.extend_from_slice(&long_sspi.to_le_bytes());
        extension_at
    }

    /// Reads a message's payload.
    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut body = Body::new(payload);
        let length = body.u32("the length")? as usize;
        if length > payload.len() || length < FIXED - 8 {
            return Err(DecodeError::Malformed("the length of LOGIN7"));
        }
        let mut login = Login7 {
            tds_version: body.u32("the version")?,
            packet_size: body.u32("the packet size")?,
            client_version: body.u32("the driver's version")?,
            process_id: body.u32("the process")?,
            connection_id: body.u32("the connection")?,
            option_flags_1: body.u8("the options")?,
            option_flags_2: body.u8("the options")?,
            type_flags: body.u8("the type")?,
            option_flags_3: body.u8("the options")?,
            time_zone: body.array("the time zone").map(i32::from_le_bytes)?,
            lcid: body.u32("the language")?,
            ..Login7::default()
        };
        login.fields(&mut body, payload)?;
        Ok(login)
    }

    fn fields(&mut self, body: &mut Body<'_>, payload: &[u8]) -> Result<(), DecodeError> {
        self.host_name = utf16(slice(body, payload, 2)?);
        self.user = utf16(slice(body, payload, 2)?);
        self.password = revealed(slice(body, payload, 2)?);
        self.program = utf16(slice(body, payload, 2)?);
        self.server = utf16(slice(body, payload, 2)?);
        let extension = slice(body, payload, 1)?;
        self.library = utf16(slice(body, payload, 2)?);
        self.language = utf16(slice(body, payload, 2)?);
        self.database = utf16(slice(body, payload, 2)?);
        self.client_id = body.array("the hardware address")?;
        self.sspi = slice(body, payload, 1)?.to_vec();
        self.attach_file = utf16(slice(body, payload, 2)?);
        // Clients of TDS 7.1 end here.
        if body.position() + 8 <= FIXED && self.tds_version >= 0x7200_0000 {
            self.new_password = revealed(slice(body, payload, 2)?);
        }
        if self.option_flags_3 & EXTENSION != 0 && !extension.is_empty() {
            self.features = features::decode(extension, payload)?;
        }
        Ok(())
    }
}

fn field(out: &mut Vec<u8>, data: &mut Vec<u8>, bytes: &[u8], length: usize) {
    out.extend_from_slice(&((FIXED + data.len()) as u16).to_le_bytes());
    out.extend_from_slice(&(length as u16).to_le_bytes());
    data.extend_from_slice(bytes);
}

fn text(out: &mut Vec<u8>, data: &mut Vec<u8>, text: &str) {
    let text = write::cut(text, LONGEST_FIELD);
    let mut bytes = Vec::with_capacity(text.len() * 2);
    write::utf16(&mut bytes, text);
    field(out, data, &bytes, bytes.len() / 2);
}

fn secret(out: &mut Vec<u8>, data: &mut Vec<u8>, secret: &Secret) {
    let mut bytes = Vec::new();
    write::utf16(&mut bytes, write::cut(secret.expose(), LONGEST_FIELD));
    obscure(&mut bytes);
    field(out, data, &bytes, bytes.len() / 2);
}

/// Where the directory's next entry points to; `unit` is the size of what its length counts.
fn slice<'a>(body: &mut Body<'_>, payload: &'a [u8], unit: usize) -> Result<&'a [u8], DecodeError> {
    let offset = usize::from(body.u16("an offset")?);
    let length = usize::from(body.u16("a length")?) * unit;
    // The offset of an empty field may be anything.
    if length == 0 {
        return Ok(&[]);
    }
    payload.get(offset..offset + length).ok_or(DecodeError::Malformed("a field outside of LOGIN7"))
}

/// The password's bytes: halves exchanged, then exclusive-or with A5.
pub fn obscure(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = byte.rotate_left(4) ^ 0xa5;
    }
}

fn revealed(bytes: &[u8]) -> Secret {
    let clear: Vec<u8> = bytes.iter().map(|b| (b ^ 0xa5).rotate_left(4)).collect();
    Secret::new(utf16(&clear))
}
