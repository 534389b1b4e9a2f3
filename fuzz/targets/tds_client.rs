//! What a client of SQL Server sends, as the reference server reads it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_sqlserver::protocol::login7::Login7;
use peaje_sqlserver::protocol::packet::Assembler;
use peaje_sqlserver::protocol::{browser, request, types};

/// More than the inputs have.
const LIMIT: usize = 1 << 16;

fuzz_target!(|bytes: &[u8]| {
    let mut assembler = Assembler::new(LIMIT);
    let mut rest = bytes;
    while let Ok((taken, Some(message))) = assembler.take(rest) {
        assert!(taken <= rest.len() && message.payload.len() <= LIMIT);
        decode(&message.payload);
        rest = &rest[taken..];
    }
    decode(bytes);
});

fn decode(payload: &[u8]) {
    let _ = browser::decode_question(payload);
    let _ = request::decode_batch(payload);
    let _ = request::decode_rpc(payload).map(|calls| calls.iter().filter_map(|call| call.sql().map(str::len)).count());
    let _ = request::decode_transaction(payload);
    let _ = types::read_value(payload).map(|(_, _, length)| assert!(length <= payload.len()));
    if let Ok(login) = Login7::decode(payload) {
        let mut again = Vec::new();
        login.encode(&mut again);
        assert!(Login7::decode(&again).is_ok(), "what was read can be written");
    }
}
