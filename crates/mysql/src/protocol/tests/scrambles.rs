//! Challenges and their answers: published vectors, `mysql_common` as a second opinion, and both sides against each
//! other.

use mysql_common::auth::plugins::client_ed25519::ClientEd25519;
use mysql_common::auth::plugins::{ChallengeResponsePlugin, Context, Response};
use mysql_common::auth::plugins::{caching_sha2_password::scramble_sha256, mysql_native_password::scramble_native};
use proptest::prelude::*;

use super::rsa_key;
use crate::protocol::rsa::{PublicKey, RsaError};
use crate::protocol::scramble::{self, Ed25519Key};

fn hex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// From the tests of the driver go-sql-driver/mysql.
#[test]
fn published_vectors_of_sha2() {
    let nonce = [10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 2, 23, 21];
    for (password, expected) in [
        ("secret", "f490e76f66d9d86665ce54d98c78d0acfe2fb0b08b423da807144873d30b312c"),
        ("secret2", "abc3934a012cf342e876071c8ee202de51785b430258a7a0138bc79c4d800bc6"),
    ] {
        assert_eq!(scramble::caching_sha2(password.as_bytes(), &nonce).to_vec(), hex(expected));
    }
}

/// From the tests of the crate mysql_common.
#[test]
fn published_vectors_of_sha1_and_sha2() {
    let nonce = *b"NR3HP:qIYa_9=db?Sd{`";
    let password = b"G!ider27";
    assert_eq!(scramble::native(password, &nonce).to_vec(), hex("09cff8855e9e705340ff2270d8fb9fadba906b70"));
    let expected = "4f97bbfd202401c42a69deaae53bda077ed7578563c1a80eb816c82119b68d2e";
    assert_eq!(scramble::caching_sha2(password, &nonce).to_vec(), hex(expected));
}

/// `SELECT ed25519_password('secret')` in the documentation of MariaDB: the key in base64 without its padding.
#[test]
fn published_key_of_ed25519() {
    let expected = hex("648814444520e4f56043a2ec9215e63be7992d2d270bc6dee873e36164786096");
    assert_eq!(Ed25519Key::new(b"secret").public().to_vec(), expected);
}

struct Ours<'a>(&'a [u8], &'a [u8]);

impl Context for Ours<'_> {
    fn pass(&self) -> &[u8] {
        self.0
    }

    fn is_ipc_transport(&self) -> bool {
        false
    }

    fn is_tls_transport(&self) -> bool {
        false
    }

    fn scramble(&self) -> &[u8] {
        self.1
    }

    fn server_key_pem(&self) -> Option<&[u8]> {
        None
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn as_the_second_implementation_and_as_the_server(
        password in prop::collection::vec(any::<u8>(), 1..40),
        nonce in any::<[u8; 20]>(),
        long in any::<[u8; 32]>(),
        other in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let native = scramble::native(&password, &nonce);
        prop_assert_eq!(Some(native), scramble_native(&nonce, &password));
        prop_assert!(scramble::native_is_right(&password, &nonce, &native));
        prop_assert_eq!(scramble::native_is_right(&other, &nonce, &native), other == password);

        let sha2 = scramble::caching_sha2(&password, &nonce);
        prop_assert_eq!(Some(sha2), scramble_sha256(&nonce, &password));
        prop_assert!(scramble::caching_sha2_is_right(&password, &nonce, &sha2));
        prop_assert!(!scramble::caching_sha2_is_right(&password, &nonce, b""));

        let key = Ed25519Key::new(&password);
        let mut signature = key.sign(&long);
        let theirs = ClientEd25519::default().run(Ours(&password, &long), &long).unwrap();
        prop_assert_eq!(theirs, Response::Last { packet: Some(signature.to_vec()) });
        prop_assert!(scramble::ed25519_is_right(&key.public(), &long, &signature));
        prop_assert_eq!(
            scramble::ed25519_is_right(&Ed25519Key::new(&other).public(), &long, &signature),
            other == password
        );
        signature[40] ^= 1;
        prop_assert!(!scramble::ed25519_is_right(&key.public(), &long, &signature));
    }

    #[test]
    fn signatures_of_any_bytes_are_judged(
        public in any::<[u8; 32]>(),
        bytes in prop::collection::vec(any::<u8>(), 0..70),
    ) {
        prop_assert!(!scramble::ed25519_is_right(&public, b"nonce", &bytes));
    }
}

#[test]
fn empty_passwords_are_answered_with_nothing() {
    assert!(scramble::native_is_right(b"", &[1; 20], b"") && !scramble::native_is_right(b"", &[1; 20], &[0; 20]));
    assert!(scramble::caching_sha2_is_right(b"", &[1; 20], b"") && !scramble::native_is_right(b"x", &[1; 20], b""));
}

/// As the server does it: decrypt, then XOR with the challenge again.
#[test]
fn passwords_under_rsa() {
    let key = PublicKey::from_pem(rsa_key::pem().as_bytes()).unwrap();
    let nonce = *b"abcdefghijklmnopqrst";
    for password in ["secret", "", "a password that is longer than the challenge"] {
        let encrypted = key.encrypt(password.as_bytes(), &nonce).unwrap();
        assert_eq!(rsa_key::decrypt(&encrypted, &nonce), [password.as_bytes(), b"\0"].concat());
    }
    assert_eq!(key.encrypt(&[b'x'; 300], &nonce), Err(RsaError::TooLong));
}

#[test]
fn keys_that_are_none() {
    let not_a_key = rsa_key::to_pem(b"\x30\x03\x02\x01\x05");
    for (bytes, expected) in [
        (&b""[..], RsaError::NotPem),
        (b"-----BEGIN PUBLIC KEY-----", RsaError::NotPem),
        (not_a_key.as_bytes(), RsaError::NotRsa),
    ] {
        assert_eq!(PublicKey::from_pem(bytes).unwrap_err(), expected);
    }
}
