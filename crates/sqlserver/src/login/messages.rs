//! The messages of a login, made once from the connection string.

use peaje_engine::Endpoint;
use peaje_model::Secret;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::{LoginOptions, SetupError};
use crate::config::{ApplicationIntent, Config, Encrypt};
use crate::protocol::login7::{Feature, LONGEST_FIELD, Login7, READ_ONLY_INTENT, UNKNOWN_COLLATIONS};
use crate::protocol::packet::{Framing, PacketKind};
use crate::protocol::prelogin::{Encryption, Prelogin, TraceId};
use crate::protocol::{TDS_7_4, TDS_8_0, request};

/// peaje's name where a driver says its own.
const LIBRARY: &str = "peaje";
/// 0.1: major, minor.
const VERSION: [u8; 6] = [0, 1, 0, 0, 0, 0];
/// As ADO.NET.
const PACKET_SIZE: u32 = 8000;

/// What is said of encryption in PRELOGIN.
pub(super) fn encryption(encrypt: Encrypt) -> Encryption {
    match encrypt {
        // Under strict encryption there is TLS already, and no other is wanted.
        Encrypt::Off | Encrypt::Strict => Encryption::NotSupported,
        Encrypt::LoginOnly => Encryption::LoginOnly,
        Encrypt::On => Encryption::On,
    }
}

/// PRELOGIN as it is sent, and where the connection's identity stands in it.
pub(super) fn prelogin(encrypt: Encrypt, instance: Option<&str>, with_token: bool) -> (Vec<u8>, usize) {
    let mut random = StdRng::from_os_rng();
    let mark = TraceId { connection: random.random(), activity: random.random(), sequence: 0 };
    let message = Prelogin {
        version: VERSION,
        encryption: Some(encryption(encrypt)),
        // The server says whether it is the one: a port may have gone to another instance meanwhile.
        instance: Some([instance.unwrap_or_default().as_bytes(), &[0]].concat()),
        thread_id: Some(std::process::id().to_le_bytes().to_vec()),
        mars: Some(false),
        trace_id: Some(mark),
        fed_auth_required: with_token.then_some(true),
        nonce: None,
    };
    let (mut payload, mut framed) = (Vec::new(), Vec::new());
    message.encode(&mut payload);
    Framing::new(PacketKind::Prelogin).write(&mut framed, &payload);
    let marked = [mark.connection, mark.activity].concat();
    let at = framed.windows(marked.len()).position(|w| w == marked).expect("the mark was just written");
    (framed, at)
}

/// LOGIN7, but for the access token.
pub(super) fn login(config: &Config, options: &LoginOptions, encrypt: Encrypt) -> Result<Login7, SetupError> {
    let program = [options.program_name.as_str(), config.application_name.as_deref().unwrap_or_default(), LIBRARY];
    let program = program.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let (user, password) = match &options.access_token {
        Some(_) => ("", Secret::default()),
        None => (config.user.as_str(), config.password.clone().unwrap_or_default()),
    };
    let server = config.endpoints.first().map(Endpoint::host).unwrap_or_default();
    let server = match &config.instance {
        Some(instance) => format!("{server}\\{instance}"),
        None => server,
    };
    let database = config.database.as_deref().unwrap_or_default();
    let language = config.language.as_deref().unwrap_or_default();
    let fields = [
        ("the user name", user),
        ("the password", password.expose()),
        ("the program name", program),
        ("the server's name", &server),
        ("the database name", database),
        ("the language", language),
    ];
    if let Some((name, _)) = fields.iter().find(|(_, text)| text.encode_utf16().count() > LONGEST_FIELD) {
        return Err(SetupError::TooLong(name));
    }
    Ok(Login7 {
        tds_version: if encrypt == Encrypt::Strict { TDS_8_0 } else { TDS_7_4 },
        packet_size: config.packet_size.unwrap_or(PACKET_SIZE),
        client_version: u32::from_be_bytes([VERSION[0], VERSION[1], VERSION[2], VERSION[3]]),
        process_id: std::process::id(),
        type_flags: if config.application_intent == ApplicationIntent::ReadOnly { READ_ONLY_INTENT } else { 0 },
        option_flags_3: UNKNOWN_COLLATIONS,
        host_name: config.workstation.clone(),
        user: user.to_owned(),
        password,
        program: program.to_owned(),
        server,
        library: LIBRARY.to_owned(),
        language: language.to_owned(),
        database: database.to_owned(),
        features: vec![Feature::Utf8Support],
        ..Login7::default()
    })
}

/// Appends LOGIN7 as it is sent.
pub(super) fn frame_login(login: &Login7, out: &mut Vec<u8>) {
    let mut payload = Vec::with_capacity(512);
    login.encode(&mut payload);
    // Another packet size holds only after the login.
    Framing::new(PacketKind::Login7).write(out, &payload);
}

/// The query as a payload; it is cut into packets when their size is known.
pub(super) fn query(sql: &str) -> Vec<u8> {
    let mut payload = Vec::new();
    if !sql.is_empty() {
        request::batch(&mut payload, sql);
    }
    payload
}
