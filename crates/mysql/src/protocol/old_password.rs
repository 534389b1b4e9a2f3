//! The passwords of versions before 4.1 (`mysql_old_password`), which MariaDB still has.
//!
//! It is no protection: two numbers of 31 bits stand for the password, and whoever has heard one login can compute them.
//! A newcomer would hash the whole challenge; only its first eight bytes count.

use super::NONCE;

/// Bytes of the challenge that are used, and of the answer without its zero.
pub const LENGTH: usize = 8;

/// The numbers of a generator.
struct Random {
    first: u64,
    second: u64,
}

const MOST: u64 = 0x3FFF_FFFF;

impl Random {
    fn new((first, second): (u32, u32)) -> Self {
        Self { first: u64::from(first) % MOST, second: u64::from(second) % MOST }
    }

    /// A number from 0 to 30.
    fn next(&mut self) -> u8 {
        self.first = (self.first * 3 + self.second) % MOST;
        self.second = (self.first + self.second + 33) % MOST;
        // In floating point, as servers do it: the exact quotient is another one where it would be a whole number.
        (self.first as f64 / MOST as f64 * 31.0) as u8
    }
}

/// What the server keeps of a password. Spaces and tabulators do not count.
pub fn hash(password: &[u8]) -> (u32, u32) {
    let (mut first, mut second, mut add) = (1_345_345_333_u32, 0x1234_5671_u32, 7_u32);
    for byte in password.iter().filter(|byte| !matches!(byte, b' ' | b'\t')) {
        let byte = u32::from(*byte);
        first ^= ((first & 63).wrapping_add(add)).wrapping_mul(byte).wrapping_add(first << 8);
        second = second.wrapping_add((second << 8) ^ first);
        add = add.wrapping_add(byte);
    }
    (first & 0x7FFF_FFFF, second & 0x7FFF_FFFF)
}

/// The answer to a challenge, without the zero that stands behind it. An empty password is answered with nothing at all.
pub fn answer(password: &[u8], nonce: &[u8; NONCE]) -> [u8; LENGTH] {
    let (of_password, of_nonce) = (hash(password), hash(&nonce[..LENGTH]));
    let mut random = Random::new((of_password.0 ^ of_nonce.0, of_password.1 ^ of_nonce.1));
    let mut out = [0; LENGTH];
    for byte in &mut out {
        *byte = random.next() + 64;
    }
    let extra = random.next();
    out.map(|byte| byte ^ extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What MariaDB's OLD_PASSWORD() gives.
    #[test]
    fn hashes_of_the_server() {
        let table = [("secret", "428567f408994404"), ("s e\tcret", "428567f408994404"), ("", "5030573512345671")];
        for (password, expected) in table {
            let (first, second) = hash(password.as_bytes());
            assert_eq!(format!("{first:08x}{second:08x}"), expected, "{password}");
        }
    }

    #[test]
    fn only_the_first_bytes_of_the_challenge_count() {
        let [one, other] = [b"abcdefghijklmnopqrst", b"abcdefgh............"].map(|nonce| answer(b"secret", nonce));
        assert_eq!(one, other);
        assert_ne!(one, answer(b"Secret", b"abcdefghijklmnopqrst"));
        assert!(one.iter().all(|byte| (0x40..0x60).contains(byte)), "{one:?}");
    }
}
