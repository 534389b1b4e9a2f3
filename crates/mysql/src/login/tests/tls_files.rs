//! Certificates made for a test, and the files that a connection string names.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate with its key.
pub(super) struct Identity {
    pub(super) certificate: CertificateDer<'static>,
    pem: String,
    key: KeyPair,
    params: CertificateParams,
}

impl Identity {
    pub(super) fn key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.key.serialize_der()).into()
    }

    pub(super) fn write_certificate(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, &self.pem).unwrap();
        path
    }

    pub(super) fn write_key(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, self.key.serialize_pem()).unwrap();
        path
    }

    fn self_signed(params: CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        let made = params.self_signed(&key).unwrap();
        Self { certificate: made.der().clone(), pem: made.pem(), key, params }
    }
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()).unwrap()
}

/// A certificate authority of this name.
pub(super) fn authority(name: &str) -> Identity {
    let mut params = params(&[]);
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Identity::self_signed(params)
}

/// A certificate for these hosts, by this authority.
pub(super) fn issued(by: &Identity, names: &[&str]) -> Identity {
    issued_with(by, names, |_| {})
}

pub(super) fn issued_with(by: &Identity, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Identity {
    let mut params = params(names);
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    let issuer = Issuer::from_params(&by.params, &by.key);
    let made = params.signed_by(&key, &issuer).unwrap();
    Identity { certificate: made.der().clone(), pem: made.pem(), key, params }
}

/// The certificate of a small site: its own issuer, and an authority too (as `openssl req -x509` makes it).
pub(super) fn self_signed(names: &[&str]) -> Identity {
    let mut params = params(names);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Identity::self_signed(params)
}
