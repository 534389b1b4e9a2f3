//! Bytes that nobody would send: errors, never panics, never more memory than the bytes themselves.

use proptest::collection::vec;
use proptest::prelude::*;

use super::bytes;
use super::recorded::{ODBC_18_LOGIN7, ODBC_18_PRELOGIN, ODBC_18_PREPEXEC};
use crate::protocol::login7::Login7;
use crate::protocol::packet::{self, Assembler, HEADER};
use crate::protocol::prelogin::Prelogin;
use crate::protocol::token::{Rows, TokenReader, write};
use crate::protocol::types::{self, Column, TypeInfo};
use crate::protocol::{DecodeError, browser, request};

fn decode_everything(bytes: &[u8]) {
    let _ = packet::peek(bytes);
    let _ = Assembler::new(1000).take(bytes);
    let _ = Prelogin::decode(bytes);
    let _ = Login7::decode(bytes);
    let _ = request::decode_batch(bytes);
    let _ = request::decode_rpc(bytes);
    let _ = request::decode_transaction(bytes);
    let _ = types::read_value(bytes);
    let _ = browser::decode_question(bytes);
    let _ = browser::decode_answer(bytes, "SQL");
}

/// Reads to the end or to the first error.
fn read_tokens(rows: Rows, pieces: &[&[u8]]) {
    let mut reader = TokenReader::new(rows);
    for piece in pieces {
        reader.push(piece);
        loop {
            match reader.next_token() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        assert!(reader.buffered() <= 80_000, "the longest token that is kept whole");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..300), first in any::<u8>()) {
        decode_everything(&bytes);
        // A known beginning gets further.
        for token in [first, 0x81, 0xac, 0xad, 0xae, 0xaa, 0xe3, 0xe4, 0xee, 0xd1, 0xd2] {
            let begun = [&[token], &bytes[..]].concat();
            let cut = begun.len() / 2;
            for rows in [Rows::Skip, Rows::Keep { bytes: 500 }] {
                read_tokens(rows, &[&begun[..cut], &begun[cut..]]);
            }
        }
    }

    /// Real messages with some bytes changed.
    #[test]
    fn damaged_messages(changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        for hex in [ODBC_18_PRELOGIN, ODBC_18_LOGIN7, ODBC_18_PREPEXEC] {
            let mut packet = bytes(hex);
            for (at, byte) in &changes {
                let at = at.index(packet.len());
                packet[at] = *byte;
            }
            decode_everything(&packet);
            decode_everything(&packet[HEADER..]);
        }
    }

    /// Rows of columns of every type, with values of no sense.
    #[test]
    fn rows_of_any_type(id in any::<u8>(), size in any::<u16>(), rest in vec(any::<u8>(), 0..200)) {
        let mut stream = Vec::new();
        write::col_metadata(&mut stream, &[Column::new("n", TypeInfo::int())]);
        stream[9] = id;
        stream.splice(10..11, size.to_le_bytes());
        stream.push(0xd1);
        stream.extend_from_slice(&rest);
        for rows in [Rows::Skip, Rows::Keep { bytes: 500 }] {
            read_tokens(rows, &[&stream]);
        }
    }
}

/// Every prefix of a message is an error or an incomplete message, not a panic.
#[test]
fn cut_messages() {
    for hex in [ODBC_18_PRELOGIN, ODBC_18_LOGIN7, ODBC_18_PREPEXEC] {
        let packet = bytes(hex);
        for end in 0..packet.len() {
            decode_everything(&packet[..end]);
            decode_everything(&packet[HEADER.min(end)..end]);
            assert_eq!(Assembler::new(1000).take(&packet[..end]).map(|(taken, _)| taken), Ok(0));
        }
    }
}

/// Lengths that promise more than there can be.
#[test]
fn impossible_promises() {
    let table: [(&[u8], DecodeError); 5] = [
        (&[0x81, 0xfe, 0xff], DecodeError::TooLong { what: "a list of columns", limit: 4096 }),
        (&[0xae, 1, 0xff, 0xff, 0xff, 0x7f], DecodeError::TooLong { what: "a list of features", limit: 65_536 }),
        (&[0x00], DecodeError::UnknownToken(0)),
        (&[0xaa, 2, 0, 1, 2], DecodeError::Malformed("an error's number")),
        (&[0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0xf3], DecodeError::UnknownType(0xf3)),
    ];
    for (stream, expected) in table {
        let mut reader = TokenReader::new(Rows::Skip);
        reader.push(stream);
        assert_eq!(reader.next_token(), Err(expected), "{stream:02x?}");
    }
    let options = [1, 0, 200, 0, 1, 0xff];
    assert_eq!(Prelogin::decode(&options), Err(DecodeError::Malformed("an option outside of its message")));
    assert_eq!(Prelogin::decode(&[0xff]), Err(DecodeError::Malformed("a PRELOGIN without a version")));
    assert_eq!(request::decode_batch(&[1, 0, 0, 0]), Err(DecodeError::Malformed("the headers' length")));
    assert_eq!(request::decode_batch(&[0xff, 0xff, 0xff, 0xff]), Err(DecodeError::Short("the headers")));
}
