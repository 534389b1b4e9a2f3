//! The authentication as a dialogue without I/O: a request of the server in, an answer out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use peaje_engine::{AuthFacts, Failure, ThreadCpu, Trace};
use peaje_model::{OutcomeKind, Phase, Secret};
use rand::TryRngCore;
use rand::rngs::OsRng;

use super::end_point::EndPoint;
use super::failures;
use super::prepared::Credentials;
use crate::config::{AuthMethod, AuthWord, ChannelBindingMode};
use crate::protocol::backend::AuthRequest;
use crate::protocol::scram::{
    ChannelBinding, ClientKeys, ExpectedSignature, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramClient,
};
use crate::protocol::{frontend, md5};

/// What to do after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Send the answer, then go on.
    Answer,
    /// Go on; nothing to send.
    Wait,
    /// The credentials are accepted.
    Accepted,
}

/// How far the dialogue has come.
enum Stage {
    /// Nothing was asked for.
    Fresh,
    /// The password, or the answer to a challenge, was sent.
    PasswordSent,
    /// The first SCRAM message was sent.
    ScramBegun(ScramClient),
    /// The proof was sent; the server has to prove itself.
    ScramProven(ExpectedSignature),
    /// The server has proved itself.
    ScramDone,
}

/// One authentication.
pub(super) struct Exchange<'a> {
    credentials: &'a Credentials,
    password: Option<&'a Secret>,
    /// Hash of the server's certificate; `None` without TLS.
    end_point: Option<&'a EndPoint>,
    stage: Stage,
    facts: AuthFacts,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(
        credentials: &'a Credentials,
        password: Option<&'a Secret>,
        end_point: Option<&'a EndPoint>,
    ) -> Self {
        let facts = AuthFacts { method: AuthMethod::Trust.name(), iterations: None, cached: false };
        Self { credentials, password, end_point, stage: Stage::Fresh, facts }
    }

    /// How the login was authenticated.
    pub(super) fn facts(&self) -> AuthFacts {
        self.facts
    }

    /// Whether the server has been sent anything that it could count as a failed login.
    pub(super) fn credentials_sent(&self) -> bool {
        !matches!(self.stage, Stage::Fresh)
    }

    /// Takes a request; an answer is appended to `out`.
    pub(super) fn step(
        &mut self,
        request: &AuthRequest<'_>,
        out: &mut Vec<u8>,
        trace: &mut Trace,
    ) -> Result<Step, Failure> {
        let stage = std::mem::replace(&mut self.stage, Stage::Fresh);
        match (request, stage) {
            (AuthRequest::Ok, stage) => self.accepted(&stage),
            (AuthRequest::CleartextPassword, Stage::Fresh) => self.cleartext(out),
            (AuthRequest::Md5Password { salt }, Stage::Fresh) => self.md5(*salt, out, trace),
            (AuthRequest::Sasl { mechanisms }, Stage::Fresh) => self.scram_begin(mechanisms, out),
            (AuthRequest::SaslContinue(data), Stage::ScramBegun(client)) => self.scram_prove(client, data, out, trace),
            (AuthRequest::SaslFinal(data), Stage::ScramProven(expected)) => self.scram_check(&expected, data, trace),
            (request, Stage::Fresh) => match method_unspoken(request) {
                Some((word, text)) => Err(self.unspoken(word, text)),
                None => Err(out_of_turn()),
            },
            _ => Err(out_of_turn()),
        }
    }

    fn accepted(&mut self, stage: &Stage) -> Result<Step, Failure> {
        match stage {
            Stage::Fresh => {
                self.allow(AuthMethod::Trust)?;
                self.check_binding(AuthMethod::Trust)?;
            }
            Stage::PasswordSent | Stage::ScramDone => {}
            // The server must not skip the proof that it knows the password.
            Stage::ScramBegun(_) | Stage::ScramProven(_) => {
                return Err(failures::not_postgres(
                    "the server accepted the login without proving that it knows the password (SCRAM)",
                    Some(Phase::Authenticate),
                ));
            }
        }
        Ok(Step::Accepted)
    }

    fn cleartext(&mut self, out: &mut Vec<u8>) -> Result<Step, Failure> {
        let password = self.begin(AuthMethod::Password)?;
        frontend::password(out, password.expose().as_bytes());
        self.stage = Stage::PasswordSent;
        Ok(Step::Answer)
    }

    fn md5(&mut self, salt: [u8; 4], out: &mut Vec<u8>, trace: &mut Trace) -> Result<Step, Failure> {
        let password = self.begin(AuthMethod::Md5)?;
        let before = ThreadCpu::now();
        let answer = md5::md5_response(&self.credentials.user, password.expose(), salt);
        trace.add_crypto(ThreadCpu::now().since(before));
        frontend::password(out, answer.as_bytes());
        self.stage = Stage::PasswordSent;
        Ok(Step::Answer)
    }

    fn scram_begin(&mut self, mechanisms: &[&str], out: &mut Vec<u8>) -> Result<Step, Failure> {
        let binding = self.choose_binding(mechanisms)?;
        let method = match binding {
            ChannelBinding::EndPoint(_) => AuthMethod::ScramSha256Plus,
            ChannelBinding::NotOffered | ChannelBinding::Unsupported => AuthMethod::ScramSha256,
        };
        self.begin(method)?;
        let client = ScramClient::new(binding, &nonce()?);
        frontend::sasl_initial_response(out, client.mechanism(), &client.first());
        self.stage = Stage::ScramBegun(client);
        Ok(Step::Answer)
    }

    fn choose_binding(&self, mechanisms: &[&str]) -> Result<ChannelBinding, Failure> {
        let plus = mechanisms.contains(&SCRAM_SHA_256_PLUS);
        let plain = mechanisms.contains(&SCRAM_SHA_256);
        let wanted = self.credentials.channel_binding != ChannelBindingMode::Disable;
        match self.end_point {
            Some(EndPoint::Hash(hash)) if plus && wanted => Ok(ChannelBinding::EndPoint(hash.clone())),
            _ if !plain => {
                let offered = mechanisms.join(", ");
                Err(unsupported(
                    format!(
                        "the server offers no SASL mechanism that can be used here: {}",
                        failures::printable(&offered)
                    ),
                    "SCRAM-SHA-256 is spoken; SCRAM-SHA-256-PLUS needs TLS and channel_binding other than `disable`",
                ))
            }
            // `y` tells a server that did offer it that its offer was cut out.
            Some(EndPoint::Hash(_)) if wanted => Ok(ChannelBinding::NotOffered),
            _ => Ok(ChannelBinding::Unsupported),
        }
    }

    fn scram_prove(
        &mut self,
        client: ScramClient,
        data: &[u8],
        out: &mut Vec<u8>,
        trace: &mut Trace,
    ) -> Result<Step, Failure> {
        let password = self.password.ok_or_else(no_password)?;
        let before = ThreadCpu::now();
        let challenged = client.challenge(data).map_err(|e| failures::scram(&e))?;
        self.facts.iterations = Some(challenged.iterations);
        let keys = self.keys(password, &challenged.salt, challenged.iterations);
        let (message, expected) = challenged.answer(&keys);
        trace.add_crypto(ThreadCpu::now().since(before));
        frontend::sasl_response(out, &message);
        self.stage = Stage::ScramProven(expected);
        Ok(Step::Answer)
    }

    fn keys(&mut self, password: &Secret, salt: &[u8], iterations: u32) -> ClientKeys {
        let Some(cache) = &self.credentials.cache else {
            return ClientKeys::derive(password.expose(), salt, iterations);
        };
        if let Some(keys) = cache.get(password, salt, iterations) {
            self.facts.cached = true;
            return keys;
        }
        let keys = ClientKeys::derive(password.expose(), salt, iterations);
        cache.put(password, salt, iterations, keys.clone());
        keys
    }

    fn scram_check(&mut self, expected: &ExpectedSignature, data: &[u8], trace: &mut Trace) -> Result<Step, Failure> {
        let before = ThreadCpu::now();
        let checked = expected.check(data);
        trace.add_crypto(ThreadCpu::now().since(before));
        checked.map_err(|e| failures::scram(&e))?;
        self.stage = Stage::ScramDone;
        Ok(Step::Wait)
    }

    /// Checks that this method may be used, and that there is a password for it.
    fn begin(&mut self, method: AuthMethod) -> Result<&'a Secret, Failure> {
        self.allow(method)?;
        self.check_binding(method)?;
        self.facts.method = method.name();
        self.password.ok_or_else(no_password)
    }

    fn allow(&self, method: AuthMethod) -> Result<(), Failure> {
        if self.credentials.require_auth.allows(method) {
            return Ok(());
        }
        Err(unsupported(
            format!("the server uses the method `{}`, which require_auth does not allow", AuthWord::of(method).name()),
            "change require_auth, or the server's pg_hba.conf",
        ))
    }

    fn check_binding(&self, method: AuthMethod) -> Result<(), Failure> {
        let required = self.credentials.channel_binding == ChannelBindingMode::Require;
        if !required || method == AuthMethod::ScramSha256Plus {
            return Ok(());
        }
        let message = match self.end_point {
            None => "channel_binding=require needs TLS, which is not in use".to_owned(),
            Some(EndPoint::Unknown) => "channel binding cannot be computed from the server's certificate".to_owned(),
            Some(EndPoint::Hash(_)) => {
                format!("channel_binding=require: the server uses `{}` without it", method.name())
            }
        };
        Err(unsupported(message, "use SCRAM over TLS on the server, or channel_binding=prefer"))
    }

    fn unspoken(&self, word: AuthWord, text: &str) -> Failure {
        if !self.credentials.require_auth.allows_word(word) {
            return unsupported(
                format!("the server asks for {text}, which require_auth does not allow"),
                "change require_auth, or the server's pg_hba.conf",
            );
        }
        unsupported(
            format!("the server asks for {text}, which peaje does not speak"),
            "log in as a user whose line in pg_hba.conf says scram-sha-256, md5, password, trust or cert",
        )
    }
}

fn method_unspoken(request: &AuthRequest<'_>) -> Option<(AuthWord, &'static str)> {
    Some(match request {
        AuthRequest::KerberosV5 => (AuthWord::Gss, "Kerberos V5"),
        AuthRequest::Gss | AuthRequest::GssContinue(_) => (AuthWord::Gss, "GSSAPI (Kerberos)"),
        AuthRequest::Sspi => (AuthWord::Sspi, "SSPI (Windows)"),
        AuthRequest::Unknown(_) => (AuthWord::Oauth, "an unknown authentication method"),
        _ => return None,
    })
}

fn unsupported(message: impl Into<String>, hint: &str) -> Failure {
    Failure::new(OutcomeKind::Unsupported, message).hint(hint).phase(Some(Phase::Authenticate))
}

fn out_of_turn() -> Failure {
    failures::not_postgres(
        "authentication messages in an order that the protocol does not know",
        Some(Phase::Authenticate),
    )
}

fn no_password() -> Failure {
    Failure::new(OutcomeKind::Rejected, "the server asks for a password, and none was given")
        .hint("give it in the connection string, by PGPASSWORD, in ~/.pgpass, or at the prompt")
        .phase(Some(Phase::Authenticate))
}

/// 18 random bytes, as libpq uses.
fn nonce() -> Result<String, Failure> {
    let mut bytes = [0u8; 18];
    OsRng.try_fill_bytes(&mut bytes).map_err(|e| {
        Failure::new(OutcomeKind::Generator, format!("no random numbers: {e}")).phase(Some(Phase::Authenticate))
    })?;
    Ok(STANDARD.encode(bytes))
}
