//! What every engine's login must do, as checks that a test of the engine runs against its own server; and what the tests
//! of engines share beside: scripted servers, and certificates made for a test.
//!
//! An engine brings a [`Subject`]; the suite brings the demands, and servers that misbehave. A check panics with the
//! demand that does not hold, as an assertion does. Only tests use this module: it is behind the feature `conformance`.
#![allow(clippy::panic, reason = "a check is an assertion")]

mod hostile;
pub mod identity;
mod idle;
mod scripted;

use std::net::SocketAddr;
use std::time::Duration;

use peaje_model::{CloseMode, OutcomeKind, Phase};

use crate::{Connector, Failure, Trace};

pub use hostile::{HOSTILE, Hostile, free_listener};
pub use scripted::{Play, Scripted};

/// Time that one login of a check may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a connector of the engine under test is to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// The server.
    pub server: SocketAddr,
    /// How sessions are closed.
    pub close: CloseMode,
    /// With which password.
    pub password: Password,
    /// Whether sessions are encrypted.
    pub encryption: Encryption,
}

/// With which password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Password {
    /// The right one.
    Right,
    /// Another one.
    Wrong,
}

/// Whether sessions are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// No TLS.
    Off,
    /// TLS, which the server must offer.
    Demanded,
}

/// An engine under test, with a server of its own that counts.
pub trait Subject {
    /// The engine's login.
    type Connector: Connector;

    /// A connector; its query is a trivial one.
    fn connector(&self, wish: Wish) -> Self::Connector;
    /// A server that wants a password and offers TLS.
    fn server(&self) -> SocketAddr;
    /// Logins that this server has counted: succeeded, and failed.
    fn counted(&self) -> (u64, u64);
}

/// Runs every check.
pub async fn check<S: Subject>(subject: &S) {
    for encryption in [Encryption::Off, Encryption::Demanded] {
        for close in [CloseMode::Polite, CloseMode::Quick, CloseMode::Reset] {
            a_login_is_timed_in_phases(subject, close, encryption).await;
        }
        a_wrong_password_is_one_failed_login(subject, encryption).await;
    }
    a_session_answers_again_and_again(subject).await;
    idle::an_idle_session_is_held_and_its_end_is_seen(subject).await;
    nobody_listens(subject).await;
    for &how in HOSTILE {
        a_hostile_server_is_survived(subject, how).await;
    }
}

fn wish(server: SocketAddr) -> Wish {
    Wish { server, close: CloseMode::Polite, password: Password::Right, encryption: Encryption::Off }
}

async fn log_in<C: Connector>(connector: &C, trace: &mut Trace) -> Result<C::Session, Failure> {
    let login = tokio::time::timeout(PATIENCE, connector.log_in(1, trace)).await;
    login.unwrap_or_else(|_| panic!("a login hangs in phase {:?}", trace.current()))
}

/// Laps add up, and each phase that talks to the server has its round trips.
async fn a_login_is_timed_in_phases<S: Subject>(subject: &S, close: CloseMode, encryption: Encryption) {
    let about = format!("close {close:?}, encryption {encryption:?}");
    let connector = subject.connector(Wish { close, encryption, ..wish(subject.server()) });
    connector.prepare().await;
    let before = subject.counted();
    let mut trace = Trace::start();
    let mut session = match log_in(&connector, &mut trace).await {
        Ok(session) => session,
        Err(failure) => panic!("{about}: {failure:?}"),
    };
    trace.enter(Phase::FirstQuery);
    if let Err(failure) = connector.query(&mut session, &mut trace).await {
        panic!("{about}: the query failed: {failure:?}");
    }
    if let Err(failure) = connector.close(session, &mut trace).await {
        panic!("{about}: the close failed: {failure:?}");
    }
    assert_eq!(trace.current(), Some(Phase::Close), "{about}: the last phase is left open for the caller");
    let ended = trace.stop();
    assert_eq!(trace.total(), ended - trace.started(), "{about}: phases add up to the whole login");
    for phase in [Phase::Connect, Phase::Authenticate, Phase::FirstQuery] {
        assert!(trace.round_trips()[phase] >= 1, "{about}: {phase} talks to the server");
    }
    assert!(trace.auth.is_some(), "{about}: how the login was authenticated is told");
    assert_eq!(trace.tls.is_some(), encryption == Encryption::Demanded, "{about}: TLS is told exactly when it is used");
    let encrypted = trace.round_trips()[Phase::Tls] >= 1 && !trace.crypto().is_zero();
    assert_eq!(encrypted, encryption == Encryption::Demanded, "{about}: a handshake costs round trips and CPU");
    settled(subject, (before.0 + 1, before.1), &about).await;
}

/// A session is good for more than its first query.
async fn a_session_answers_again_and_again<S: Subject>(subject: &S) {
    let connector = subject.connector(wish(subject.server()));
    let mut trace = Trace::start();
    let mut session = log_in(&connector, &mut trace).await.unwrap_or_else(|failure| panic!("{failure:?}"));
    for n in 0..50 {
        let answered = connector.query(&mut session, &mut Trace::start()).await;
        assert!(answered.is_ok(), "query {n}: {answered:?}");
    }
    assert!(connector.close(session, &mut trace).await.is_ok());
}

/// Nothing is tried a second time: an account locks after a few failures.
async fn a_wrong_password_is_one_failed_login<S: Subject>(subject: &S, encryption: Encryption) {
    let connector = subject.connector(Wish { password: Password::Wrong, encryption, ..wish(subject.server()) });
    let before = subject.counted();
    let mut trace = Trace::start();
    let Err(failure) = log_in(&connector, &mut trace).await else { panic!("a wrong password was accepted") };
    assert_eq!(failure.kind, OutcomeKind::Rejected, "{failure:?}");
    assert!(failure.code.is_some(), "the server's code is told: {failure:?}");
    assert!(failure.hint.is_some(), "the next step is told: {failure:?}");
    settled(subject, (before.0, before.1 + 1), "a wrong password").await;
}

/// The server counts a moment after the client knows.
async fn settled<S: Subject>(subject: &S, expected: (u64, u64), about: &str) {
    for _ in 0..200 {
        if subject.counted() == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(subject.counted(), expected, "{about}: logins and failed logins as the server counts them");
}

async fn nobody_listens<S: Subject>(subject: &S) {
    let port = {
        let listener = free_listener();
        listener.local_addr().expect("it is bound").port()
    };
    let connector = subject.connector(wish(([127, 0, 0, 1], port).into()));
    let mut trace = Trace::start();
    let Err(failure) = log_in(&connector, &mut trace).await else { panic!("nobody listens there") };
    assert_eq!((failure.kind, failure.phase), (OutcomeKind::Refused, Some(Phase::Connect)), "{failure:?}");
}

/// Whatever a server sends: a failure in time, and little memory.
async fn a_hostile_server_is_survived<S: Subject>(subject: &S, how: Hostile) {
    for encryption in [Encryption::Off, Encryption::Demanded] {
        let server = hostile::Server::start(how);
        let connector = subject.connector(Wish { encryption, ..wish(server.address()) });
        let before = peak_kib();
        let mut trace = Trace::start();
        let limit = Duration::from_millis(1500);
        match tokio::time::timeout(limit, connector.log_in(1, &mut trace)).await {
            Ok(Ok(_)) => panic!("{how:?}, {encryption:?}: that was no login"),
            Ok(Err(failure)) => {
                assert!(!failure.message.is_empty(), "{how:?}, {encryption:?}: {failure:?}");
                assert!(failure.kind != OutcomeKind::Ok, "{how:?}, {encryption:?}: {failure:?}");
            }
            Err(_) => assert!(how.may_be_waited_for(), "{how:?}, {encryption:?}: it must end by itself"),
        }
        let grown = peak_kib().saturating_sub(before) / 1024;
        assert!(grown < 64, "{how:?}, {encryption:?}: memory has grown by {grown} MiB");
    }
}

/// The most memory this process has held, KiB. Linux only; elsewhere memory is not checked.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
