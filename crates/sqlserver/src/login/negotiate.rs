//! PRELOGIN and TLS: phases `negotiate` and `tls`, in this order or, under strict encryption, in the other.

use peaje_engine::{Envelope, Failure, Opened, Trace, Wire};
use peaje_model::{OutcomeKind, Phase};

use super::dialogue::whole_message;
use super::failures;
use super::prepared::Prepared;
use crate::config::Encrypt;
use crate::protocol::packet::{self, Framing, HEADER, PacketKind};
use crate::protocol::prelogin::{Agreed, Prelogin, agreed};

/// Longest answer to PRELOGIN: its offsets have two bytes.
const LONGEST_ANSWER: usize = 64 << 10;

/// The server's word on an instance name that is not its own.
const WRONG_INSTANCE: u8 = 1;

/// TLS within TDS: handshake records in packets of the kind PRELOGIN.
#[derive(Debug)]
pub(super) struct TlsInTds;

impl Envelope for TlsInTds {
    fn wrap(&self, records: &[u8], out: &mut Vec<u8>) {
        Framing::new(PacketKind::Prelogin).write(out, records);
    }

    fn open<'a>(&self, bytes: &'a [u8]) -> Result<Opened<'a>, String> {
        // Types of TLS records; no packet has them but Windows authentication (0x11), which is not among them.
        if matches!(bytes.first(), Some(0x14..=0x17)) {
            return Ok(Opened::Bare);
        }
        match packet::peek(bytes) {
            Ok(None) => Ok(Opened::More),
            // Some servers send the handshake in packets of the kind they answer with.
            Ok(Some(header)) if matches!(header.kind, PacketKind::Prelogin | PacketKind::Response) => {
                let records = bytes.get(HEADER..header.length);
                Ok(records.map_or(Opened::More, |records| Opened::Envelope { records, length: header.length }))
            }
            Ok(Some(_)) => Err("a packet that does not belong to a TLS handshake".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What was agreed on with the server.
pub(super) struct Negotiated {
    /// The server's answer to PRELOGIN.
    pub(super) answered: Prelogin,
    /// What the TLS that is on now is for.
    pub(super) agreed: Agreed,
}

/// Asks, and shakes hands.
pub(super) async fn negotiate(
    prepared: &Prepared,
    host: &str,
    wire: &mut Wire,
    trace: &mut Trace,
) -> Result<Negotiated, Failure> {
    if prepared.encrypt == Encrypt::Strict {
        shake_hands(prepared, host, wire, trace).await?;
        let answered = ask(prepared, wire, trace).await?;
        return Ok(Negotiated { answered, agreed: Agreed::Full });
    }
    let answered = ask(prepared, wire, trace).await?;
    // A server that says nothing of encryption has none.
    let server = answered.encryption.unwrap_or(crate::protocol::prelogin::Encryption::NotSupported);
    let agreed = agreed(prepared.encryption(), server);
    match (agreed, prepared.encrypt) {
        (Agreed::ClientCannot, _) => return Err(server_insists()),
        (Agreed::ServerCannot, _) | (Agreed::Plain, Encrypt::LoginOnly) => return Err(not_offered()),
        (Agreed::Plain, _) => {}
        (Agreed::LoginOnly | Agreed::Full, _) => shake_hands(prepared, host, wire, trace).await?,
    }
    Ok(Negotiated { answered, agreed })
}

async fn ask(prepared: &Prepared, wire: &mut Wire, trace: &mut Trace) -> Result<Prelogin, Failure> {
    trace.enter(Phase::Negotiate);
    let mut message = Vec::with_capacity(128);
    prepared.write_prelogin(&mut message);
    wire.queue(&message, trace);
    let answer = whole_message(wire, LONGEST_ANSWER, trace)
        .await
        .map_err(|failure| failures::before_login(failure, wire.buffered()))?;
    let answered = Prelogin::decode(&answer).map_err(|e| failures::protocol(&e, trace.current()))?;
    if answered.instance.as_deref() == Some(&[WRONG_INSTANCE]) {
        return Err(another_instance());
    }
    Ok(answered)
}

async fn shake_hands(prepared: &Prepared, host: &str, wire: &mut Wire, trace: &mut Trace) -> Result<(), Failure> {
    let Some(tls) = &prepared.tls else { return Ok(()) };
    trace.enter(Phase::Tls);
    let name = prepared.certificate_name(host);
    let done = match prepared.encrypt {
        Encrypt::Strict => wire.handshake(tls, name, trace).await,
        _ => wire.handshake_within(&TlsInTds, tls, name, trace).await,
    };
    done.map(|_| ()).map_err(|failure| failures::of_tls(failure, prepared.encrypt))
}

fn another_instance() -> Failure {
    Failure::new(OutcomeKind::Rejected, "another instance of SQL Server listens on this port")
        .code("instance")
        .hint("restart the SQL Browser, or write Server=HOST,PORT")
        .phase(Some(Phase::Negotiate))
}

fn server_insists() -> Failure {
    Failure::new(OutcomeKind::Rejected, "the server accepts encrypted sessions only")
        .code("encryption-required")
        .hint("leave --tls off (Encrypt=disable) out")
        .phase(Some(Phase::Negotiate))
}

fn not_offered() -> Failure {
    Failure::new(OutcomeKind::TlsNotOffered, "the server does not offer TLS, not even for the login")
        .hint("set a certificate up on the server, or use --tls off if the network is trusted")
        .phase(Some(Phase::Negotiate))
}
