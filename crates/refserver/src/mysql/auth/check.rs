//! The arithmetic of the plugins: is this the answer of somebody who knows the password? No I/O.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{self, Context};
use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use curve25519_dalek::scalar::clamp_integer;
use curve25519_dalek::{EdwardsPoint, Scalar};

fn hash<const N: usize>(algorithm: &'static digest::Algorithm, parts: &[&[u8]]) -> [u8; N] {
    let mut context = Context::new(algorithm);
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().try_into().expect("the algorithm's own length")
}

pub(super) fn sha1(parts: &[&[u8]]) -> [u8; 20] {
    hash(&digest::SHA1_FOR_LEGACY_USE_ONLY, parts)
}

pub(super) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    hash(&digest::SHA256, parts)
}

/// `mysql_native_password`: the answer is SHA1(password) xor SHA1(scramble, stored).
pub(super) fn native(answer: &[u8], scramble: &[u8], stored: &[u8; 20]) -> bool {
    let Ok(answer) = <&[u8; 20]>::try_from(answer) else { return false };
    let key = sha1(&[scramble, stored]);
    let first: [u8; 20] = std::array::from_fn(|n| answer[n] ^ key[n]);
    same(&sha1(&[&first]), stored)
}

/// The fast path of `caching_sha2_password`: the answer is SHA256(password) xor SHA256(stored, scramble).
pub(super) fn caching_sha2(answer: &[u8], scramble: &[u8], stored: &[u8; 32]) -> bool {
    let Ok(answer) = <&[u8; 32]>::try_from(answer) else { return false };
    let key = sha256(&[stored, scramble]);
    let first: [u8; 32] = std::array::from_fn(|n| answer[n] ^ key[n]);
    same(&sha256(&[&first]), stored)
}

/// The public key that MariaDB stores for a password: the password takes the seed's place in RFC 8032, section 5.1.5.
pub(super) fn ed25519_public_key(password: &[u8]) -> [u8; 32] {
    let hashed: [u8; 64] = hash(&digest::SHA512, &[password]);
    let secret: [u8; 32] = std::array::from_fn(|n| hashed[n]);
    EdwardsPoint::mul_base(&Scalar::from_bytes_mod_order(clamp_integer(secret))).compress().to_bytes()
}

/// `client_ed25519`: the answer is an ordinary signature of the scramble.
pub(super) fn ed25519(answer: &[u8], scramble: &[u8], public_key: &[u8; 32]) -> bool {
    UnparsedPublicKey::new(&ED25519, public_key).verify(scramble, answer).is_ok()
}

/// A password sent as it is, with a zero byte behind it.
pub(super) fn plain(answer: &[u8], password: &str) -> bool {
    same(answer.strip_suffix(&[0]).unwrap_or(answer), password.as_bytes())
}

fn same(a: &[u8], b: &[u8]) -> bool {
    verify_slices_are_equal(a, b).is_ok()
}

#[cfg(test)]
mod tests {
    use mysql_common::auth::plugins::{AuthProc, ChallengeResponsePlugin, Context, Response};
    use mysql_common::packets::AuthPlugin;

    use super::*;

    const SCRAMBLE: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";

    struct Password(&'static str);

    impl Context for Password {
        fn pass(&self) -> &[u8] {
            self.0.as_bytes()
        }
        fn is_ipc_transport(&self) -> bool {
            false
        }
        fn is_tls_transport(&self) -> bool {
            false
        }
        fn scramble(&self) -> &[u8] {
            SCRAMBLE
        }
        fn server_key_pem(&self) -> Option<&[u8]> {
            None
        }
    }

    /// What a driver not written here answers.
    fn answer(plugin: &AuthPlugin<'_>, scramble: &[u8], password: &'static str) -> Vec<u8> {
        let (Response::Next { packet } | Response::Last { packet }) =
            AuthProc::init(plugin).unwrap().run(Password(password), scramble).unwrap();
        packet.unwrap()
    }

    #[test]
    fn a_drivers_answers_are_right_for_the_right_password_and_scramble_only() {
        let other = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
        for password in ["pencil", "contraseña", "x"] {
            let bytes = password.as_bytes();
            let native_stored = sha1(&[&sha1(&[bytes])]);
            let sha2_stored = sha256(&[&sha256(&[bytes])]);
            let public_key = ed25519_public_key(bytes);
            for (given, scramble, expected) in
                [(password, SCRAMBLE, true), (password, other, false), ("pencil ", SCRAMBLE, false)]
            {
                let sent = answer(&AuthPlugin::MysqlNativePassword, &scramble[..20], given);
                assert_eq!(native(&sent, &SCRAMBLE[..20], &native_stored), expected);
                let sent = answer(&AuthPlugin::CachingSha2Password, &scramble[..20], given);
                assert_eq!(caching_sha2(&sent, &SCRAMBLE[..20], &sha2_stored), expected);
                let sent = answer(&AuthPlugin::Ed25519, scramble, given);
                assert_eq!(ed25519(&sent, SCRAMBLE, &public_key), expected);
            }
        }
    }

    #[test]
    fn answers_of_other_lengths_are_wrong() {
        for length in [0, 1, 19, 21, 31, 33, 63, 65, 4096] {
            let sent = vec![0; length];
            assert!(!native(&sent, b"x", &[0; 20]));
            assert!(!caching_sha2(&sent, b"x", &[0; 32]));
            assert!(!ed25519(&sent, b"x", &ed25519_public_key(b"x")));
        }
    }

    #[test]
    fn published_hash() {
        // The stored form that MySQL's manual shows for the password `mypass`.
        let published = 0x6C89_8936_6EAF_75BB_670A_D8EA_7A7F_C117_u128.to_be_bytes();
        let stored = sha1(&[&sha1(&[b"mypass"])]);
        assert_eq!(stored, [&published[..], &[0x6A, 0x95, 0xCE, 0xF4]].concat()[..]);
    }
}
