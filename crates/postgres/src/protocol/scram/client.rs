//! The client's side: first message, answer to the challenge, check of the server's signature. Each step consumes the
//! one before it, so that none can be left out.

use hmac::Mac;

use super::attributes::{Attributes, decode, decode_digest, encode, is_nonce, text};
use super::keys::{hmac, mac, xor};
use super::{ClientKeys, MAX_ITERATIONS, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramError};

/// How the exchange is tied to the TLS connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelBinding {
    /// The client does not do it (no TLS, or switched off): `n`.
    Unsupported,
    /// The client would, but the server does not offer it: `y`. A server that did offer it then knows that somebody
    /// has cut the offer out.
    NotOffered,
    /// `tls-server-end-point` (RFC 5929): the hash of the server's certificate.
    EndPoint(Vec<u8>),
}

impl ChannelBinding {
    /// The mechanism that goes with it.
    pub fn mechanism(&self) -> &'static str {
        match self {
            ChannelBinding::EndPoint(_) => SCRAM_SHA_256_PLUS,
            ChannelBinding::Unsupported | ChannelBinding::NotOffered => SCRAM_SHA_256,
        }
    }

    fn header(&self) -> &'static str {
        match self {
            ChannelBinding::Unsupported => "n,,",
            ChannelBinding::NotOffered => "y,,",
            ChannelBinding::EndPoint(_) => "p=tls-server-end-point,,",
        }
    }

    /// What the last message repeats: the header, and the data it promised.
    fn data(&self) -> Vec<u8> {
        let mut data = self.header().as_bytes().to_vec();
        if let ChannelBinding::EndPoint(hash) = self {
            data.extend_from_slice(hash);
        }
        data
    }
}

/// An exchange that was begun.
#[derive(Debug, Clone)]
pub struct ScramClient {
    binding: ChannelBinding,
    nonce: String,
    first_bare: String,
}

impl ScramClient {
    /// Begins with this nonce: printable ASCII without commas, new for each login. The user's name is left empty, as
    /// PostgreSQL knows it from the start-up message.
    pub fn new(binding: ChannelBinding, nonce: &str) -> Self {
        Self::with_user(binding, "", nonce)
    }

    fn with_user(binding: ChannelBinding, user: &str, nonce: &str) -> Self {
        Self { binding, nonce: nonce.to_owned(), first_bare: format!("n={user},r={nonce}") }
    }

    /// The mechanism to ask for.
    pub fn mechanism(&self) -> &'static str {
        self.binding.mechanism()
    }

    /// The first message.
    pub fn first(&self) -> Vec<u8> {
        format!("{}{}", self.binding.header(), self.first_bare).into_bytes()
    }

    /// Reads the server's challenge.
    pub fn challenge(self, server_first: &[u8]) -> Result<Challenged, ScramError> {
        let server_first = text(server_first, "challenge")?;
        let mut attributes = Attributes::new(server_first);
        let nonce = attributes.expect('r', "nonce of the challenge")?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(ScramError::Nonce);
        }
        if !is_nonce(nonce) {
            return Err(ScramError::Malformed("nonce of the challenge"));
        }
        let salt = decode(attributes.expect('s', "salt")?, "salt")?;
        if salt.is_empty() {
            return Err(ScramError::Malformed("salt"));
        }
        let iterations = iterations(attributes.expect('i', "iteration count")?)?;
        let without_proof = format!("c={},r={nonce}", encode(&self.binding.data()));
        let auth_message = format!("{},{server_first},{without_proof}", self.first_bare);
        Ok(Challenged { salt, iterations, without_proof, auth_message })
    }
}

fn iterations(text: &str) -> Result<u32, ScramError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ScramError::Malformed("iteration count"));
    }
    // Too large even for 64 bits is too large.
    match text.parse::<u64>().unwrap_or(u64::MAX) {
        0 => Err(ScramError::NoIterations),
        many if many > u64::from(MAX_ITERATIONS) => Err(ScramError::TooManyIterations(many)),
        count => Ok(count as u32),
    }
}

/// A challenge that was read: the keys can be derived.
#[derive(Debug, Clone)]
pub struct Challenged {
    /// Salt of the user's password.
    pub salt: Vec<u8>,
    /// Iterations, within bounds.
    pub iterations: u32,
    without_proof: String,
    auth_message: String,
}

impl Challenged {
    /// The last message, and what the server's signature has to be.
    pub fn answer(self, keys: &ClientKeys) -> (Vec<u8>, ExpectedSignature) {
        let signature = hmac(&keys.stored.stored_key, &[self.auth_message.as_bytes()]);
        let proof = xor(&keys.client_key, &signature);
        let message = format!("{},p={}", self.without_proof, encode(&proof));
        (
            message.into_bytes(),
            ExpectedSignature { server_key: keys.stored.server_key, auth_message: self.auth_message },
        )
    }
}

/// What the server has to prove.
#[derive(Clone)]
pub struct ExpectedSignature {
    server_key: [u8; 32],
    auth_message: String,
}

impl std::fmt::Debug for ExpectedSignature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExpectedSignature(***)")
    }
}

impl ExpectedSignature {
    /// Checks the server's last message, in constant time.
    pub fn check(&self, server_final: &[u8]) -> Result<(), ScramError> {
        let server_final = text(server_final, "server signature")?;
        if let Some(error) = server_final.strip_prefix("e=") {
            return Err(ScramError::Server(error.to_owned()));
        }
        let encoded = Attributes::new(server_final).expect('v', "server signature")?;
        let signature = decode_digest(encoded, "server signature")?;
        mac(&self.server_key, &[self.auth_message.as_bytes()])
            .verify_slice(&signature)
            .map_err(|_| ScramError::ServerSignature)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{ScramServer, ScramVerifier};
    use super::*;

    /// The exchange of RFC 7677, section 3.
    const NONCE: &str = "rOprNGfwEbeRWgbNEkqO";
    const SERVER_FIRST: &str = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    fn client() -> ScramClient {
        ScramClient::with_user(ChannelBinding::Unsupported, "user", NONCE)
    }

    fn challenged() -> Challenged {
        client().challenge(SERVER_FIRST.as_bytes()).unwrap()
    }

    #[test]
    fn rfc_7677_example() {
        assert_eq!(client().first(), b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let challenged = challenged();
        assert_eq!(challenged.iterations, 4096);
        let keys = ClientKeys::derive("pencil", &challenged.salt, challenged.iterations);
        let (message, expected) = challenged.answer(&keys);
        assert_eq!(
            String::from_utf8(message).unwrap(),
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        expected.check(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=").unwrap();
    }

    #[test]
    fn wrong_server_signatures_are_refused() {
        let keys = ClientKeys::derive("pencil", &challenged().salt, 4096);
        let (_, expected) = challenged().answer(&keys);
        let table: [(&[u8], ScramError); 6] = [
            (b"v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", ScramError::ServerSignature),
            (b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95A==", ScramError::Malformed("server signature")),
            (b"v=!!!", ScramError::Malformed("server signature")),
            (b"", ScramError::Malformed("server signature")),
            (b"\xff", ScramError::Malformed("server signature")),
            (b"e=other-error", ScramError::Server("other-error".to_owned())),
        ];
        for (message, error) in table {
            assert_eq!(expected.check(message), Err(error), "{}", message.escape_ascii());
        }
    }

    #[test]
    fn bad_challenges_are_refused() {
        let many = "r=rOprNGfwEbeRWgbNEkqOx,s=QSXCR+Q6sek8bf92,i=";
        let table = [
            ("", ScramError::Malformed("nonce of the challenge")),
            ("r=", ScramError::Nonce),
            ("r=other,s=QSXCR+Q6sek8bf92,i=4096", ScramError::Nonce),
            ("r=rOprNGfwEbeRWgbNEkqO,s=QSXCR+Q6sek8bf92,i=4096", ScramError::Nonce),
            ("r=rOprNGfwEbeRWgbNEkqO\u{e9},s=QSXCR+Q6sek8bf92,i=1", ScramError::Malformed("nonce of the challenge")),
            ("r=rOprNGfwEbeRWgbNEkqOx,s=***,i=4096", ScramError::Malformed("salt")),
            ("r=rOprNGfwEbeRWgbNEkqOx,s=,i=4096", ScramError::Malformed("salt")),
            ("r=rOprNGfwEbeRWgbNEkqOx,i=4096", ScramError::Malformed("salt")),
            ("r=rOprNGfwEbeRWgbNEkqOx,s=QSXCR+Q6sek8bf92", ScramError::Malformed("iteration count")),
            (&format!("{many}-1"), ScramError::Malformed("iteration count")),
            (&format!("{many}0"), ScramError::NoIterations),
            (&format!("{many}10000001"), ScramError::TooManyIterations(10_000_001)),
            (&format!("{many}4000000000"), ScramError::TooManyIterations(4_000_000_000)),
            (&format!("{many}99999999999999999999999"), ScramError::TooManyIterations(u64::MAX)),
        ];
        for (message, error) in table {
            assert_eq!(client().challenge(message.as_bytes()).err(), Some(error), "{message}");
        }
        assert_eq!(client().challenge(format!("{many}10000000").as_bytes()).unwrap().iterations, MAX_ITERATIONS);
        assert_eq!(client().challenge(format!("{many}1,x=future").as_bytes()).unwrap().iterations, 1);
    }

    /// Both sides against each other, for each kind of channel binding.
    #[test]
    fn both_sides_agree() {
        let hash = vec![7; 32];
        let verifier = ScramVerifier::from_password("pencil", b"saltsaltsaltsalt", 4096);
        for binding in [ChannelBinding::Unsupported, ChannelBinding::NotOffered, ChannelBinding::EndPoint(hash.clone())]
        {
            let end_point = matches!(binding, ChannelBinding::EndPoint(_)).then_some(hash.as_slice());
            let client = ScramClient::new(binding, "abc");
            let server = ScramServer::begin(&verifier, &client.first(), "xyz", end_point).unwrap();
            let challenged = client.challenge(server.challenge()).unwrap();
            let keys = ClientKeys::derive("pencil", &challenged.salt, challenged.iterations);
            let (answer, expected) = challenged.answer(&keys);
            expected.check(&server.finish(&answer).unwrap()).unwrap();
        }
    }

    #[test]
    fn debug_shows_no_key() {
        let keys = ClientKeys::derive("pencil", b"salt", 1);
        let (_, expected) = challenged().answer(&keys);
        assert_eq!(
            format!("{keys:?} {:?} {expected:?}", keys.stored()),
            "ClientKeys(***) StoredKeys(***) ExpectedSignature(***)"
        );
    }
}
