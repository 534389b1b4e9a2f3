//! Both sides of a SCRAM exchange against a partner who says anything. The first byte chooses the message: nobody may
//! get in, or be believed to be the server, without the password.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use peaje_postgres::protocol::scram::{ChannelBinding, ClientKeys, ScramClient, ScramServer, ScramVerifier};

const SALT: &[u8] = b"salt of the user";
const NONCE: &str = "fuzzer";

static KEYS: LazyLock<ClientKeys> = LazyLock::new(|| ClientKeys::derive("password", SALT, 2));
static VERIFIER: LazyLock<ScramVerifier> = LazyLock::new(|| ScramVerifier::from_password("password", SALT, 2));

fuzz_target!(|bytes: &[u8]| {
    let Some((&side, message)) = bytes.split_first() else { return };
    match side % 4 {
        0 => server_first(message),
        1 => server_final(message),
        2 => client_first(message),
        _ => client_final(message),
    }
});

fn server_first(message: &[u8]) {
    // The keys are not derived from the salt and the count in the message: a large count is slow, not wrong.
    if let Ok(challenged) = ScramClient::new(ChannelBinding::NotOffered, NONCE).challenge(message) {
        assert!(challenged.iterations > 0 && !challenged.salt.is_empty());
        drop(challenged.answer(&KEYS));
    }
}

fn server_final(message: &[u8]) {
    let challenge = format!("r={NONCE}server,s=c2FsdCBvZiB0aGUgdXNlcg==,i=2");
    let challenged = ScramClient::new(ChannelBinding::Unsupported, NONCE).challenge(challenge.as_bytes());
    let (_, expected) = challenged.expect("a good challenge").answer(&KEYS);
    // The seeds hold the good signature: everything else has to be refused.
    let believed = expected.check(message).is_ok();
    assert!(!believed || message.starts_with(b"v="), "believed a server that shows no signature");
}

fn client_first(message: &[u8]) {
    for end_point in [None, Some(&b"hash"[..])] {
        if let Ok(server) = ScramServer::begin(&VERIFIER, message, "server", end_point) {
            assert!(server.challenge().starts_with(b"r="));
        }
    }
}

fn client_final(message: &[u8]) {
    let first = ScramClient::new(ChannelBinding::Unsupported, NONCE).first();
    let server = ScramServer::begin(&VERIFIER, &first, "server", None).expect("a good first message");
    if server.finish(message).is_ok() {
        assert!(message.starts_with(b"c=biws,r=fuzzerserver"), "let in without the nonce");
    }
}
