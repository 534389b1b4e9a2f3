//! Packets as MariaDB 10.11.19 has sent them, byte for byte; MySQL's as its documentation shows them.

use crate::protocol::greeting::Greeting;
use crate::protocol::reply::{AuthReply, Done, ServerError};
use crate::protocol::{capability, packet, plugin};

pub(crate) const GREETING: &[u8] = b"d\0\0\0\n5.5.5-10.11.19-MariaDB-0+deb12u1\0\x07\0\0\0Tsh2ZQh6\0\xfe\xff\x08\x02\0\
    \xff\x81\x15\0\0\0\0\0\0\x1d\0\0\0te}ec@ScvG@L\0mysql_native_password\0";
pub(crate) const OK: &[u8] = b"\x07\0\0\x02\0\0\0\x02\0\0\0";
pub(crate) const TOO_MANY: &[u8] = b"\x17\0\0\0\xff\x10\x04Too many connections";
pub(crate) const WRONG_PASSWORD: &[u8] =
    b"J\0\0\x02\xff\x15\x04#28000Access denied for user 'native'@'127.0.0.1' (using password: YES)";
pub(crate) const WRONG_SYSTEM_USER: &[u8] = b"3\0\0\x02\xff\xa2\x06#28000Access denied for user 'root2'@'localhost'";
pub(crate) const NO_RIGHTS: &[u8] =
    b"?\0\0\x02\xff\x14\x04#42000Access denied for user 'native'@'%' to database 'shop'";
pub(crate) const LOCKED: &[u8] = b".\0\0\x02\xff7\x10#HY000Access denied, this account is locked";
pub(crate) const CAPPED: &[u8] =
    b"Z\0\0\x02\xff\xca\x04#42000User 'capped' has exceeded the 'max_user_connections' resource (current value: 1)";
pub(crate) const TO_ED25519: &[u8] =
    b"0\0\0\x02\xfeclient_ed25519\0\x7f\x8a\xee\rXC\x07\x9c\xdcs(@\x10\xb0\xd9u\xab\x0b1\
    \xd6\xaf\x13\x13\xc1\x01\xab\xa5GQ\xe5h\x0e";
pub(crate) const TO_NATIVE: &[u8] = b",\0\0\x04\xfemysql_native_password\0rz.t~<NVE5y&M1Nsvz#:\0";
pub(crate) const SELECT_1: &[u8] = b"\x01\0\0\x01\x01\x17\0\0\x02\x03def\0\0\0\x011\0\x0c?\0\x01\0\0\0\x03\x81\0\0\0\0\
    \x02\0\0\x03\x011\x07\0\0\x04\xfe\0\0\x02\0\0\0";
pub(crate) const EXPIRED: &[u8] = b">\0\0\x01\xff\x1c\x07#HY000You must SET PASSWORD before executing this statement";

fn payload(bytes: &[u8]) -> &[u8] {
    let (header, payload) = packet::decode(bytes).unwrap();
    assert_eq!(header.length + packet::HEADER, bytes.len());
    payload
}

#[test]
fn a_greeting_of_mariadb() {
    let greeting = Greeting::decode(payload(GREETING)).unwrap();
    assert_eq!(greeting.server_version, b"5.5.5-10.11.19-MariaDB-0+deb12u1");
    assert_eq!((greeting.connection_id, greeting.collation, greeting.status), (7, 8, 2));
    assert_eq!(&greeting.nonce, b"Tsh2ZQh6te}ec@ScvG@L");
    assert_eq!(greeting.auth_plugin, plugin::NATIVE.as_bytes());
    assert_eq!((greeting.capabilities, greeting.mariadb_capabilities), (0x81FF_FFFE, 0x1D));
    assert_ne!(greeting.capabilities & capability::SSL, 0);
}

/// From the source documentation of MySQL ("Protocol::HandshakeV10"), a server of version 5.6.4 with a plugin name that
/// is not ended by a zero.
#[test]
fn a_greeting_of_mysql() {
    let bytes = b"\x0a5.6.4-m7-log\x00\x56\x0a\x00\x00\x52\x42\x33\x76\x7a\x26\x47\x72\x00\xff\xff\x08\x02\x00\x0f\xc0\
        \x15\0\0\0\0\0\0\0\0\0\0\x2b\x79\x44\x26\x2f\x5a\x5a\x33\x30\x35\x5a\x47\x00mysql_native_password";
    let greeting = Greeting::decode(bytes).unwrap();
    assert_eq!((greeting.server_version, greeting.connection_id), (&b"5.6.4-m7-log"[..], 2646));
    assert_eq!(&greeting.nonce, b"RB3vz&Gr+yD&/ZZ305ZG");
    assert_eq!((greeting.capabilities, greeting.mariadb_capabilities), (0xC00F_FFFF, 0));
    assert_eq!(greeting.auth_plugin, b"mysql_native_password");
}

#[test]
fn words_of_the_authentication() {
    let ok = AuthReply::decode(payload(OK)).unwrap();
    assert_eq!(ok, AuthReply::Ok(Done { status: 2, ..Done::default() }));
    let AuthReply::Switch { plugin, data } = AuthReply::decode(payload(TO_ED25519)).unwrap() else { panic!() };
    assert_eq!((plugin, data.len()), (plugin::ED25519.as_bytes(), 32));
    let AuthReply::Switch { plugin, data } = AuthReply::decode(payload(TO_NATIVE)).unwrap() else { panic!() };
    assert_eq!((plugin, data), (plugin::NATIVE.as_bytes(), &b"rz.t~<NVE5y&M1Nsvz#:\0"[..]));
    assert_eq!(AuthReply::decode(b"\xfe"), Ok(AuthReply::OldPassword));
    assert_eq!(AuthReply::decode(b"\x01\x04"), Ok(AuthReply::More(b"\x04")));
    assert_eq!(AuthReply::decode(b"\x02rest"), Ok(AuthReply::More(b"\x02rest")));
}

#[test]
fn errors() {
    type Case<'a> = (&'a [u8], u16, Option<&'a [u8; 5]>, &'a str);
    let table: [Case<'_>; 6] = [
        (TOO_MANY, 1040, None, "Too many connections"),
        (WRONG_PASSWORD, 1045, Some(b"28000"), "Access denied for user 'native'@'127.0.0.1' (using password: YES)"),
        (WRONG_SYSTEM_USER, 1698, Some(b"28000"), "Access denied for user 'root2'@'localhost'"),
        (NO_RIGHTS, 1044, Some(b"42000"), "Access denied for user 'native'@'%' to database 'shop'"),
        (LOCKED, 4151, Some(b"HY000"), "Access denied, this account is locked"),
        (EXPIRED, 1820, Some(b"HY000"), "You must SET PASSWORD before executing this statement"),
    ];
    for (bytes, code, sqlstate, message) in table {
        let expected = ServerError { code, sqlstate: sqlstate.copied(), message: message.as_bytes() };
        assert_eq!(ServerError::decode(payload(bytes)), Ok(expected));
        assert_eq!(AuthReply::decode(payload(bytes)), Ok(AuthReply::Error(expected)));
    }
}
