//! Every engine's login against the demands of `engine::conformance`, each with the reference server of its protocol.
//!
//! A newcomer who adds an engine adds a [`Subject`] here: the demands are the same for all.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;

use peaje_engine::conformance::{Encryption, Password, Subject, Wish, check};
use peaje_model::{Secret, TlsMode};
use peaje_refserver::{KeyKind, Protocol, RefServer, ServerOptions, TlsSetting};

const USER: &str = "ana";
const PASSWORD: &str = "pencil";
const QUERY: &str = "select 1";

/// A reference server with TLS and one user.
fn start(protocol: Protocol) -> RefServer {
    let auth = protocol.default_auth(USER.to_owned(), Secret::new(PASSWORD));
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    RefServer::start(ServerOptions { protocol, auth, tls, ..ServerOptions::default() }).unwrap()
}

/// A connection string of this scheme for the wish.
fn url(scheme: &str, wish: Wish) -> String {
    let password = if wish.password == Password::Right { PASSWORD } else { "pen" };
    format!("{scheme}://{USER}:{password}@{}", wish.server)
}

fn tls(wish: Wish) -> TlsMode {
    if wish.encryption == Encryption::Demanded { TlsMode::Full } else { TlsMode::Off }
}

/// Logins and failures of a server, as the suite wants them.
fn counted(server: &RefServer) -> (u64, u64) {
    let counters = server.counters();
    (counters.logins, counters.failed)
}

fn run<S: Subject>(subject: &S) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(check(subject));
    // A look-up or a login that was given up must not hold the test up.
    runtime.shutdown_background();
}

struct Postgres(RefServer);

impl Subject for Postgres {
    type Connector = peaje_postgres::login::PostgresConnector;

    fn connector(&self, wish: Wish) -> Self::Connector {
        use peaje_postgres::config::{BareSurroundings, Config};
        use peaje_postgres::login::LoginOptions;
        let config = Config::parse(&(url("postgresql", wish) + "/peaje"), &BareSurroundings).unwrap();
        let options =
            LoginOptions { tls: tls(wish), query: QUERY.to_owned(), close: wish.close, ..LoginOptions::default() };
        Self::Connector::new(&config, options).unwrap()
    }

    fn server(&self) -> SocketAddr {
        self.0.address()
    }

    fn counted(&self) -> (u64, u64) {
        counted(&self.0)
    }
}

#[test]
fn postgres() {
    run(&Postgres(start(Protocol::Postgres)));
}

struct Mysql(RefServer);

impl Subject for Mysql {
    type Connector = peaje_mysql::login::MysqlConnector;

    fn connector(&self, wish: Wish) -> Self::Connector {
        use peaje_mysql::config::{BareSurroundings, Config};
        use peaje_mysql::login::LoginOptions;
        // Without TLS a first full authentication needs the server's public key.
        let url = url("mysql", wish) + "/?get-server-public-key=true";
        let config = Config::parse(&url, &BareSurroundings).unwrap();
        let options =
            LoginOptions { tls: tls(wish), query: QUERY.to_owned(), close: wish.close, ..LoginOptions::default() };
        Self::Connector::new(&config, options).unwrap()
    }

    fn server(&self) -> SocketAddr {
        self.0.address()
    }

    fn counted(&self) -> (u64, u64) {
        counted(&self.0)
    }
}

#[test]
fn mysql() {
    run(&Mysql(start(Protocol::Mysql)));
}

struct SqlServer(RefServer);

impl Subject for SqlServer {
    type Connector = peaje_sqlserver::login::SqlServerConnector;

    fn connector(&self, wish: Wish) -> Self::Connector {
        use peaje_sqlserver::config::{BareSurroundings, Config};
        use peaje_sqlserver::login::LoginOptions;
        let url = url("mssql", wish) + "/master?TrustServerCertificate=true";
        let config = Config::parse(&url, &BareSurroundings).unwrap();
        let options =
            LoginOptions { tls: tls(wish), query: QUERY.to_owned(), close: wish.close, ..LoginOptions::default() };
        Self::Connector::new(&config, options).unwrap()
    }

    fn server(&self) -> SocketAddr {
        self.0.address()
    }

    fn counted(&self) -> (u64, u64) {
        counted(&self.0)
    }
}

#[test]
fn sqlserver() {
    run(&SqlServer(start(Protocol::SqlServer)));
}
