//! What a MySQL or MariaDB server sends, as the login reads it: greeting, authentication, and answers followed packet by
//! packet without keeping their rows.
//!
//! The first byte chooses the session's capabilities.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_mysql::protocol::answer::{Answer, Next, Step};
use peaje_mysql::protocol::dialog::Question;
use peaje_mysql::protocol::greeting::Greeting;
use peaje_mysql::protocol::reply::{AuthReply, Done, ServerError};
use peaje_mysql::protocol::rsa::PublicKey;
use peaje_mysql::protocol::{capability, packet, result};

/// Follows an answer to its end, to its first impossible packet, or to the end of the bytes.
fn follow(mut bytes: &[u8], capabilities: u32) {
    let mut answer = Answer::new(capabilities);
    let mut rows = 0;
    while let Some((header, payload)) = packet::decode(bytes) {
        assert_eq!(header.length, payload.len());
        bytes = &bytes[packet::HEADER + payload.len()..];
        let goes_on = match answer.next(header.length, payload.first().copied()) {
            Next::Skip => answer.skipped(header.length).is_ok(),
            Next::Read => answer.packet(payload).is_ok_and(|step| step == Step::More),
        };
        assert!(answer.rows() >= rows, "rows are only counted up");
        rows = answer.rows();
        if !goes_on {
            return;
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    if let Ok(greeting) = Greeting::decode(bytes) {
        let mut again = Vec::new();
        greeting.encode(&mut again);
        let (_, payload) = packet::decode(&again).expect("a whole packet was written");
        let again = Greeting::decode(payload).expect("what was written can be read");
        // Each half of the capabilities may be missing, and the challenge has one length only when written.
        assert_eq!(again.server_version, greeting.server_version, "written again it is read as the same");
        assert_eq!(again.connection_id, greeting.connection_id);
    }
    let _ = Question::decode(bytes);
    let _ = (AuthReply::decode(bytes), Done::decode(bytes), ServerError::decode(bytes));
    let _ = (result::column_name(bytes), result::text_row(bytes, usize::from(choice)), PublicKey::from_pem(bytes));
    follow(bytes, if choice & 1 == 0 { 0 } else { capability::DEPRECATE_EOF });
});
