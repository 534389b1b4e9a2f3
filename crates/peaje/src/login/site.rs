//! What the command needs of a server of any engine: its words, a connector for each TLS setting, an observer.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use peaje_engine::{Connector, Endpoint, Failure, Observer, OpenWatcher, SourceAddresses, WatchOptions, program_name};
use peaje_host::Host;
use peaje_lab::ServerCpu;
use peaje_model::{
    AddressProbe, CloseMode, Dialling, Fact, Gap, ResolveMode, ScramCache, Secret, Target, TargetKind, TlsMode,
    WhatAnswered,
};

use crate::sessions::worker::Way;

/// How each login is made, apart from where and with which TLS.
#[derive(Debug, Clone)]
pub(crate) struct LoginPlan {
    pub(crate) query: String,
    pub(crate) close: CloseMode,
    pub(crate) scram_cache: ScramCache,
    pub(crate) resolve: ResolveMode,
    pub(crate) sources: SourceAddresses,
    pub(crate) skip: Vec<SocketAddr>,
    /// Word added to the program name that the server sees.
    pub(crate) tag: Option<String>,
    /// A directory's token, in place of a password.
    pub(crate) access_token: Option<Secret>,
}

impl LoginPlan {
    /// The program name that the server sees.
    pub(crate) fn program(&self) -> String {
        program_name(self.tag.as_deref())
    }
}

/// What a connection string says of the application's pool; `None` = nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct PoolWords {
    pub(crate) min: Option<u32>,
    pub(crate) max: Option<u32>,
    pub(crate) lifetime_s: Option<f64>,
}

/// One server, started by peaje or not. Dropping it stops a server that peaje started.
pub(crate) trait Site {
    /// The engine's login.
    type Connector: Connector;
    /// The engine's name.
    const ENGINE: &'static str;

    fn kind(&self) -> TargetKind;
    /// The connection string, without password.
    fn url(&self) -> String;
    fn endpoints(&self) -> &[Endpoint];
    fn database(&self) -> Option<String>;
    fn user(&self) -> Option<String>;
    /// The TLS setting in the engine's words.
    fn tls_setting(&self) -> Option<String>;
    /// Whether the connection string (or its files and variables) says something about TLS.
    fn url_sets_tls(&self) -> bool;
    /// How several addresses are dialled.
    fn dialling(&self) -> Dialling {
        Dialling::InTurn
    }
    /// What the connection string says of the application's pool.
    fn pool(&self) -> PoolWords {
        PoolWords::default()
    }
    /// Whether it answers queries; a pooler's console does not.
    fn takes_queries(&self) -> bool {
        true
    }
    /// What was accepted and has no effect, and the like.
    fn warnings(&self) -> Vec<String>;
    /// What a person should know of the logins of this connector.
    fn notes(&self, _connector: &Self::Connector) -> Vec<String> {
        Vec::new()
    }
    /// The login timeout of the connection string.
    fn login_timeout(&self) -> Option<Duration> {
        None
    }
    /// A connector for one TLS setting.
    fn connector(&self, tls: TlsMode, plan: &LoginPlan) -> anyhow::Result<Self::Connector>;
    /// A session that reads the server's views.
    fn observe(&self, tls: TlsMode, plan: &LoginPlan) -> impl Future<Output = Result<Box<dyn Observer>, Gap>>;
    /// Logs in sessions that read the server again and again.
    fn watcher(&self, options: WatchOptions, access_token: Option<Secret>) -> OpenWatcher;
    /// What each login writes to the server's log, from facts.
    fn log_lines(&self, facts: &[Fact]) -> Vec<String>;
    /// A connection string with which another process comes to the same server.
    fn way(&self) -> Way;
    /// The password, once it is known and not one of several.
    fn password(&self) -> Option<Secret>;
    /// The server's process, when it is sure that it runs here and is a process of its own.
    fn server_pid(&self, host: &dyn Host, target: &Target, answered: Option<&WhatAnswered>) -> Option<u32>;
    /// Reads the server's CPU, when it is sure that it runs here.
    fn server_cpu(&self, host: &Arc<dyn Host>, target: &Target, answered: Option<&WhatAnswered>) -> Option<ServerCpu>;
    /// Whether the login failed only because no password is known.
    fn lacks_password(&self, failure: &Failure) -> bool;
    /// The password that was asked for at the terminal.
    fn give_password(&mut self, password: Secret);
}

/// The server as it was asked for.
pub(crate) fn target<S: Site>(
    site: &S,
    local: bool,
    (addresses, resolve_us): (Vec<AddressProbe>, Option<f64>),
    login_timeout: Duration,
) -> Target {
    Target {
        engine: S::ENGINE.to_owned(),
        kind: site.kind(),
        url: site.url(),
        hosts: site.endpoints().iter().map(Endpoint::host).collect(),
        port: site.endpoints().first().and_then(Endpoint::port),
        database: site.database(),
        user: site.user(),
        tls_setting: site.tls_setting(),
        local,
        dialling: site.dialling(),
        addresses,
        resolve_us,
        login_timeout_s: login_timeout.as_secs_f64(),
    }
}
