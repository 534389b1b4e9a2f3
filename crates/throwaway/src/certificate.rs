//! Key and certificate of the throwaway server, made in this process.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256, RsaKeySize, date_time_ymd,
};

/// Kind of the server's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServerKeyKind {
    /// RSA with 2,048 bits: what most servers have.
    #[default]
    Rsa2048,
    /// ECDSA on P-256: some ten times cheaper to sign with.
    EcdsaP256,
}

/// Whether the certificate is what a client wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CertificateState {
    /// Valid for `localhost` and 127.0.0.1.
    #[default]
    Valid,
    /// Expired long ago.
    Expired,
    /// Valid for another host only.
    OtherHost,
}

/// PEM texts.
pub(crate) struct ServerIdentity {
    pub(crate) authority: String,
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// A new authority, and a server certificate signed by it. The authority's key is forgotten.
pub(crate) fn make(kind: ServerKeyKind, state: CertificateState) -> Result<ServerIdentity, rcgen::Error> {
    let authority_key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let authority = authority_params().self_signed(&authority_key)?;
    let issuer = Issuer::new(authority_params(), authority_key);
    let key = match kind {
        ServerKeyKind::Rsa2048 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048)?,
        ServerKeyKind::EcdsaP256 => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?,
    };
    let certificate = server_params(state)?.signed_by(&key, &issuer)?;
    Ok(ServerIdentity { authority: authority.pem(), certificate: certificate.pem(), key: key.serialize_pem() })
}

fn authority_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "peaje throwaway authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    params
}

fn server_params(state: CertificateState) -> Result<CertificateParams, rcgen::Error> {
    let names = match state {
        CertificateState::OtherHost => vec!["another-host.invalid".to_owned()],
        CertificateState::Valid | CertificateState::Expired => vec!["localhost".to_owned(), "127.0.0.1".to_owned()],
    };
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, "peaje throwaway server");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    if state == CertificateState::Expired {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    }
    Ok(params)
}
