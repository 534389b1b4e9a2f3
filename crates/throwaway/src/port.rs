//! A free port below the ephemeral range: a port inside it can be taken by any outgoing connection, even by one that
//! then talks to itself.

use std::net::{Ipv4Addr, TcpListener};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::ThrowawayError;

const LOWEST: u16 = 12_000;
const TRIES: u32 = 200;

/// A port nobody listens on at this moment.
pub(crate) fn free_port() -> Result<u16, ThrowawayError> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let high = highest(&range);
    let mut random = StdRng::from_os_rng();
    (0..TRIES)
        .map(|_| random.random_range(LOWEST..=high))
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .ok_or(ThrowawayError::NoPort { low: LOWEST, high })
}

/// The last port below the range, but at least some room above [`LOWEST`].
fn highest(range: &str) -> u16 {
    let first: u16 = range.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(32_768);
    first.saturating_sub(1).clamp(LOWEST + 1_000, 32_767)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_the_ephemeral_range() {
        for (range, expected) in [
            ("32768\t60999\n", 32_767),
            ("15000 61000", 14_999),
            ("", 32_767),
            ("1024 65535", 13_000),
            ("50000 60000", 32_767),
        ] {
            assert_eq!(highest(range), expected, "{range}");
        }
        assert!(free_port().expect("a port") < 32_768);
    }
}
