//! The first packet of a client, as the reference server reads it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use peaje_postgres::protocol::frontend::{StartupRequest, decode_startup, startup_version};

fuzz_target!(|bytes: &[u8]| {
    let Ok(Some((request, length))) = decode_startup(bytes) else { return };
    assert!(length <= bytes.len(), "took bytes that had not arrived");
    let (again, _) = decode_startup(&bytes[..length]).expect("was decoded").expect("was whole");
    assert_eq!(again, request, "what follows a packet changes what it says");
    for cut in 0..length {
        assert!(!matches!(decode_startup(&bytes[..cut]), Ok(Some(_))), "decoded from a part of the packet");
    }
    let StartupRequest::Startup { major, minor, parameters } = request else { return };
    let borrowed: Vec<(&str, &str)> = parameters.iter().map(|(name, value)| (&**name, &**value)).collect();
    let mut written = Vec::new();
    startup_version(&mut written, major, minor, &borrowed);
    let read = decode_startup(&written).expect("our own packet").expect("is whole").0;
    assert_eq!(read, StartupRequest::Startup { major, minor, parameters }, "written and read differ");
});
