//! What one side writes the other reads; `mysql_common` reads it too, and writes the same.

use std::collections::HashMap;

use mysql_common::constants::CapabilityFlags;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::{MyDeserialize, MySerialize};
use proptest::prelude::*;

use super::recorded;
use crate::protocol::greeting::Greeting;
use crate::protocol::reply::{AuthReply, Done, ServerError};
use crate::protocol::request::{self, First, Login};
use crate::protocol::{DecodeError, UTF8MB4, capability, packet, plugin, put_lenenc};

fn only(bytes: &[u8], sequence: u8) -> &[u8] {
    let (header, payload) = packet::decode(bytes).expect("a whole packet");
    assert_eq!((header.sequence, header.length + packet::HEADER), (sequence, bytes.len()));
    payload
}

/// Every combination of the fields that depend on capabilities.
fn logins() -> Vec<(u32, Vec<u8>)> {
    let optional = [
        capability::CONNECT_WITH_DB,
        capability::PLUGIN_AUTH,
        capability::CONNECT_ATTRS,
        capability::PLUGIN_AUTH_LENENC,
        capability::SSL,
    ];
    (0..1u32 << optional.len())
        .map(|set| {
            let with: u32 = optional.iter().enumerate().filter(|(i, _)| set & 1 << i != 0).map(|(_, bit)| bit).sum();
            let without = capability::CLIENT & !optional.iter().fold(0, |all, bit| all | bit);
            let answer = if with & capability::PLUGIN_AUTH_LENENC != 0 { vec![0xA5; 300] } else { vec![0xA5; 20] };
            (with | without, answer)
        })
        .collect()
}

#[test]
fn logins_as_the_server_reads_them_and_as_mysql_common_does() {
    let mut attributes = Vec::new();
    request::put_attribute(&mut attributes, "program_name", "peaje");
    request::put_attribute(&mut attributes, "_pid", &"7".repeat(260));
    for (capabilities, answer) in logins() {
        let has = |bit| capabilities & bit != 0;
        let given = |bit, value| if has(bit) { value } else { &b""[..] };
        let login = Login {
            capabilities,
            collation: UTF8MB4,
            user: "ann\u{e9}".as_bytes(),
            answer: &answer,
            database: given(capability::CONNECT_WITH_DB, b"shop"),
            auth_plugin: given(capability::PLUGIN_AUTH, plugin::CACHING_SHA2.as_bytes()),
            attributes: given(capability::CONNECT_ATTRS, &attributes),
        };
        let mut out = Vec::new();
        login.encode(&mut out, 2);
        let payload = only(&out, 2);
        assert_eq!(First::decode(payload), Ok(First::Login(login)));

        let theirs = HandshakeResponse::deserialize((), &mut ParseBuf(payload)).unwrap();
        assert_eq!((theirs.user(), theirs.scramble_buf()), (login.user, login.answer));
        assert_eq!(theirs.capabilities().bits(), capabilities);
        assert_eq!(theirs.db_name(), has(capability::CONNECT_WITH_DB).then_some(login.database));
        assert_eq!(theirs.auth_plugin(), has(capability::PLUGIN_AUTH).then_some(&AuthPlugin::CachingSha2Password));
        let pairs = request::attributes(login.attributes).unwrap();
        let pairs: HashMap<String, String> = pairs
            .into_iter()
            .map(|(k, v)| (String::from_utf8(k.to_vec()).unwrap(), String::from_utf8(v.to_vec()).unwrap()))
            .collect();
        assert_eq!(theirs.connect_attributes(), has(capability::CONNECT_ATTRS).then_some(pairs));
    }
}

#[test]
fn a_login_is_written_as_mysql_common_writes_it() {
    let mut attributes = Vec::new();
    request::put_attribute(&mut attributes, "program_name", "peaje");
    let theirs = HandshakeResponse::new(
        Some(&[1u8; 20][..]),
        (8, 0, 0),
        Some(&b"ann"[..]),
        Some(&b"shop"[..]),
        Some(AuthPlugin::MysqlNativePassword),
        CapabilityFlags::from_bits_truncate(capability::CLIENT),
        Some(HashMap::from([("program_name".to_owned(), "peaje".to_owned())])),
        0x0100_0000,
    );
    let mut expected = Vec::new();
    theirs.serialize(&mut expected);
    let login = Login {
        capabilities: capability::CLIENT | capability::CONNECT_WITH_DB,
        collation: UTF8MB4,
        user: b"ann",
        answer: &[1; 20],
        database: b"shop",
        auth_plugin: plugin::NATIVE.as_bytes(),
        attributes: &attributes,
    };
    let mut out = Vec::new();
    login.encode(&mut out, 1);
    assert_eq!(only(&out, 1), expected);
}

#[test]
fn the_request_for_tls() {
    let mut out = Vec::new();
    request::ssl_request(&mut out, 1, capability::CLIENT, UTF8MB4);
    let capabilities = capability::CLIENT | capability::SSL;
    assert_eq!(First::decode(only(&out, 1)), Ok(First::Ssl(capabilities)));
    let mut expected = Vec::new();
    SslRequest::new(CapabilityFlags::from_bits_truncate(capabilities), 0x0100_0000, UTF8MB4).serialize(&mut expected);
    assert_eq!(only(&out, 1), expected);
}

#[test]
fn greetings() {
    let greeting = Greeting {
        server_version: b"8.4.0-peaje",
        connection_id: 4711,
        nonce: *b"abcdefghijklmnopqrst",
        capabilities: capability::SERVER | capability::SSL,
        mariadb_capabilities: 0,
        collation: UTF8MB4,
        status: 2,
        auth_plugin: plugin::CACHING_SHA2.as_bytes(),
    };
    for capabilities in [
        capability::SERVER | capability::SSL,
        capability::SERVER & !capability::PLUGIN_AUTH,
        capability::SERVER & !capability::LONG_PASSWORD,
    ] {
        let named = capabilities & capability::PLUGIN_AUTH != 0;
        let mariadb = capabilities & capability::LONG_PASSWORD == 0;
        let greeting = Greeting {
            capabilities,
            auth_plugin: if named { greeting.auth_plugin } else { b"" },
            mariadb_capabilities: if mariadb { 0x1D } else { 0 },
            ..greeting
        };
        let mut out = Vec::new();
        greeting.encode(&mut out);
        let payload = only(&out, 0);
        assert_eq!(Greeting::decode(payload), Ok(greeting));
        let theirs = HandshakePacket::deserialize((), &mut ParseBuf(payload)).unwrap();
        assert_eq!((theirs.nonce(), theirs.connection_id()), (greeting.nonce.to_vec(), 4711));
        assert_eq!(theirs.auth_plugin_name_ref().unwrap_or_default(), greeting.auth_plugin);
    }
    let mut again = Vec::new();
    let recorded = Greeting::decode(&recorded::GREETING[packet::HEADER..]).unwrap();
    recorded.encode(&mut again);
    assert_eq!(again, recorded::GREETING);
}

#[test]
fn greetings_of_other_protocols() {
    assert_eq!(Greeting::decode(b"\x09old"), Err(DecodeError::Version(9)));
    assert_eq!(Greeting::decode(b"SSH-2.0-OpenSSH_9.2p1"), Err(DecodeError::Version(b'S')));
    assert!(matches!(Greeting::decode(b""), Err(DecodeError::Short(_))));
    // The length of the challenge that a second implementation stumbles over.
    let mut odd = recorded::GREETING[packet::HEADER..].to_vec();
    let at = odd.windows(2).position(|w| w == [0x81, 0x15]).unwrap() + 1;
    for length in 0..=u8::MAX {
        odd[at] = length;
        let _ = Greeting::decode(&odd);
    }
}

#[test]
fn replies() {
    let words = [
        AuthReply::Ok(Done { affected_rows: 300, last_insert_id: 70_000, status: 2, warnings: 1, info: b"hello" }),
        AuthReply::Error(ServerError { code: 1045, sqlstate: Some(*b"28000"), message: b"no" }),
        AuthReply::Error(ServerError { code: 1040, sqlstate: None, message: b"full" }),
        AuthReply::Switch { plugin: b"client_ed25519", data: &[7; 32] },
        AuthReply::OldPassword,
        AuthReply::More(&[plugin::FULL]),
        AuthReply::More(b""),
    ];
    for word in words {
        let mut out = Vec::new();
        word.encode(&mut out, 5);
        assert_eq!(AuthReply::decode(only(&out, 5)), Ok(word));
    }
}

#[test]
fn payloads_of_any_length_are_framed() {
    for length in [0, 1, 0xFF_FF_FE, 0xFF_FF_FF, 0x100_0000, 0x200_0000] {
        let mut out = Vec::new();
        let next = packet::encode_long(&mut out, 0, &vec![1; length]);
        let (mut rest, mut total, mut count) = (out.as_slice(), 0, 0u8);
        while let Some((header, payload)) = packet::decode(rest) {
            assert_eq!(header.sequence, count);
            rest = &rest[packet::HEADER + payload.len()..];
            total += payload.len();
            count += 1;
        }
        assert_eq!((total, count, rest), (length, next, &b""[..]));
        assert_eq!(usize::from(count), length / 0xFF_FF_FF + 1);
    }
}

proptest! {
    #[test]
    fn numbers_of_every_size(
        value in prop_oneof![any::<u64>(), 0u64..300, 65_000u64..66_000, 16_777_000u64..16_778_000],
    ) {
        let mut out = vec![0];
        put_lenenc(&mut out, value);
        out.extend_from_slice(&[0, 2, 0, 0, 0]);
        let done = Done::decode(&out).unwrap();
        prop_assert_eq!((done.affected_rows, done.last_insert_id, done.status), (value, 0, 2));
    }
}
