//! TLS of the server: a certificate made at the start or read from files, and tickets for resumption.
//!
//! A newcomer would serve a self-signed certificate. Some clients refuse one as a server's; so the server makes a small
//! authority, signs its own certificate with it, and gives the authority's to whoever wants to verify.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::{KeyKind, RefServerError, Resumption, TlsSetting};

/// A ready server side of TLS.
#[derive(Debug)]
pub(crate) struct ServerTls {
    /// For each handshake.
    pub(crate) config: Arc<ServerConfig>,
    /// For handshakes whose records travel in messages of the protocol: TLS 1.2 at most, because clients of TDS that come
    /// with the versions of today do not complete 1.3 there.
    pub(crate) carried: Arc<ServerConfig>,
    /// The server's own certificate, in DER.
    pub(crate) certificate: Vec<u8>,
    /// What clients verify against, when the server made it itself.
    pub(crate) root_pem: Option<String>,
}

/// More than a session without a client's certificate has in its ticket.
const LONGEST_TICKET: usize = 2048;

struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    root_pem: Option<String>,
}

impl ServerTls {
    /// `None` when TLS is off. `alpn` is the protocol's name for clients that begin with TLS at once.
    pub(crate) fn new(
        setting: &TlsSetting,
        resumption: Resumption,
        alpn: &[u8],
    ) -> Result<Option<Self>, RefServerError> {
        let identity = match setting {
            TlsSetting::Off => return Ok(None),
            TlsSetting::SelfMade(kind) => make(*kind)?,
            TlsSetting::Files { cert, key } => read(cert, key)?,
        };
        let certificate = identity.chain.first().map(|c| c.to_vec()).unwrap_or_default();
        let config = Arc::new(configure(&identity, rustls::ALL_VERSIONS, resumption, alpn)?);
        let carried = Arc::new(configure(&identity, &[&rustls::version::TLS12], resumption, alpn)?);
        Ok(Some(Self { config, carried, certificate, root_pem: identity.root_pem }))
    }
}

fn configure(
    identity: &Identity,
    versions: &[&'static rustls::SupportedProtocolVersion],
    resumption: Resumption,
    alpn: &[u8],
) -> Result<ServerConfig, RefServerError> {
    let mut config = ServerConfig::builder_with_provider(peaje_engine::provider())
        .with_protocol_versions(versions)?
        .with_no_client_auth()
        .with_single_cert(identity.chain.clone(), identity.key.clone_key())?;
    if !alpn.is_empty() {
        config.alpn_protocols = vec![alpn.to_vec()];
    }
    // Sessions are kept by the clients only: the server's memory does not grow with the number of logins.
    config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
    match resumption {
        Resumption::Tickets => {
            config.ticketer = rustls::crypto::aws_lc_rs::Ticketer::new()?;
            // It opens no ticket that is longer than any it has made, and a process of a session may be asked to open one
            // before it has made any.
            let _ = config.ticketer.encrypt(&[0; LONGEST_TICKET]);
        }
        Resumption::Off => config.send_tls13_tickets = 0,
    }
    Ok(config)
}

fn read(cert: &Path, key: &Path) -> Result<Identity, RefServerError> {
    use rustls::pki_types::pem::Error;

    let failed = |path: &Path, source| RefServerError::ReadCertificate { path: path.to_owned(), source };
    let chain: Result<Vec<_>, Error> = CertificateDer::pem_file_iter(cert).and_then(Iterator::collect);
    let chain = chain.map_err(|e| failed(cert, e))?;
    if chain.is_empty() {
        return Err(failed(cert, Error::NoItemsFound));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|e| failed(key, e))?;
    Ok(Identity { chain, key, root_pem: None })
}

fn make(kind: KeyKind) -> Result<Identity, RefServerError> {
    let authority_key = new_key(kind)?;
    let mut authority = CertificateParams::default();
    // Clients look issuers up by their names: two servers' authorities in one file must not have the same.
    let name = format!("peaje reference server's own authority {:08x}", rand::random::<u32>());
    authority.distinguished_name.push(DnType::CommonName, name);
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    set_validity(&mut authority);
    let root_pem = authority.self_signed(&authority_key)?.pem();

    let server_key = new_key(kind)?;
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut server = CertificateParams::new(names)?;
    server.distinguished_name.push(DnType::CommonName, "peaje reference server");
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    set_validity(&mut server);
    let certificate = server.signed_by(&server_key, &Issuer::new(authority, authority_key))?;
    let key = PrivateKeyDer::Pkcs8(server_key.serialize_der().into());
    Ok(Identity { chain: vec![certificate.der().clone()], key, root_pem: Some(root_pem) })
}

fn new_key(kind: KeyKind) -> Result<KeyPair, rcgen::Error> {
    match kind {
        KeyKind::Rsa2048 => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, rcgen::RsaKeySize::_2048),
        KeyKind::EcdsaP256 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256),
    }
}

/// A day back, because clocks differ, and a year ahead, because no reference server runs longer.
fn set_validity(params: &mut CertificateParams) {
    const DAY: Duration = Duration::from_secs(86_400);
    let now = SystemTime::now();
    params.not_before = (now - DAY).into();
    params.not_after = (now + 366 * DAY).into();
}

#[cfg(test)]
mod tests {
    use peaje_engine::ServerKey;

    use super::*;

    #[test]
    fn self_made_certificates_have_the_key_asked_for_and_chain_to_the_root() {
        for (kind, key) in [(KeyKind::EcdsaP256, ServerKey::EcdsaP256), (KeyKind::Rsa2048, ServerKey::Rsa(2048))] {
            let tls = ServerTls::new(&TlsSetting::SelfMade(kind), Resumption::Tickets, b"x").unwrap().unwrap();
            assert_eq!(ServerKey::of_certificate(&tls.certificate), Some(key));
            let root = CertificateDer::from_pem_slice(tls.root_pem.unwrap().as_bytes()).unwrap();
            let mut roots = rustls::RootCertStore::empty();
            roots.add(root).unwrap();
            let verifier =
                rustls::client::WebPkiServerVerifier::builder_with_provider(Arc::new(roots), peaje_engine::provider())
                    .build()
                    .unwrap();
            for name in ["localhost", "127.0.0.1", "::1"] {
                use rustls::client::danger::ServerCertVerifier;
                verifier
                    .verify_server_cert(
                        &tls.certificate.clone().into(),
                        &[],
                        &name.try_into().unwrap(),
                        &[],
                        rustls::pki_types::UnixTime::now(),
                    )
                    .unwrap();
            }
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let setting = TlsSetting::Files { cert: "/no/such/file.pem".into(), key: "/no/such/key.pem".into() };
        let error = ServerTls::new(&setting, Resumption::Off, b"x").unwrap_err();
        assert!(error.to_string().contains("/no/such/file.pem"), "{error}");
    }
}
