//! Certificates made for a test, and the files that a connection string names.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate with its key.
#[derive(Debug)]
pub struct Identity {
    /// The certificate.
    pub certificate: CertificateDer<'static>,
    pem: String,
    key: KeyPair,
    params: CertificateParams,
}

impl Identity {
    /// The key, for a server.
    pub fn key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.key.serialize_der()).into()
    }

    /// Writes the certificate (PEM) to a file of this name.
    pub fn write_certificate(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, &self.pem).expect("the folder is writable");
        path
    }

    /// Writes the key (PEM) to a file of this name.
    pub fn write_key(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, self.key.serialize_pem()).expect("the folder is writable");
        path
    }

    fn self_signed(params: CertificateParams) -> Self {
        let key = KeyPair::generate().expect("it can be made");
        let made = params.self_signed(&key).expect("it can be made");
        Self { certificate: made.der().clone(), pem: made.pem(), key, params }
    }
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()).expect("it can be made")
}

/// A certificate authority of this name.
pub fn authority(name: &str) -> Identity {
    let mut params = params(&[]);
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Identity::self_signed(params)
}

/// A certificate for these hosts, by this authority.
pub fn issued(by: &Identity, names: &[&str]) -> Identity {
    issued_with(by, names, |_| {})
}

/// The same with another change to the certificate (its dates, …).
pub fn issued_with(by: &Identity, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Identity {
    let mut params = params(names);
    change(&mut params);
    let key = KeyPair::generate().expect("it can be made");
    let issuer = Issuer::from_params(&by.params, &by.key);
    let made = params.signed_by(&key, &issuer).expect("it can be made");
    Identity { certificate: made.der().clone(), pem: made.pem(), key, params }
}

/// The certificate of a small site: its own issuer, and an authority at the same time (as `openssl req -x509` makes it).
pub fn self_signed(names: &[&str]) -> Identity {
    let mut params = params(names);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Identity::self_signed(params)
}
