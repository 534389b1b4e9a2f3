//! The MD5 challenge: `md5` and the hexadecimal of MD5(MD5(password ‖ user) ‖ salt), where the inner digest is in
//! hexadecimal too.

use md5::{Digest, Md5};

/// The answer to an MD5 request.
pub fn md5_response(user: &str, password: &str, salt: [u8; 4]) -> String {
    let inner = hex(&Md5::new().chain_update(password).chain_update(user).finalize());
    let outer = hex(&Md5::new().chain_update(inner).chain_update(salt).finalize());
    format!("md5{outer}")
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]);
    digits.map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle: PostgreSQL's own `md5(md5('secret' || 'alice') || salt)`, computed with md5sum.
    #[test]
    fn answers_as_the_server_expects() {
        assert_eq!(md5_response("alice", "secret", *b"\x01\x02\x03\x04"), "md598a0412b9c31436fc53776e863350083");
    }
}
