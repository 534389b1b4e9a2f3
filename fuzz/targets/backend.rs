//! Messages of a server, as the login reads them, and the rows inside them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_postgres::protocol::backend::{BackendMessage, decode_backend, decode_columns, decode_row, peek};

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some((message, length))) = decode_backend(rest) {
        assert!((5..=rest.len()).contains(&length), "a message of {length} bytes in {}", rest.len());
        assert_eq!(peek(rest), Ok(Some((rest[0], length))), "the header and the message differ in length");
        assert!(!matches!(decode_backend(&rest[..length - 1]), Ok(Some(_))), "decoded from a part of the message");
        match message {
            BackendMessage::RowDescription(body) => drop(decode_columns(body)),
            BackendMessage::DataRow(body) => drop(decode_row(body)),
            _ => {}
        }
        rest = &rest[length..];
    }
});
