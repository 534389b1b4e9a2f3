//! Bytes that nobody meant: decoders answer, and never panic, read past the end, or believe an impossible length.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::scram::{ChannelBinding, ClientKeys, ScramClient, ScramServer, ScramVerifier};
use super::super::{DecodeError, MAX_MESSAGE, MAX_STARTUP, backend, frontend};

/// A message with a right length word and any body: gets further than any bytes would.
fn framed() -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), vec(any::<u8>(), 0..80)).prop_map(|(tag, body)| {
        let mut message = vec![tag];
        message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        message.extend_from_slice(&body);
        message
    })
}

fn decode_everything(bytes: &[u8]) {
    if let Ok(Some((_, length))) = backend::decode_backend(bytes) {
        assert!(length <= bytes.len());
    }
    if let Ok(Some((_, length))) = frontend::decode_frontend(bytes) {
        assert!(length <= bytes.len());
    }
    if let Ok(Some((_, length))) = frontend::decode_startup(bytes) {
        assert!(length <= bytes.len());
    }
    let _ = backend::peek(bytes);
    let _ = backend::decode_columns(bytes);
    let _ = backend::decode_row(bytes);
    let _ = frontend::decode_sasl_initial(bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..200)) {
        decode_everything(&bytes);
    }

    #[test]
    fn any_body(message in framed()) {
        decode_everything(&message);
        decode_everything(&message[1..]);
    }

    #[test]
    fn any_scram_message(bytes in vec(any::<u8>(), 0..100), text in "[rsipvceny=,+/a-zA-Z0-9]{0,60}") {
        let verifier = ScramVerifier::from_password("secret", b"salt", 1);
        for message in [bytes.as_slice(), text.as_bytes()] {
            let client = ScramClient::new(ChannelBinding::Unsupported, "abc");
            prop_assert!(client.clone().challenge(message).is_err());
            let challenged = client.challenge(b"r=abcd,s=c2FsdA==,i=1").unwrap();
            let (_, expected) = challenged.answer(&ClientKeys::derive("secret", b"salt", 1));
            prop_assert!(expected.check(message).is_err());
            let _ = ScramServer::begin(&verifier, message, "xyz", None);
            let server = ScramServer::begin(&verifier, b"n,,n=,r=abc", "xyz", None).unwrap();
            prop_assert!(server.finish(message).is_err());
        }
    }
}

/// The limit holds before the bytes have arrived, so that a length word alone cannot make anybody buffer.
#[test]
fn impossible_lengths() {
    let over = (MAX_MESSAGE + 1) as u32;
    for length in [over, u32::MAX, i32::MAX as u32] {
        let mut header = vec![b'D'];
        header.extend_from_slice(&length.to_be_bytes());
        let error = DecodeError::TooLong { tag: b'D', length, limit: MAX_MESSAGE };
        assert_eq!(backend::decode_backend(&header), Err(error));
        assert_eq!(frontend::decode_frontend(&header), Err(error));
        // For skipping, any length will do.
        assert_eq!(backend::peek(&header), Ok(Some((b'D', length as usize + 1))));
    }
    for length in 0..4u32 {
        let mut header = vec![b'D'];
        header.extend_from_slice(&length.to_be_bytes());
        let error = DecodeError::TooShort { tag: b'D', length };
        assert_eq!(backend::decode_backend(&header), Err(error));
        assert_eq!(backend::peek(&header), Err(error));
    }
    for length in 0..8u32 {
        let error = DecodeError::TooShort { tag: 0, length };
        assert_eq!(frontend::decode_startup(&length.to_be_bytes()), Err(error));
    }
    let long = MAX_STARTUP as u32 + 1;
    let error = DecodeError::TooLong { tag: 0, length: long, limit: MAX_STARTUP };
    assert_eq!(frontend::decode_startup(&long.to_be_bytes()), Err(error));
}

/// Strings end at their first zero byte, as in C: nothing can be smuggled in behind it.
#[test]
fn zero_bytes_end_a_string() {
    let mut out = Vec::new();
    frontend::startup(&mut out, &[("user", "alice\0database\0other")]);
    let (request, _) = frontend::decode_startup(&out).unwrap().unwrap();
    let parameters = vec![("user".to_owned(), "alice".to_owned())];
    assert_eq!(request, frontend::StartupRequest::Startup { major: 3, minor: 0, parameters });
}

/// Bytes behind the last field, and fields that are not there.
#[test]
fn malformed_messages() {
    let table: [&[u8]; 12] = [
        b"R\0\0\0\x05\0",
        b"R\0\0\0\x09\0\0\0\0x",
        b"R\0\0\0\x0a\0\0\0\x05ab",
        b"R\0\0\0\x0b\0\0\0\x0aABC",
        b"Z\0\0\0\x05Q",
        b"Z\0\0\0\x06II",
        b"Z\0\0\0\x04",
        b"S\0\0\0\x06ab",
        b"E\0\0\0\x05S",
        b"E\0\0\0\x04",
        b"I\0\0\0\x05x",
        b"v\0\0\0\x0c\0\0\0\0\x7f\xff\xff\xff",
    ];
    for bytes in table {
        let error = backend::decode_backend(bytes).unwrap_err();
        assert!(matches!(error, DecodeError::Malformed { tag, .. } if tag == bytes[0]), "{error}");
    }
    // A row that promises more values, or longer ones, than it has.
    for row in [&b"\xff\xff"[..], b"\0\x01\0\0\0\x05abc", b"\0\x01\x80\0\0\0", b"\0\0x"] {
        assert!(backend::decode_row(row).is_err());
    }
    let describe_nothing = b"D\0\0\0\x06X\0";
    assert!(frontend::decode_frontend(describe_nothing).is_err());
    let latin_1 = b"Q\0\0\0\x06\xe9\0";
    assert!(frontend::decode_frontend(latin_1).is_err());
}
