//! The client's side of the authentication, one answer at a time; no I/O.

use peaje_engine::{AuthFacts, Failure, ThreadCpu, Trace};
use peaje_model::{OutcomeKind, Phase};

use super::failures;
use super::plugins::{Plugin, Protection};
use super::prepared::Credentials;
use crate::config::{Cleartext, OldPassword, PublicKeyRetrieval};
use crate::protocol::dialog::{Kind, Question};
use crate::protocol::rsa::{PublicKey, RsaError};
use crate::protocol::{NONCE, old_password, plugin, scramble};

/// MariaDB names the plugins of an account one after the other; nobody names more.
const MOST_SWITCHES: u8 = 4;
/// Length of the challenge of ed25519.
const ED25519_NONCE: usize = 32;

/// What is expected from the server next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A word on the answer.
    Answered,
    /// The RSA key.
    AwaitKey,
    /// OK or an error.
    Settled,
}

/// What to do after a word of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Wait for the next.
    Wait,
    /// Send the answer.
    Answer,
}

/// One authentication.
pub(super) struct Exchange<'a> {
    credentials: &'a Credentials,
    protection: Protection,
    nonce: [u8; NONCE],
    plugin: Plugin,
    stage: Stage,
    method: &'static str,
    switches: u8,
}

impl<'a> Exchange<'a> {
    /// Begins with the plugin that the greeting names, if it is spoken and gives nothing away; else with the oldest
    /// one: the server says which it wants.
    pub(super) fn new(
        credentials: &'a Credentials,
        protection: Protection,
        offered: &[u8],
        nonce: [u8; NONCE],
    ) -> Self {
        let wished = credentials.first_plugin.or_else(|| Plugin::from_name(offered));
        let plugin = match wished {
            Some(wished @ (Plugin::Native | Plugin::CachingSha2)) => wished,
            Some(Plugin::Sha256) if protection.is_encrypted() || credentials.server_key.is_some() => Plugin::Sha256,
            // A server must not get it by naming it in the greeting.
            Some(Plugin::Cleartext) if credentials.first_plugin.is_some() => Plugin::Cleartext,
            // The challenge of a greeting is too short for ed25519.
            _ => Plugin::Native,
        };
        Self { credentials, protection, nonce, plugin, stage: Stage::Answered, method: "no-password", switches: 0 }
    }

    /// The plugin in use.
    pub(super) fn plugin(&self) -> Plugin {
        self.plugin
    }

    /// What happened, once the server has accepted.
    pub(super) fn facts(&self) -> AuthFacts {
        AuthFacts { method: self.method, iterations: None, cached: false }
    }

    /// The answer that goes with the login.
    pub(super) fn first(&mut self, answer: &mut Vec<u8>, trace: &mut Trace) -> Result<(), Failure> {
        self.answer(&[], answer, trace)
    }

    /// The server wants another plugin.
    pub(super) fn switch(
        &mut self,
        name: &[u8],
        data: &[u8],
        answer: &mut Vec<u8>,
        trace: &mut Trace,
    ) -> Result<(), Failure> {
        self.switches += 1;
        if self.switches > MOST_SWITCHES {
            return Err(failed(OutcomeKind::Protocol, "the server asks for one authentication plugin after the other"));
        }
        self.plugin = Plugin::from_name(name).ok_or_else(|| not_spoken(name))?;
        if self.plugin != Plugin::Ed25519
            && let Some(nonce) = data.first_chunk()
        {
            self.nonce = *nonce;
        }
        self.answer(data, answer, trace)
    }

    /// More data of the plugin.
    pub(super) fn more(&mut self, data: &[u8], answer: &mut Vec<u8>, trace: &mut Trace) -> Result<Step, Failure> {
        match (self.plugin, self.stage, data) {
            (Plugin::CachingSha2, Stage::Answered, [plugin::FAST_OK]) => {
                self.stage = Stage::Settled;
                Ok(Step::Wait)
            }
            (Plugin::CachingSha2, Stage::Answered, [plugin::FULL]) => {
                self.method = "caching-sha2-password-full";
                // A Unix socket is as good as TLS for the server.
                if self.protection == Protection::None {
                    self.by_rsa(plugin::CACHING_SHA2_KEY, answer, trace)?;
                } else {
                    self.in_clear(answer)?;
                }
                Ok(Step::Answer)
            }
            (Plugin::CachingSha2 | Plugin::Sha256, Stage::AwaitKey, pem) => {
                let key = PublicKey::from_pem(pem).map_err(bad_key)?;
                self.encrypt(&key, answer, trace)?;
                Ok(Step::Answer)
            }
            // PAM may have more to ask than a password.
            (Plugin::Dialog | Plugin::Cleartext, Stage::Settled, question) => Err(asks_more(question)),
            _ => Err(failed(OutcomeKind::Protocol, UNEXPECTED)),
        }
    }

    /// Answers the challenge of the plugin in use.
    fn answer(&mut self, data: &[u8], answer: &mut Vec<u8>, trace: &mut Trace) -> Result<(), Failure> {
        answer.clear();
        self.stage = Stage::Answered;
        let password = self.credentials.password();
        if self.plugin == Plugin::Old {
            self.allow_old()?;
        }
        if password.is_empty() && matches!(self.plugin, Plugin::Native | Plugin::CachingSha2 | Plugin::Old) {
            let as_system_user = self.protection.is_local() && self.credentials.is_system_user;
            self.method = if as_system_user { "unix-socket" } else { "no-password" };
            return Ok(());
        }
        self.method = self.plugin.method();
        match self.plugin {
            Plugin::Native => answer.extend(timed(trace, || scramble::native(password, &self.nonce))),
            Plugin::CachingSha2 => answer.extend(timed(trace, || scramble::caching_sha2(password, &self.nonce))),
            Plugin::Ed25519 => {
                self.needs_password()?;
                let Some(nonce) = data.get(..ED25519_NONCE) else {
                    return Err(failed(OutcomeKind::Protocol, "the challenge of ed25519 is too short"));
                };
                answer.extend(timed(trace, || self.credentials.ed25519().sign(nonce)));
            }
            Plugin::Sha256 if password.is_empty() => answer.push(0),
            Plugin::Sha256 if self.protection.is_encrypted() => self.in_clear(answer)?,
            // The server takes a password in clear over TLS only.
            Plugin::Sha256 => self.by_rsa(plugin::SHA256_KEY, answer, trace)?,
            Plugin::Cleartext => {
                self.allow_cleartext()?;
                self.needs_password()?;
                self.in_clear(answer)?;
            }
            Plugin::Dialog => {
                // Without a question it is the password that is wanted.
                if !data.is_empty() && question(data)?.kind != Kind::Password {
                    return Err(asks_more(data));
                }
                self.allow_cleartext()?;
                self.needs_password()?;
                self.in_clear(answer)?;
            }
            Plugin::Old => {
                answer.extend(timed(trace, || old_password::answer(password, &self.nonce)));
                answer.push(0);
            }
        }
        Ok(())
    }

    /// The password itself.
    fn in_clear(&mut self, answer: &mut Vec<u8>) -> Result<(), Failure> {
        if self.protection == Protection::None {
            return Err(failed(OutcomeKind::Unsupported, "the server asks for the password in clear without TLS"));
        }
        answer.clear();
        answer.extend_from_slice(self.credentials.password());
        answer.push(0);
        self.stage = Stage::Settled;
        Ok(())
    }

    /// The password under the server's key, or the question for it.
    fn by_rsa(&mut self, question: u8, answer: &mut Vec<u8>, trace: &mut Trace) -> Result<(), Failure> {
        answer.clear();
        if let Some(key) = &self.credentials.server_key {
            return self.encrypt(key, answer, trace);
        }
        if self.credentials.public_key_retrieval == PublicKeyRetrieval::Never && self.protection == Protection::None {
            let words = format!(
                "the server wants the password itself ({}), and the connection is not encrypted",
                self.plugin.name()
            );
            return Err(failed(OutcomeKind::Unsupported, words).hint(
                "use TLS (ssl-mode=REQUIRED), give the server's key (server-public-key-path), or let the server send \
                 it (get-server-public-key=true)",
            ));
        }
        answer.push(question);
        self.stage = Stage::AwaitKey;
        Ok(())
    }

    fn encrypt(&mut self, key: &PublicKey, answer: &mut Vec<u8>, trace: &mut Trace) -> Result<(), Failure> {
        let before = ThreadCpu::now();
        let encrypted = key.encrypt(self.credentials.password(), &self.nonce);
        trace.add_crypto(ThreadCpu::now().since(before));
        *answer = encrypted.map_err(bad_key)?;
        self.stage = Stage::Settled;
        Ok(())
    }

    fn allow_cleartext(&self) -> Result<(), Failure> {
        match (self.credentials.cleartext, self.protection) {
            (Cleartext::WhenProtected, Protection::None) => {
                Err(failed(OutcomeKind::Unsupported, "the server asks for the password in clear, without TLS")
                    .hint("use TLS (ssl-mode=REQUIRED) or the server's Unix socket"))
            }
            (Cleartext::WhenProtected, _) => Ok(()),
            (Cleartext::Never, _) => Err(failed(
                OutcomeKind::Unsupported,
                format!("the server asks for the password in clear ({})", self.plugin.name()),
            )
            .hint("allow it with enable-cleartext-plugin=true, over TLS, if this is the server you trust")),
        }
    }

    fn allow_old(&self) -> Result<(), Failure> {
        if self.credentials.old_password == OldPassword::Allowed {
            return Ok(());
        }
        Err(failed(
            OutcomeKind::Unsupported,
            "the server asks for the password in the way of versions before 4.1 (mysql_old_password), which protects it \
             from nobody",
        )
        .hint("set the account's password again (old_passwords=0), or allow it with secure-auth=false"))
    }

    /// Plugins whose accounts always have a password: without one there is nothing to try.
    fn needs_password(&self) -> Result<(), Failure> {
        if self.credentials.has_password() {
            return Ok(());
        }
        Err(failed(OutcomeKind::Rejected, "the server asks for a password, and none was given")
            .hint("put it into ~/.my.cnf or MYSQL_PWD, or let peaje ask for it"))
    }
}

/// Runs cryptography and charges its CPU.
fn timed<T>(trace: &mut Trace, work: impl FnOnce() -> T) -> T {
    let before = ThreadCpu::now();
    let done = work();
    trace.add_crypto(ThreadCpu::now().since(before));
    done
}

fn failed(kind: OutcomeKind, message: impl Into<String>) -> Failure {
    Failure::new(kind, message).phase(Some(Phase::Authenticate))
}

const UNEXPECTED: &str = "unexpected data in the authentication";

fn question(data: &[u8]) -> Result<Question<'_>, Failure> {
    Question::decode(data).map_err(|error| failed(OutcomeKind::Protocol, format!("{UNEXPECTED}: {error}")))
}

/// Nobody is there to answer, and the password must not be the answer to something else.
fn asks_more(data: &[u8]) -> Failure {
    let asked = match question(data) {
        Ok(question) => failures::printable(&String::from_utf8_lossy(question.words)),
        Err(failure) => return failure,
    };
    failed(OutcomeKind::Unsupported, format!("PAM on the server asks more than one password: `{asked}`"))
        .hint("measure with an account whose PAM service asks for a password alone")
}

fn bad_key(error: RsaError) -> Failure {
    failed(OutcomeKind::Protocol, format!("the server's RSA key cannot be used: {error}"))
}

/// A plugin that is not spoken here.
pub(super) fn not_spoken(name: &[u8]) -> Failure {
    let shown = failures::printable(&String::from_utf8_lossy(name));
    let failure = failed(
        OutcomeKind::Unsupported,
        format!("the account needs the authentication plugin `{shown}`, which is not spoken"),
    );
    if plugin::KERBEROS.contains(&shown.as_str()) {
        return failure.hint("Kerberos is not spoken yet: measure with an account that has a password of its own");
    }
    failure.hint("use an account with caching_sha2_password, mysql_native_password or ed25519")
}
