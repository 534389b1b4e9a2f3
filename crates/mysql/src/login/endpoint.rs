//! Which host serves: endpoints in order. At each of them: dial, greeting, TLS, login.

use peaje_engine::{Endpoint, Failure, Trace, Wire};
use peaje_model::{OutcomeKind, Phase};

use super::greeting::{Welcome, await_greeting};
use super::plugins::Protection;
use super::prepared::Prepared;
use super::{MysqlSession, authenticate, failures, session};
use crate::config::SslMode;
use crate::protocol::{UTF8MB4, capability, request};

/// Why an endpoint did not serve, and what that means for the others.
pub(super) enum Missed {
    /// The next endpoint may serve: nothing was judged here.
    TryNext(Failure),
    /// Final: another try could count as a second failed login.
    GiveUp(Failure),
}

impl From<Failure> for Missed {
    fn from(failure: Failure) -> Self {
        use OutcomeKind as K;
        let before_login = failure.phase.is_some_and(|phase| phase < Phase::Authenticate);
        match failure.kind {
            K::Refused | K::Unreachable | K::TimedOut | K::NotResolved | K::Reset if before_login => {
                Missed::TryNext(failure)
            }
            _ => Missed::GiveUp(failure),
        }
    }
}

/// Logs in to the first endpoint that serves.
pub(super) async fn first_that_serves(
    prepared: &Prepared,
    attempt: u64,
    trace: &mut Trace,
) -> Result<MysqlSession, Failure> {
    let count = prepared.endpoint_count();
    let mut before = String::new();
    for endpoint in 0..count {
        match at_endpoint(prepared, endpoint, attempt, trace).await {
            Ok(session) => return Ok(session),
            Err(Missed::TryNext(failure)) if endpoint + 1 < count => {
                before.push_str(&failure.message);
                before.push_str("; then ");
            }
            Err(Missed::TryNext(failure) | Missed::GiveUp(failure)) => {
                // With what happened at the hosts before it.
                return Err(Failure { message: format!("{before}{}", failure.message), ..failure });
            }
        }
    }
    Err(Failure::new(OutcomeKind::NotResolved, "the connection string names no host"))
}

async fn at_endpoint(
    prepared: &Prepared,
    endpoint: usize,
    attempt: u64,
    trace: &mut Trace,
) -> Result<MysqlSession, Missed> {
    // What an earlier host agreed on does not describe this one.
    trace.tls = None;
    trace.auth = None;
    let mut wire = prepared.dial_plan(trace).await.dial(endpoint, attempt, trace).await?;
    let welcome = await_greeting(prepared, &mut wire, trace).await?;
    let local = matches!(prepared.endpoint(endpoint), Endpoint::Unix { .. });
    let mut sequence = 1;
    if wants_tls(prepared.ssl_mode, local, &welcome)? {
        encrypt(prepared, endpoint, &welcome, &mut wire, trace).await?;
        sequence += 1;
    }
    let protection = match (wire.is_encrypted(), local) {
        (true, true) => Protection::TlsOverSocket,
        (true, false) => Protection::Tls,
        (false, true) => Protection::Socket,
        (false, false) => Protection::None,
    };
    authenticate::authenticate(prepared, &welcome, protection, sequence, &mut wire, trace).await?;
    trace.enter(Phase::Session);
    session::begin(prepared, welcome.capabilities, &mut wire, trace).await?;
    Ok(MysqlSession {
        wire,
        capabilities: welcome.capabilities,
        connection_id: welcome.connection_id,
        server_version: welcome.version,
    })
}

/// Whether TLS comes next. `PREFERRED` leaves it out over a Unix socket, as MySQL's clients do.
fn wants_tls(mode: SslMode, local: bool, welcome: &Welcome) -> Result<bool, Failure> {
    let offered = welcome.offers_tls;
    match mode {
        SslMode::Disabled => Ok(false),
        SslMode::Preferred => Ok(offered && !local),
        SslMode::Required | SslMode::VerifyCa | SslMode::VerifyIdentity if offered => Ok(true),
        SslMode::Required | SslMode::VerifyCa | SslMode::VerifyIdentity => {
            Err(Failure::new(OutcomeKind::TlsNotOffered, "the server does not offer TLS")
                .hint(
                    "give the server a certificate (ssl-cert, ssl-key), or use ssl-mode=DISABLED (--tls off) if the \
                     network is trusted",
                )
                .phase(Some(Phase::Negotiate)))
        }
    }
}

/// The request for TLS has no answer: the handshake follows at once, in the same packet.
async fn encrypt(
    prepared: &Prepared,
    endpoint: usize,
    welcome: &Welcome,
    wire: &mut Wire,
    trace: &mut Trace,
) -> Result<(), Failure> {
    let Some(tls) = &prepared.tls else { return Ok(()) };
    trace.enter(Phase::Tls);
    let mut question = Vec::with_capacity(64);
    request::ssl_request(&mut question, 1, welcome.capabilities | capability::SSL, UTF8MB4);
    wire.queue(&question, trace);
    wire.handshake(tls, prepared.server_name(endpoint), trace).await.map_err(failures::of_tls)?;
    Ok(())
}
