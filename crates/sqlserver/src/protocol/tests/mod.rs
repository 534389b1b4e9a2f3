//! Both sides of the protocol against each other, recorded bytes, and bytes that nobody would send.

mod arbitrary;
mod recorded;
mod round_trip;
mod tables;

/// Bytes from hexadecimal.
fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}
