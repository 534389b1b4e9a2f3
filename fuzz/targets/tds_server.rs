//! What a SQL Server sends, as the login reads it: packets, PRELOGIN, and tokens that come in pieces of any length.
//!
//! The first byte is the length of the pieces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_sqlserver::protocol::browser;
use peaje_sqlserver::protocol::packet::{HEADER, peek};
use peaje_sqlserver::protocol::prelogin::Prelogin;
use peaje_sqlserver::protocol::token::{Rows, Token, TokenReader};

/// Longest token that is kept whole: its length has two bytes; a feature's data may have as many.
const LONGEST_TOKEN: usize = 70_000;

/// All tokens up to the first error, and whether there was none.
fn tokens(rows: Rows, bytes: &[u8], piece: usize) -> (Vec<Token>, bool) {
    let mut reader = TokenReader::new(rows);
    let mut seen = Vec::new();
    for piece in bytes.chunks(piece) {
        reader.push(piece);
        loop {
            match reader.next_token() {
                Ok(Some(token)) => seen.push(token),
                Ok(None) => break,
                Err(_) => return (seen, false),
            }
        }
        assert!(reader.buffered() <= LONGEST_TOKEN + piece.len(), "{} bytes wait", reader.buffered());
    }
    (seen, true)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&piece, bytes)) = bytes.split_first() else { return };
    if let Ok(Some(header)) = peek(bytes) {
        assert!(header.length >= HEADER);
    }
    let _ = browser::decode_answer(bytes, "SQL2022");
    if let Ok(prelogin) = Prelogin::decode(bytes) {
        let mut again = Vec::new();
        prelogin.encode(&mut again);
        assert_eq!(Prelogin::decode(&again), Ok(prelogin), "written again it is read as the same");
    }
    let whole = tokens(Rows::Keep { bytes: 1 << 16 }, bytes, bytes.len().max(1));
    let pieces = tokens(Rows::Keep { bytes: 1 << 16 }, bytes, usize::from(piece) + 1);
    // NaN differs from itself, so texts are compared.
    assert_eq!(format!("{whole:?}"), format!("{pieces:?}"), "pieces change nothing");
    let skipped = tokens(Rows::Skip, bytes, usize::from(piece) + 1);
    assert!(skipped.0.len() >= whole.0.len(), "what can be kept can be skipped");
});
