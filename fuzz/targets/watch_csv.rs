//! CSV files that are replayed: whatever a person exported or wrote, it is read or refused with a line, and no rate is
//! negative.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use peaje_watch::{Analysis, replay_csv, result};

fuzz_target!(|input: &[u8]| {
    let Ok(record) = replay_csv("file", input, Duration::from_secs(3600)) else { return };
    for group in result(&record, &Analysis::default()).groups {
        assert!(group.logins_per_s.is_none_or(|rate| rate >= 0.0 && rate.is_finite()), "{group:?}");
        assert!(group.logouts_per_s.is_none_or(|rate| rate >= 0.0 && rate.is_finite()), "{group:?}");
    }
});
