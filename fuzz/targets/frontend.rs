//! Messages of a client after its start-up packet, as the reference server reads them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_postgres::protocol::frontend::{FrontendMessage, decode_frontend, decode_sasl_initial};

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some((message, length))) = decode_frontend(rest) {
        assert!((5..=rest.len()).contains(&length), "a message of {length} bytes in {}", rest.len());
        assert!(!matches!(decode_frontend(&rest[..length - 1]), Ok(Some(_))), "decoded from a part of the message");
        if let FrontendMessage::Password(body) = message {
            let _ = decode_sasl_initial(body);
        }
        rest = &rest[length..];
    }
});
