//! The exchange of one login: which plugin is asked, and what its answers lead to.

use std::sync::atomic::Ordering::Relaxed;

use crate::AuthCache;
use crate::end::End;

use super::super::capabilities::Capabilities;
use super::super::dialogue::{Dialogue, LONGEST_LOGIN};
use super::super::handshake::{Login, SCRAMBLE, put_auth_more, put_auth_switch};
use super::super::reply::SqlError;
use super::rsa::RsaKey;
use super::{Account, Method, Plugin, check};

/// `caching_sha2_password` and `sha256_password`: one byte that asks for the server's key.
const SHA2_KEY_PLEASE: [u8; 1] = [2];
const SHA256_KEY_PLEASE: [u8; 1] = [1];
/// `caching_sha2_password`: the cache knows you; it does not, please send the password.
const FAST: [u8; 1] = [3];
const FULL: [u8; 1] = [4];

/// What a client has said so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'a> {
    pub(crate) login: &'a Login,
    /// What its first answer was computed with; `None` = the client is asked anew.
    pub(crate) scramble: Option<&'a [u8; SCRAMBLE]>,
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) accepted: bool,
    /// The client gave a password; told in the error.
    pub(crate) with_password: bool,
    pub(crate) path: Path,
}

/// What the exchange cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// The plugin knows only one way.
    Only,
    /// From the server's cache.
    Fast,
    /// The password itself came to the server.
    Full,
}

/// Asks for the credentials and checks them.
pub(crate) async fn authenticate(
    dialogue: &mut Dialogue<'_>,
    account: &Account,
    offer: Offer<'_>,
) -> Result<Verdict, End> {
    match account {
        Account::Trust => trust(dialogue, offer).await,
        Account::One { user, password, method } => {
            let (scramble, answer) = first_answer(dialogue, method.plugin(), offer).await?;
            let known = *user == offer.login.user;
            let mut exchange = Exchange { dialogue, scramble, answer };
            let (right, path) = exchange.run(method, password.expose(), known).await?;
            let with_password = !matches!(exchange.answer.as_slice(), [] | [0]);
            Ok(Verdict { accepted: known && right, with_password, path })
        }
    }
}

/// Whatever the client answers is right; it only has to come to an end by its own plugin's rules.
async fn trust(dialogue: &mut Dialogue<'_>, offer: Offer<'_>) -> Result<Verdict, End> {
    let given = !matches!(offer.login.response.as_slice(), [] | [0]);
    match offer.login.plugin.as_deref() {
        _ if offer.scramble.is_none() => switch(dialogue, Plugin::Native).await.map(drop)?,
        Some("caching_sha2_password") if given => dialogue.send(|out| put_auth_more(out, &FAST)),
        None | Some("mysql_native_password" | "caching_sha2_password" | "mysql_clear_password") => {}
        Some(_) => switch(dialogue, Plugin::Native).await.map(drop)?,
    }
    Ok(Verdict { accepted: true, with_password: given, path: Path::Only })
}

/// The answer to the account's own plugin, and the scramble it was computed with. The client is asked again when it
/// answered another plugin, or a scramble of another length.
async fn first_answer(
    dialogue: &mut Dialogue<'_>,
    plugin: Plugin,
    offer: Offer<'_>,
) -> Result<(Vec<u8>, Vec<u8>), End> {
    let login = offer.login;
    if !login.capabilities.has(Capabilities::PLUGIN_AUTH) && plugin != Plugin::Native {
        let message = "Client does not support authentication protocol requested by server; consider upgrading client";
        return Err(dialogue.fatal(&SqlError::new(1251, "08004", message)));
    }
    let answered = login.plugin.as_deref().unwrap_or(Plugin::Native.name());
    match offer.scramble {
        Some(scramble) if answered == plugin.name() && plugin != Plugin::Ed25519 => {
            Ok((scramble.to_vec(), login.response.clone()))
        }
        _ => switch(dialogue, plugin).await,
    }
}

async fn switch(dialogue: &mut Dialogue<'_>, plugin: Plugin) -> Result<(Vec<u8>, Vec<u8>), End> {
    let scramble = match plugin {
        // Without a zero: some drivers take a challenge that ends with one for a C string.
        Plugin::Ed25519 => rand::random::<[u8; 32]>().map(|byte| byte.max(1)).to_vec(),
        _ => new_scramble().to_vec(),
    };
    dialogue.send(|out| match plugin {
        // The only one whose data has no zero byte behind it.
        Plugin::Ed25519 => {
            put_auth_switch(out, plugin.name(), &scramble);
            out.pop();
        }
        _ => put_auth_switch(out, plugin.name(), &scramble),
    });
    let answer = dialogue.receive(LONGEST_LOGIN).await?;
    Ok((scramble, answer))
}

/// Printable, because clients of old stop at a zero byte, and new for each login.
pub(crate) fn new_scramble() -> [u8; SCRAMBLE] {
    rand::random::<[u8; SCRAMBLE]>().map(|byte| b'%' + byte % 90)
}

struct Exchange<'d, 'c> {
    dialogue: &'d mut Dialogue<'c>,
    scramble: Vec<u8>,
    answer: Vec<u8>,
}

impl Exchange<'_, '_> {
    /// Whether the password is right, and the way on which that was found out.
    async fn run(&mut self, method: &Method, password: &str, known: bool) -> Result<(bool, Path), End> {
        if self.answer.is_empty() || self.answer == [0] {
            return Ok((password.is_empty(), Path::Only));
        }
        let (answer, scramble) = (&self.answer, &self.scramble);
        Ok(match method {
            Method::Native { stored } => (check::native(answer, scramble, stored), Path::Only),
            Method::Ed25519 { public_key } => (check::ed25519(answer, scramble, public_key), Path::Only),
            Method::Clear => (check::plain(answer, password), Path::Only),
            Method::CachingSha2 { stored, cached, cache, key } => {
                if known && cached.load(Relaxed) != 0 && check::caching_sha2(answer, scramble, stored) {
                    self.dialogue.send(|out| put_auth_more(out, &FAST));
                    return Ok((true, Path::Fast));
                }
                self.dialogue.send(|out| put_auth_more(out, &FULL));
                let sent = self.dialogue.receive(LONGEST_LOGIN).await?;
                let right = self.full(sent, &SHA2_KEY_PLEASE, key, password).await?;
                if right && known && *cache == AuthCache::Kept {
                    cached.store(1, Relaxed);
                }
                (right, Path::Full)
            }
            Method::Sha256 { key } => {
                let sent = answer.clone();
                (self.full(sent, &SHA256_KEY_PLEASE, key, password).await?, Path::Full)
            }
        })
    }

    /// The password itself: in clear inside TLS, else encrypted with the server's key, which the client may ask for.
    async fn full(&mut self, mut sent: Vec<u8>, key_please: &[u8], key: &RsaKey, password: &str) -> Result<bool, End> {
        if self.dialogue.connection.is_encrypted() {
            return Ok(check::plain(&sent, password));
        }
        if sent == key_please {
            self.dialogue.send(|out| put_auth_more(out, key.public_pem()));
            sent = self.dialogue.receive(LONGEST_LOGIN).await?;
        }
        Ok(key.open(&sent, &self.scramble).is_some_and(|opened| check::plain(&opened, password)))
    }
}
