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
