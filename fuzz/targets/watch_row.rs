//! Rows of recordings: bytes of a damaged file are a row or are refused, and a row that is pushed breaks no record.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use peaje_watch::{Analysis, Record, decode, encode, result};

fuzz_target!(|input: &[u8]| {
    let mut record = Record::new(Duration::from_secs(3600));
    let place = record.server("a");
    // Two rows: the second meets what the first left.
    for half in [&input[..input.len() / 2], &input[input.len() / 2..]] {
        let Ok(row) = decode(1_796_068_800_000_000, half) else { continue };
        let again = decode(row.at_us, &encode(&row).expect("what was read can be written"))
            .expect("what is written can be read");
        assert_eq!(again, row);
        record.push(place, &row);
    }
    result(&record, &Analysis::default());
});
