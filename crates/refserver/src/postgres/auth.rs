//! Credentials: what is asked, and whether the answer is right.
//!
//! A newcomer would turn an unknown user away at once. The real server asks for the password first, so that nobody can
//! find out who exists; clients are measured against the same exchange.

use sha2::{Digest, Sha256, Sha384, Sha512};

use peaje_engine::{SignatureHash, signature_hash};
use peaje_model::Secret;
use peaje_postgres::protocol::backend;
use peaje_postgres::protocol::frontend::{FrontendMessage, decode_frontend, decode_sasl_initial};
use peaje_postgres::protocol::md5::md5_response;
use peaje_postgres::protocol::scram::{SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramError, ScramServer, ScramVerifier};

use crate::connection::Connection;
use crate::end::End;
use crate::steps::before;
use crate::{Auth, Step};

use super::Shared;
use super::end::{broken, fatal};

/// PostgreSQL's default (`scram_iterations`).
const ITERATIONS: u32 = 4096;
/// Longest message of an authentication.
const LONGEST_ANSWER: usize = 64 * 1024;

/// How credentials are checked, with everything that can be computed beforehand.
#[derive(Debug)]
pub(crate) enum Verifier {
    Trust,
    Password { user: String, password: Secret },
    Md5 { user: String, password: Secret },
    Scram { user: String, verifier: ScramVerifier, decoy: ScramVerifier },
}

impl Verifier {
    /// `None` when PostgreSQL knows no such authentication.
    pub(crate) fn new(auth: &Auth) -> Option<Self> {
        Some(match auth.clone() {
            Auth::Trust => Self::Trust,
            Auth::Password { user, password } => Self::Password { user, password },
            Auth::Md5 { user, password } => Self::Md5 { user, password },
            Auth::Scram { user, password } => {
                let verifier = ScramVerifier::from_password(password.expose(), &salt(), ITERATIONS);
                // For users that do not exist: nobody knows its password.
                let decoy = ScramVerifier::from_password(&nonce(), &salt(), ITERATIONS);
                Self::Scram { user, verifier, decoy }
            }
            _ => return None,
        })
    }
}

fn salt() -> [u8; 16] {
    rand::random()
}

/// Printable, and new for each login.
fn nonce() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Asks for the credentials and checks them; "accepted" is in the output afterwards.
pub(crate) async fn authenticate(connection: &mut Connection, shared: &Shared, user: &str) -> Result<(), End> {
    let accepted = match &shared.protocol.verifier {
        Verifier::Trust => true,
        Verifier::Password { user: right, password } => {
            backend::authentication_cleartext(&mut connection.output);
            let given = answer(connection).await?;
            user == right && without_end(&given) == password.expose().as_bytes()
        }
        Verifier::Md5 { user: right, password } => {
            let salt = rand::random();
            backend::authentication_md5(&mut connection.output, salt);
            let given = answer(connection).await?;
            user == right && without_end(&given) == md5_response(right, password.expose(), salt).as_bytes()
        }
        Verifier::Scram { user: right, verifier, decoy } => {
            scram(connection, shared, if user == right { verifier } else { decoy }).await?
        }
    };
    before(Step::Authenticate, shared).await;
    if accepted {
        backend::authentication_ok(&mut connection.output);
        return Ok(());
    }
    // What was accepted on the way is not sent.
    connection.output.clear();
    let message = format!("password authentication failed for user \"{user}\"");
    Err(fatal(connection, "28P01", &message))
}

/// The body of the client's next answer.
async fn answer(connection: &mut Connection) -> Result<Vec<u8>, End> {
    loop {
        match decode_frontend(connection.input.rest()) {
            Ok(Some((FrontendMessage::Password(body), used))) => {
                let body = body.to_vec();
                connection.input.consume(used);
                return Ok(body);
            }
            Ok(Some((FrontendMessage::Terminate, _))) => return Err(End::Left),
            Ok(Some(_)) => return Err(fatal(connection, "08P01", "expected password response")),
            Ok(None) if connection.input.rest().len() > LONGEST_ANSWER => {
                return Err(fatal(connection, "08P01", "authentication message too long"));
            }
            Ok(None) => {
                if connection.fill().await? == 0 {
                    return Err(End::Left);
                }
            }
            Err(error) => return Err(broken(connection, error)),
        }
    }
}

/// Passwords are sent with a zero byte at their end.
fn without_end(given: &[u8]) -> &[u8] {
    given.strip_suffix(&[0]).unwrap_or(given)
}

/// The whole exchange; `false` = the proof is wrong.
async fn scram(connection: &mut Connection, shared: &Shared, verifier: &ScramVerifier) -> Result<bool, End> {
    let end_point = shared.tls.as_ref().filter(|_| connection.is_encrypted()).map(|tls| end_point(&tls.certificate));
    let mechanisms: &[&str] = if end_point.is_some() { &[SCRAM_SHA_256_PLUS, SCRAM_SHA_256] } else { &[SCRAM_SHA_256] };
    backend::authentication_sasl(&mut connection.output, mechanisms);
    let initial = answer(connection).await?;
    let begun = begin(&initial, verifier, mechanisms, end_point.as_deref());
    let exchange = begun.map_err(|e| refuse(connection, &e))?;
    backend::authentication_sasl_continue(&mut connection.output, exchange.challenge());
    let proof = answer(connection).await?;
    match exchange.finish(&proof) {
        Ok(signature) => {
            backend::authentication_sasl_final(&mut connection.output, &signature);
            Ok(true)
        }
        Err(ScramError::ClientProof) => Ok(false),
        Err(error) => Err(refuse(connection, &error)),
    }
}

fn begin(
    initial: &[u8],
    verifier: &ScramVerifier,
    mechanisms: &[&str],
    end_point: Option<&[u8]>,
) -> Result<ScramServer, ScramError> {
    let (mechanism, data) = decode_sasl_initial(initial).map_err(|_| ScramError::Malformed("first message"))?;
    let data = data.ok_or(ScramError::Malformed("first message"))?;
    if !mechanisms.contains(&mechanism) {
        return Err(ScramError::Malformed("mechanism"));
    }
    let bound = mechanism == SCRAM_SHA_256_PLUS;
    if !bound && end_point.is_some() && data.starts_with(b"y") {
        // The client believes that this server has not offered it: somebody has cut the offer out (RFC 5802, section 6).
        return Err(ScramError::ChannelBinding);
    }
    ScramServer::begin(verifier, data, &nonce(), end_point.filter(|_| bound))
}

fn refuse(connection: &mut Connection, error: &ScramError) -> End {
    let code = if *error == ScramError::ChannelBinding { "28000" } else { "08P01" };
    fatal(connection, code, &error.to_string())
}

/// What `tls-server-end-point` binds to: the certificate's hash (RFC 5929, section 4.1).
fn end_point(certificate: &[u8]) -> Vec<u8> {
    match signature_hash(certificate) {
        Some(SignatureHash::Sha384) => Sha384::digest(certificate).to_vec(),
        Some(SignatureHash::Sha512) => Sha512::digest(certificate).to_vec(),
        Some(SignatureHash::Sha256) | None => Sha256::digest(certificate).to_vec(),
    }
}
