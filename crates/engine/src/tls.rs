//! TLS of the client side: what is verified, who the client is, and whether sessions are resumed.
//!
//! The configuration is built once for a run. A newcomer would build it for each login, as some drivers do: loading
//! the trust store then costs more than the handshake.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::server_key::{certificate_not_after, certificate_valid_at, is_self_issued};
use crate::sessions::Sessions;
use crate::{ClientIdentity, Failure, ServerKey};

use peaje_model::OutcomeKind;

/// How much of the server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// Nothing but the handshake's own signature: encryption without identity (`sslmode=require`).
    #[default]
    Nothing,
    /// The chain up to a trusted root, not the host name (`verify-ca`).
    Chain,
    /// Chain and host name (`verify-full`).
    Full,
}

/// Whether sessions are resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resume {
    /// A full handshake each time.
    #[default]
    Never,
    /// With the tickets the server gives, each used once.
    WhenOffered,
}

/// Where trusted roots come from.
#[derive(Debug, Clone, Default)]
pub enum Roots {
    /// None: only good for [`Verify::Nothing`].
    #[default]
    None,
    /// These certificates.
    Given(Vec<CertificateDer<'static>>),
    /// The operating system's trust store.
    System,
}

/// Whether the client tells in clear which host it wants (SNI).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServerNameIndication {
    /// Told, as proxies that route by it need.
    #[default]
    Sent,
    /// Kept back (`sslsni=0`).
    Withheld,
}

/// Everything a client's TLS depends on.
#[derive(Debug, Default)]
pub struct TlsOptions {
    /// How much of the server's certificate is checked.
    pub verify: Verify,
    /// Trusted roots.
    pub roots: Roots,
    /// Certificate chain and key of the client.
    pub client_auth: Option<ClientIdentity>,
    /// Protocol names offered (ALPN).
    pub alpn: Vec<Vec<u8>>,
    /// Whether sessions are resumed.
    pub resume: Resume,
    /// Whether the host is told in clear.
    pub server_name: ServerNameIndication,
    /// Versions allowed; empty = 1.2 and 1.3.
    pub versions: Vec<&'static rustls::SupportedProtocolVersion>,
}

/// Why TLS cannot be set up on this side.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsSetupError {
    /// The trust store is empty: nothing could ever be verified.
    #[error("no trusted root certificate: give a file with the issuer's certificate")]
    NoRoots,
    /// The system's trust store cannot be read.
    #[error("the system's trust store cannot be read: {0}")]
    SystemRoots(String),
    /// A root certificate is malformed.
    #[error("a trusted root certificate cannot be used: {0}")]
    BadRoot(rustls::Error),
    /// Client certificate and key do not fit together, or the key is of an unknown kind.
    #[error("the client certificate or its key cannot be used: {0} (check that both files belong together)")]
    ClientAuth(rustls::Error),
    /// The library refuses the combination of versions.
    #[error("TLS cannot be set up: {0}")]
    Library(rustls::Error),
    /// The verifier cannot be built.
    #[error("the certificate verifier cannot be built: {0}")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
    /// The host is neither a DNS name nor an address.
    #[error("`{0}` is not a name that a certificate can be checked against")]
    ServerName(String),
}

/// A ready client configuration; clones share it and its session store.
#[derive(Debug, Clone)]
pub struct ClientTls {
    config: Arc<ClientConfig>,
    /// What the first certificate holds, so that it is parsed once and not at each login.
    seen: Arc<OnceLock<Seen>>,
}

/// A certificate, the kind of its key, and when it ends.
#[derive(Debug)]
struct Seen {
    der: Vec<u8>,
    key: Option<ServerKey>,
    ends_s: Option<u64>,
}

impl Seen {
    fn of(der: &[u8]) -> Self {
        Self { der: der.to_vec(), key: ServerKey::of_certificate(der), ends_s: certificate_not_after(der) }
    }
}

/// The cryptography in use on both sides.
pub fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    PROVIDER
        .get_or_init(|| {
            let provider = rustls::crypto::aws_lc_rs::default_provider();
            warm_up(&provider);
            Arc::new(provider)
        })
        .clone()
}

/// The library gathers its first random numbers for some 50 ms: the first login must not be charged with it.
fn warm_up(provider: &CryptoProvider) {
    let mut bytes = [0; 32];
    // A failure here comes back, and is told, at the first handshake.
    let _ = provider.secure_random.fill(&mut bytes);
    for group in &provider.kx_groups {
        let _ = group.start();
    }
}

impl ClientTls {
    /// Builds the configuration.
    pub fn new(options: TlsOptions) -> Result<Self, TlsSetupError> {
        let versions: Vec<_> =
            if options.versions.is_empty() { rustls::ALL_VERSIONS.to_vec() } else { options.versions };
        let verifier = verifier(options.verify, options.roots)?;
        let builder = ClientConfig::builder_with_provider(provider())
            .with_protocol_versions(&versions)
            .map_err(TlsSetupError::Library)?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match options.client_auth {
            Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(TlsSetupError::ClientAuth)?,
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = options.alpn;
        config.enable_sni = options.server_name == ServerNameIndication::Sent;
        config.resumption = match options.resume {
            Resume::Never => Resumption::disabled(),
            Resume::WhenOffered => Resumption::store(Arc::new(Sessions::default())),
        };
        Ok(Self { config: Arc::new(config), seen: Arc::default() })
    }

    /// A connection for this host, before its first byte.
    pub fn connection(&self, host: &str) -> Result<ClientConnection, TlsSetupError> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| TlsSetupError::ServerName(host.to_owned()))?;
        let mut connection = ClientConnection::new(self.config.clone(), name).map_err(TlsSetupError::Library)?;
        // A query of any length must fit: it is sent right after it was queued.
        connection.set_buffer_limit(None);
        Ok(connection)
    }

    /// The shared rustls configuration, for drivers that take one.
    pub fn config(&self) -> &Arc<ClientConfig> {
        &self.config
    }

    /// The kind of key in this certificate, parsed once for each certificate in practice.
    pub(crate) fn server_key(&self, der: &[u8]) -> Option<ServerKey> {
        let first = self.seen.get_or_init(|| Seen::of(der));
        if first.der == der { first.key } else { ServerKey::of_certificate(der) }
    }

    /// When this certificate ends, seconds since 1970; parsed once in practice.
    pub(crate) fn certificate_ends_s(&self, der: &[u8]) -> Option<u64> {
        let first = self.seen.get_or_init(|| Seen::of(der));
        if first.der == der { first.ends_s } else { certificate_not_after(der) }
    }
}

fn verifier(verify: Verify, roots: Roots) -> Result<Arc<dyn ServerCertVerifier>, TlsSetupError> {
    if verify == Verify::Nothing {
        return Ok(Arc::new(SignatureOnly(provider())));
    }
    let given = match roots {
        Roots::None => return Err(TlsSetupError::NoRoots),
        Roots::Given(certificates) => certificates,
        Roots::System => {
            let loaded = rustls_native_certs::load_native_certs();
            if loaded.certs.is_empty() {
                let reasons: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
                return Err(TlsSetupError::SystemRoots(reasons.join("; ")));
            }
            loaded.certs
        }
    };
    if given.is_empty() {
        return Err(TlsSetupError::NoRoots);
    }
    let mut store = RootCertStore::empty();
    for certificate in &given {
        store.add(certificate.clone()).map_err(TlsSetupError::BadRoot)?;
    }
    let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider()).build()?;
    Ok(Arc::new(ChainVerifier { inner, roots: given, verify }))
}

/// Checks that the server holds the key of the certificate it shows, and nothing else.
#[derive(Debug)]
struct SignatureOnly(Arc<CryptoProvider>);

impl ServerCertVerifier for SignatureOnly {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The library's verifier, with the two liberties database servers need: `verify-ca` does not look at the name, and a
/// self-signed certificate that is itself a trusted root may serve as the server's (the usual set-up of a small site,
/// which the library refuses because such a certificate calls itself an authority).
#[derive(Debug)]
struct ChainVerifier {
    inner: Arc<WebPkiServerVerifier>,
    roots: Vec<CertificateDer<'static>>,
    verify: Verify,
}

impl ChainVerifier {
    fn pinned(&self, shown: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> Result<(), rustls::Error> {
        if !self.roots.iter().any(|root| root == shown) {
            return Err(CertificateError::UnknownIssuer.into());
        }
        if certificate_valid_at(shown, now.as_secs()) != Some(true) {
            return Err(CertificateError::Expired.into());
        }
        if self.verify == Verify::Full {
            let parsed = rustls::server::ParsedCertificate::try_from(shown)?;
            rustls::client::verify_server_name(&parsed, name)?;
        }
        Ok(())
    }
}

impl ServerCertVerifier for ChainVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use rustls::Error::InvalidCertificate;

        let result = self.inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match result {
            Err(InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.verify == Verify::Chain => Ok(ServerCertVerified::assertion()),
            Err(InvalidCertificate(CertificateError::Other(_))) => {
                match self.pinned(end_entity, server_name, now) {
                    Ok(()) => Ok(ServerCertVerified::assertion()),
                    // Its own issuer: what is wrong with it tells more than that it calls itself an authority.
                    Err(error) if is_self_issued(end_entity) => Err(error),
                    Err(_) => result,
                }
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

impl Failure {
    /// A failed handshake, with the next step for the usual causes. The words name no setting: engines put theirs in
    /// the place of a hint, by the failure's code.
    pub fn from_tls(error: &rustls::Error) -> Self {
        use rustls::Error as E;

        let (code, hint) = match error {
            E::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => (
                "certificate-expired",
                "the server's certificate has expired: renew it on the server (and check this machine's date)",
            ),
            E::InvalidCertificate(CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => {
                ("certificate-not-yet-valid", "check the date of this machine and of the certificate")
            }
            E::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            ) => {
                ("certificate-wrong-host", "connect by a name that stands in the certificate, or check only its issuer")
            }
            // A bad signature is an issuer of the same name with another key: an authority that was made anew.
            E::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => (
                "certificate-unknown-issuer",
                "give the issuer's certificate as a trusted root, or skip the check if the network is trusted",
            ),
            E::InvalidCertificate(_) => ("certificate-invalid", "look at the certificate with `openssl x509 -text`"),
            E::AlertReceived(_) => {
                ("tls-alert", "the server ended the handshake: look at its log (client certificate, versions, ciphers)")
            }
            E::PeerIncompatible(_) | E::NoCertificatesPresented => {
                ("tls-incompatible", "no common TLS version or cipher: TLS 1.2 at least is needed")
            }
            E::NoApplicationProtocol => ("tls-alpn", "the server does not accept direct TLS negotiation"),
            _ => ("tls", "check that the port speaks TLS for this protocol"),
        };
        Failure::new(OutcomeKind::TlsFailed, format!("TLS handshake failed: {error}")).code(code).hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_flight(server_name: ServerNameIndication) -> Vec<u8> {
        let tls = ClientTls::new(TlsOptions { server_name, ..TlsOptions::default() }).expect("a configuration");
        let mut flight = Vec::new();
        tls.connection("db1.example").expect("a name").write_tls(&mut flight).expect("memory");
        flight
    }

    #[test]
    fn the_host_is_told_in_clear_unless_it_is_to_be_kept_back() {
        let tells = |flight: &[u8]| flight.windows(11).any(|w| w == b"db1.example");
        assert!(tells(&first_flight(ServerNameIndication::Sent)));
        assert!(!tells(&first_flight(ServerNameIndication::Withheld)));
    }
}
