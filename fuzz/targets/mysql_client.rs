//! What a MySQL client sends, as the reference server reads it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_mysql::protocol::packet;
use peaje_mysql::protocol::request::{First, attributes};

fuzz_target!(|bytes: &[u8]| {
    let _ = attributes(bytes);
    let Ok(First::Login(login)) = First::decode(bytes) else { return };
    let _ = attributes(login.attributes);
    let mut written = Vec::new();
    login.encode(&mut written, 1);
    if let Some((_, payload)) = packet::decode(&written) {
        let Ok(First::Login(again)) = First::decode(payload) else { panic!("what was written can be read") };
        assert_eq!((again.user, again.answer), (login.user, login.answer), "written again it is read as the same");
    }
});
