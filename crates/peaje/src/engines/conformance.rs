//! Every engine of the list against the demands of `engine::conformance`, each with the reference server of its protocol.
//!
//! An engine without them cannot be in the list: its entry holds the function that runs them.

use std::net::SocketAddr;

use peaje_engine::Connector;
use peaje_engine::conformance::{Encryption, Password, Subject, Wish, check};
use peaje_model::{Secret, TlsMode};
use peaje_refserver::{KeyKind, Protocol, RefServer, ServerOptions, TlsSetting};

const USER: &str = "ana";
const PASSWORD: &str = "pencil";
/// What every session is asked.
pub(super) const QUERY: &str = "select 1";

/// A connection string of this scheme for the wish.
pub(super) fn url(scheme: &str, wish: Wish) -> String {
    let password = if wish.password == Password::Right { PASSWORD } else { "pen" };
    format!("{scheme}://{USER}:{password}@{}", wish.server)
}

/// The TLS setting for the wish.
pub(super) fn tls(wish: Wish) -> TlsMode {
    if wish.encryption == Encryption::Demanded { TlsMode::Full } else { TlsMode::Off }
}

/// A reference server with TLS and one user, and how an engine logs in to it.
struct Reference<F> {
    server: RefServer,
    connector: F,
}

impl<C: Connector, F: Fn(Wish) -> C> Subject for Reference<F> {
    type Connector = C;

    fn connector(&self, wish: Wish) -> C {
        (self.connector)(wish)
    }

    fn server(&self) -> SocketAddr {
        self.server.address()
    }

    fn counted(&self) -> (u64, u64) {
        let counters = self.server.counters();
        (counters.logins, counters.failed)
    }
}

/// Runs every check with a reference server of this protocol.
pub(super) fn run<C: Connector>(protocol: Protocol, connector: impl Fn(Wish) -> C) {
    let auth = protocol.default_auth(USER.to_owned(), Secret::new(PASSWORD));
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    let options = ServerOptions { protocol, auth, tls, ..ServerOptions::default() };
    let server = RefServer::start(options).expect("a reference server");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(check(&Reference { server, connector }));
    // A look-up or a login that was given up must not hold the test up.
    runtime.shutdown_background();
}

#[test]
#[expect(clippy::print_stderr, reason = "a demand that is not kept is of the engine named last")]
fn every_engine_keeps_the_demands() {
    for engine in super::ENGINES {
        eprintln!("{}", engine.name);
        (engine.conform)();
    }
}
