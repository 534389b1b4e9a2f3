//! Which host serves: endpoints in order, and at each of them the ways that `sslmode` allows.

use peaje_engine::{Endpoint, Failure, Trace, Wire, stranger};
use peaje_model::{OutcomeKind, Phase};

use super::dialogue::more;
use super::prepared::{Prepared, SSL_REQUEST, TERMINATE};
use super::ready::{Fit, await_ready, unfit};
use super::{PostgresSession, authenticate, failures};
use crate::config::{ALPN, SslMode, SslNegotiation, TargetSessionAttrs};

/// Why an endpoint did not serve, and what that means for the others.
pub(super) enum Missed {
    /// The next endpoint may serve: nothing was judged here.
    TryNext(Failure),
    /// The server does not take this connection as it is (encrypted or not), before any credentials were sent.
    NotThisWay(Failure),
    /// Final: another try could count as a second failed login.
    GiveUp(Failure),
}

impl Missed {
    fn into_failure(self) -> Failure {
        let (Missed::TryNext(failure) | Missed::NotThisWay(failure) | Missed::GiveUp(failure)) = self;
        failure
    }

    /// With the name of a stranger whose first bytes these are.
    fn named(self, bytes: &[u8]) -> Self {
        match self {
            Missed::GiveUp(failure) => Missed::GiveUp(failures::named(failure, bytes)),
            other => other,
        }
    }

    fn is_failed_handshake(&self) -> bool {
        let (Missed::TryNext(failure) | Missed::NotThisWay(failure) | Missed::GiveUp(failure)) = self;
        failure.phase == Some(Phase::Tls) && matches!(failure.kind, OutcomeKind::TlsFailed | OutcomeKind::Reset)
    }
}

impl From<Failure> for Missed {
    fn from(failure: Failure) -> Self {
        use OutcomeKind as K;
        match failure.kind {
            K::Refused | K::Unreachable | K::TimedOut | K::NotResolved => Missed::TryNext(failure),
            K::Reset if failure.phase.is_some_and(|p| p < Phase::Authenticate) => Missed::TryNext(failure),
            _ => Missed::GiveUp(failure),
        }
    }
}

/// Logs in to the first endpoint that serves.
pub(super) async fn first_that_serves(
    prepared: &Prepared,
    attempt: u64,
    trace: &mut Trace,
) -> Result<PostgresSession, Failure> {
    let mut missed = match one_round(prepared, prepared.target, attempt, trace).await {
        Ok(session) => return Ok(session),
        Err(missed) => missed,
    };
    // No standby among them: then any.
    if prepared.target == TargetSessionAttrs::PreferStandby && matches!(missed, Missed::TryNext(_)) {
        match one_round(prepared, TargetSessionAttrs::Any, attempt, trace).await {
            Ok(session) => return Ok(session),
            Err(again) => missed = again,
        }
    }
    Err(missed.into_failure())
}

async fn one_round(
    prepared: &Prepared,
    wanted: TargetSessionAttrs,
    attempt: u64,
    trace: &mut Trace,
) -> Result<PostgresSession, Missed> {
    let count = prepared.endpoint_count();
    let mut before = String::new();
    for endpoint in 0..count {
        match at_endpoint(prepared, endpoint, wanted, attempt, trace).await {
            Ok(session) => return Ok(session),
            Err(Missed::TryNext(failure)) if endpoint + 1 < count => {
                before.push_str(&failure.message);
                before.push_str("; then ");
            }
            Err(Missed::TryNext(failure)) => return Err(Missed::TryNext(after(&before, failure))),
            Err(last) => return Err(Missed::GiveUp(after(&before, last.into_failure()))),
        }
    }
    Err(Missed::GiveUp(Failure::new(OutcomeKind::NotResolved, "the connection string names no host")))
}

/// With what happened at the hosts before it.
fn after(before: &str, failure: Failure) -> Failure {
    Failure { message: format!("{before}{}", failure.message), ..failure }
}

/// Encrypted or not, within one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Plain,
    TlsIfOffered,
    Tls,
}

/// Tries the ways of `sslmode` at one endpoint.
async fn at_endpoint(
    prepared: &Prepared,
    endpoint: usize,
    wanted: TargetSessionAttrs,
    attempt: u64,
    trace: &mut Trace,
) -> Result<PostgresSession, Missed> {
    let unix = matches!(prepared.endpoint(endpoint), Endpoint::Unix { .. });
    if unix && prepared.tls_demanded {
        trace.enter(Phase::Negotiate);
        return Err(tls_not_offered("TLS was asked for, and is never used on a Unix socket")
            .hint("leave --tls out, or name a host in place of the socket")
            .into());
    }
    let first = match prepared.ssl_mode {
        _ if unix => Way::Plain,
        SslMode::Disable | SslMode::Allow => Way::Plain,
        SslMode::Prefer => Way::TlsIfOffered,
        SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Way::Tls,
    };
    let one_way = OneWay { prepared, endpoint, wanted, attempt };
    let missed = match one_way.log_in(first, trace).await {
        Ok(session) => return Ok(session),
        Err(missed) => missed,
    };
    match (prepared.ssl_mode, missed) {
        (SslMode::Allow, Missed::NotThisWay(refusal)) if !unix => one_way.with_tls_after_all(refusal, trace).await,
        (SslMode::Prefer, Missed::NotThisWay(refusal)) if trace.tls.is_some() => {
            one_way.without_tls_after_all(refusal, trace).await
        }
        // A handshake that fails is as good as no offer: nobody was logged in yet.
        (SslMode::Prefer, missed) if missed.is_failed_handshake() => one_way.log_in(Way::Plain, trace).await,
        (_, missed) => Err(missed),
    }
}

/// One connection to one endpoint.
struct OneWay<'a> {
    prepared: &'a Prepared,
    endpoint: usize,
    wanted: TargetSessionAttrs,
    attempt: u64,
}

impl OneWay<'_> {
    async fn log_in(&self, way: Way, trace: &mut Trace) -> Result<PostgresSession, Missed> {
        // What an earlier try agreed on does not describe this one.
        trace.tls = None;
        trace.auth = None;
        let mut wire = self.prepared.dial_plan(trace).await.dial(self.endpoint, self.attempt, trace).await?;
        if way != Way::Plain {
            self.encrypt(&mut wire, way, trace).await?;
        }
        authenticate::authenticate(self.prepared, self.endpoint, &mut wire, trace)
            .await
            .map_err(|missed| missed.named(wire.buffered()))?;
        let told = await_ready(&mut wire, trace).await?;
        match told.fit(self.wanted) {
            Fit::Yes => Ok(PostgresSession { wire, process_id: told.process_id }),
            fit => {
                wire.queue(TERMINATE, trace);
                // It is not needed any more, however the goodbye ends.
                let _ = wire.close_quickly(trace).await;
                Err(Missed::TryNext(unfit(fit, self.wanted, &self.prepared.endpoint(self.endpoint).host())))
            }
        }
    }

    /// `allow`: the server does not take us unencrypted. If TLS cannot be had, its first word stands.
    async fn with_tls_after_all(&self, refusal: Failure, trace: &mut Trace) -> Result<PostgresSession, Missed> {
        match self.log_in(Way::Tls, trace).await {
            Err(Missed::GiveUp(failure)) if failure.kind == OutcomeKind::TlsNotOffered => Err(Missed::GiveUp(refusal)),
            other => other,
        }
    }

    /// `prefer`: the server does not take us encrypted, as libpq finds out too. If neither will do, its word on the
    /// encrypted connection tells more.
    async fn without_tls_after_all(&self, refusal: Failure, trace: &mut Trace) -> Result<PostgresSession, Missed> {
        match self.log_in(Way::Plain, trace).await {
            Err(Missed::NotThisWay(_)) => Err(Missed::GiveUp(refusal)),
            other => other,
        }
    }

    async fn encrypt(&self, wire: &mut Wire, way: Way, trace: &mut Trace) -> Result<(), Missed> {
        let Some(tls) = &self.prepared.tls else { return Ok(()) };
        let direct = self.prepared.ssl_negotiation == SslNegotiation::Direct;
        if !direct && !offers_tls(wire, way, trace).await? {
            return Ok(());
        }
        trace.enter(Phase::Tls);
        wire.handshake(tls, self.prepared.server_name(self.endpoint), trace).await.map_err(failures::of_tls)?;
        if direct && wire.alpn() != Some(ALPN) {
            return Err(Failure::new(
                OutcomeKind::TlsFailed,
                "the server did not confirm the protocol `postgresql` (ALPN)",
            )
            .code("tls-alpn")
            .hint("sslnegotiation=direct needs PostgreSQL 17 or later; leave it out for older servers")
            .phase(Some(Phase::Tls))
            .into());
        }
        Ok(())
    }
}

/// The phase `negotiate`: the question for TLS and its one byte of an answer.
async fn offers_tls(wire: &mut Wire, way: Way, trace: &mut Trace) -> Result<bool, Failure> {
    trace.enter(Phase::Negotiate);
    wire.queue(SSL_REQUEST, trace);
    more(wire, trace).await?;
    // The length of a greeting of MySQL may look like an answer.
    let answer = wire.buffered().first().copied().filter(|_| stranger(wire.buffered()).is_none());
    match answer {
        Some(b'S') => {
            wire.consume(1);
            Ok(true)
        }
        Some(b'N') if way == Way::TlsIfOffered => {
            wire.consume(1);
            Ok(false)
        }
        Some(b'N') => Err(tls_not_offered("the server does not offer TLS")
            .hint("set ssl=on on the server, or use sslmode=disable (--tls off) if the network is trusted")),
        // The text that follows is not protected: anybody in between could have written it.
        Some(b'E') => {
            Err(Failure::new(OutcomeKind::Rejected, "the server answered the question for TLS with an error")
                .hint("look at the server's log: it may be out of processes or memory, or too old for TLS")
                .phase(trace.current()))
        }
        _ => {
            let words = "the answer to the question for TLS is neither S nor N";
            Err(failures::named(failures::not_postgres(words, trace.current()), wire.buffered()))
        }
    }
}

fn tls_not_offered(message: &str) -> Failure {
    Failure::new(OutcomeKind::TlsNotOffered, message).phase(Some(Phase::Negotiate))
}
