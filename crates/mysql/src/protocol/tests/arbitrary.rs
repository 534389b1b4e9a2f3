//! Whatever the bytes: an error or a value, never a panic, and never a value that reaches beyond the bytes.

use proptest::prelude::*;

use super::recorded;
use crate::protocol::answer::{Answer, Next, Step};
use crate::protocol::dialog::Question;
use crate::protocol::greeting::Greeting;
use crate::protocol::reply::{AuthReply, Done, ServerError};
use crate::protocol::request::{self, First};
use crate::protocol::rsa::PublicKey;
use crate::protocol::{capability, packet, result};

/// Everything that reads bytes of the other side.
fn decode_all(bytes: &[u8]) {
    let _ = packet::header(bytes);
    let _ = Greeting::decode(bytes);
    let _ = AuthReply::decode(bytes);
    let _ = Question::decode(bytes);
    let _ = Done::decode(bytes);
    let _ = ServerError::decode(bytes);
    if let Ok(First::Login(login)) = First::decode(bytes) {
        let _ = request::attributes(login.attributes);
    }
    let _ = request::attributes(bytes);
    let _ = result::column_name(bytes);
    let _ = result::text_row(bytes, 3);
    let _ = PublicKey::from_pem(bytes);
    if let Some((header, payload)) = packet::decode(bytes) {
        assert_eq!(header.length, payload.len());
    }
}

/// An answer of arbitrary packets ends, fails, or runs out of bytes.
fn follow(mut bytes: &[u8], capabilities: u32) {
    let mut answer = Answer::new(capabilities);
    while let Some((header, payload)) = packet::decode(bytes) {
        bytes = &bytes[packet::HEADER + payload.len()..];
        let followed = match answer.next(header.length, payload.first().copied()) {
            Next::Skip => answer.skipped(header.length).map(|()| true),
            Next::Read => answer.packet(payload).map(|step| step == Step::More),
        };
        if followed != Ok(true) {
            return;
        }
    }
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        recorded::GREETING,
        recorded::OK,
        recorded::WRONG_PASSWORD,
        recorded::TO_ED25519,
        recorded::SELECT_1,
        recorded::TOO_MANY,
    ]);
    (known, prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), any::<prop::sample::Index>())
        .prop_map(|(bytes, changes, cut)| {
            let mut bytes = bytes.to_vec();
            for (at, value) in changes {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            bytes.truncate(cut.index(bytes.len() + 1));
            bytes
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        decode_all(&bytes);
        follow(&bytes, capability::CLIENT);
    }

    #[test]
    fn nearly_right_bytes(bytes in mutated()) {
        decode_all(&bytes);
        decode_all(bytes.get(packet::HEADER..).unwrap_or_default());
        follow(&bytes, capability::CLIENT);
        follow(&bytes, 0);
    }

    #[test]
    fn small_packets(
        packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..8), 0..12),
        old in any::<bool>(),
    ) {
        let mut out = Vec::new();
        for (i, payload) in packets.iter().enumerate() {
            packet::encode(&mut out, i as u8, |out| out.extend_from_slice(payload));
        }
        follow(&out, if old { 0 } else { capability::CLIENT });
    }
}
