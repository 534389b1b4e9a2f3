//! What the server's certificate holds that a measurement needs: the kind of its key, its end, its signature's hash.

use x509_cert::Certificate;
use x509_cert::der::Decode;

/// Kind and size of a server's key: RSA signs some 30 times slower than an elliptic curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServerKey {
    /// RSA with this many bits.
    Rsa(u32),
    /// ECDSA on P-256.
    EcdsaP256,
    /// ECDSA on P-384.
    EcdsaP384,
    /// ECDSA on P-521.
    EcdsaP521,
    /// Ed25519.
    Ed25519,
    /// Something else.
    Other,
}

impl std::fmt::Display for ServerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServerKey::Rsa(bits) => write!(f, "RSA-{bits}"),
            ServerKey::EcdsaP256 => f.write_str("ECDSA P-256"),
            ServerKey::EcdsaP384 => f.write_str("ECDSA P-384"),
            ServerKey::EcdsaP521 => f.write_str("ECDSA P-521"),
            ServerKey::Ed25519 => f.write_str("Ed25519"),
            ServerKey::Other => f.write_str("other"),
        }
    }
}

/// Hash of the certificate's signature, as channel binding `tls-server-end-point` needs it (RFC 5929, section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureHash {
    /// SHA-256; also what MD5 and SHA-1 are replaced by.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

// Object identifiers of RFC 3279, 4055, 5480, 5758 and 8410.
const RSA_ENCRYPTION: &str = "1.2.840.113549.1.1.1";
const EC_PUBLIC_KEY: &str = "1.2.840.10045.2.1";
const ED25519: &str = "1.3.101.112";
const CURVE_P256: &str = "1.2.840.10045.3.1.7";
const CURVE_P384: &str = "1.3.132.0.34";
const CURVE_P521: &str = "1.3.132.0.35";
const SHA384_SIGNATURES: [&str; 2] = ["1.2.840.113549.1.1.12", "1.2.840.10045.4.3.3"];
const SHA512_SIGNATURES: [&str; 2] = ["1.2.840.113549.1.1.13", "1.2.840.10045.4.3.4"];

impl ServerKey {
    /// Reads the key's kind from a certificate in DER. `None` when the bytes are no certificate.
    pub fn of_certificate(der: &[u8]) -> Option<Self> {
        let certificate = Certificate::from_der(der).ok()?;
        let key = &certificate.tbs_certificate.subject_public_key_info;
        Some(match key.algorithm.oid.to_string().as_str() {
            RSA_ENCRYPTION => rsa_bits(key.subject_public_key.raw_bytes()).map_or(Self::Other, Self::Rsa),
            EC_PUBLIC_KEY => {
                let curve = key.algorithm.parameters.as_ref().and_then(|p| p.decode_as().ok());
                let curve: Option<x509_cert::der::oid::ObjectIdentifier> = curve;
                match curve.map(|oid| oid.to_string()).as_deref() {
                    Some(CURVE_P256) => Self::EcdsaP256,
                    Some(CURVE_P384) => Self::EcdsaP384,
                    Some(CURVE_P521) => Self::EcdsaP521,
                    _ => Self::Other,
                }
            }
            ED25519 => Self::Ed25519,
            _ => Self::Other,
        })
    }
}

/// Bits of the modulus in an `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }`.
fn rsa_bits(key: &[u8]) -> Option<u32> {
    use x509_cert::der::asn1::UintRef;
    use x509_cert::der::{Reader, SliceReader};

    let mut reader = SliceReader::new(key).ok()?;
    reader
        .sequence(|inner| {
            let modulus = UintRef::decode(inner)?;
            UintRef::decode(inner)?;
            let bytes = modulus.as_bytes();
            let unused = bytes.first().map_or(0, |b| b.leading_zeros());
            Ok::<u32, x509_cert::der::Error>(bytes.len() as u32 * 8 - unused)
        })
        .ok()
}

/// Hash to use for channel binding with this certificate.
pub fn signature_hash(der: &[u8]) -> Option<SignatureHash> {
    let certificate = Certificate::from_der(der).ok()?;
    let oid = certificate.signature_algorithm.oid.to_string();
    Some(if SHA384_SIGNATURES.contains(&oid.as_str()) {
        SignatureHash::Sha384
    } else if SHA512_SIGNATURES.contains(&oid.as_str()) {
        SignatureHash::Sha512
    } else {
        SignatureHash::Sha256
    })
}

/// Seconds since 1970 at which the certificate ends. `None` when the bytes are no certificate.
pub fn certificate_not_after(der: &[u8]) -> Option<u64> {
    let certificate = Certificate::from_der(der).ok()?;
    Some(certificate.tbs_certificate.validity.not_after.to_unix_duration().as_secs())
}

/// Whether the certificate is valid at this time (seconds since 1970). `None` when the bytes are no certificate.
pub(crate) fn certificate_valid_at(der: &[u8], unix_s: u64) -> Option<bool> {
    let validity = Certificate::from_der(der).ok()?.tbs_certificate.validity;
    let from = validity.not_before.to_unix_duration().as_secs();
    let to = validity.not_after.to_unix_duration().as_secs();
    Some((from..=to).contains(&unix_s))
}

/// Whether the certificate names itself as its issuer.
pub(crate) fn is_self_issued(der: &[u8]) -> bool {
    Certificate::from_der(der).is_ok_and(|c| c.tbs_certificate.issuer == c.tbs_certificate.subject)
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, SignatureAlgorithm};

    use super::*;

    fn certificate(key: &KeyPair) -> Vec<u8> {
        let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("valid name");
        params.self_signed(key).expect("signed").der().to_vec()
    }

    fn of(algorithm: &'static SignatureAlgorithm) -> (Option<ServerKey>, Option<SignatureHash>) {
        let der = certificate(&KeyPair::generate_for(algorithm).expect("a key"));
        (ServerKey::of_certificate(&der), signature_hash(&der))
    }

    #[test]
    fn kinds_of_keys() {
        let rsa = KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, rcgen::RsaKeySize::_2048).expect("a key");
        assert_eq!(ServerKey::of_certificate(&certificate(&rsa)), Some(ServerKey::Rsa(2048)));
        assert_eq!(of(&rcgen::PKCS_ECDSA_P256_SHA256), (Some(ServerKey::EcdsaP256), Some(SignatureHash::Sha256)));
        assert_eq!(of(&rcgen::PKCS_ECDSA_P384_SHA384), (Some(ServerKey::EcdsaP384), Some(SignatureHash::Sha384)));
        assert_eq!(of(&rcgen::PKCS_ED25519).0, Some(ServerKey::Ed25519));
        assert_eq!(ServerKey::Rsa(2048).to_string(), "RSA-2048");
    }

    #[test]
    fn bytes_that_are_no_certificate() {
        for bytes in [&b""[..], b"\x30", b"not a certificate", &[0x30; 200]] {
            assert_eq!(ServerKey::of_certificate(bytes), None);
            assert_eq!(signature_hash(bytes), None);
            assert_eq!(certificate_not_after(bytes), None);
        }
        let whole = certificate(&KeyPair::generate().expect("a key"));
        for cut in 0..whole.len() {
            assert_eq!(ServerKey::of_certificate(&whole[..cut]), None, "cut at {cut}");
        }
    }

    #[test]
    fn the_end_of_a_certificate() {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("valid name");
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(2021, 1, 1);
        let der = params.self_signed(&KeyPair::generate().expect("a key")).expect("signed").der().to_vec();
        const NEW_YEAR_2021: u64 = 1_609_459_200;
        assert_eq!(certificate_not_after(&der), Some(NEW_YEAR_2021));
        assert_eq!(certificate_valid_at(&der, NEW_YEAR_2021 - 1), Some(true));
        assert_eq!(certificate_valid_at(&der, NEW_YEAR_2021 + 1), Some(false));
    }
}
