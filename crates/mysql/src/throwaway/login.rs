//! Logging in to the new server: whether it lets somebody in, and whether it is the right one.

use std::path::Path;
use std::time::Duration;

use peaje_engine::{Connector, Endpoint, Trace};
use peaje_model::{ResolveMode, Secret};
use peaje_throwaway::{Started, ThrowawayError};

use super::contents::{ADMIN, PID_FILE, SOCKET};
use crate::config::{BareSurroundings, Config, SslMode};
use crate::login::{LoginOptions, MysqlConnector, MysqlSession};

const LOGIN_LIMIT: Duration = Duration::from_secs(5);

/// Where the server's data and its process id are.
const WHERE: &str = "select @@datadir, @@pid_file, @@port";

/// The administrator's login to a server that was started.
pub(super) struct Login<'a> {
    pub(super) started: &'a Started,
    pub(super) password: &'a Secret,
}

impl Login<'_> {
    /// Over the socket in the folder: nobody else's server is there.
    pub(super) async fn by_socket(&self) -> Result<(), String> {
        let socket = Endpoint::Unix { path: self.started.folder.join(SOCKET) };
        let (connector, session) = self.log_in(socket).await?;
        let _ = connector.close(session, &mut Trace::start()).await;
        Ok(())
    }

    /// Over the port: the server there must have our data folder, and our folder must name the process that was
    /// started.
    pub(super) async fn prove(&self) -> Result<(), ThrowawayError> {
        let by_port = Endpoint::Tcp { host: "127.0.0.1".to_owned(), address: None, port: self.started.port };
        // A server that does not know our password was not started by us.
        let (connector, mut session) = self.log_in(by_port).await.map_err(|words| self.started.not_ours(words))?;
        let found = session.rows(WHERE, &mut Trace::start()).await;
        let found = found.map_err(|failure| self.started.not_ours(failure.message))?;
        let _ = connector.close(session, &mut Trace::start()).await;
        let shown: Vec<&str> = found.rows.iter().flatten().map(|value| value.as_deref().unwrap_or_default()).collect();
        let [data, pid_file, port] = shown[..] else {
            return Err(self.started.not_ours("it does not say where its data is"));
        };
        let ours = [(data, self.started.folder.join("data")), (pid_file, self.started.folder.join(PID_FILE))];
        if ours.iter().any(|(shown, expected)| Path::new(shown) != expected) || port != self.started.port.to_string() {
            return Err(self.started.not_ours(format!("its data folder is {data}")));
        }
        self.check_pid()
    }

    fn check_pid(&self) -> Result<(), ThrowawayError> {
        let pid = std::fs::read_to_string(self.started.folder.join(PID_FILE)).unwrap_or_default();
        if pid.trim() == self.started.pid.to_string() {
            return Ok(());
        }
        Err(self.started.not_ours("its file names another process"))
    }

    async fn log_in(&self, endpoint: Endpoint) -> Result<(MysqlConnector, MysqlSession), String> {
        let mut config = Config::parse(&format!("mysql://{ADMIN}@localhost"), &BareSurroundings)
            .map_err(|error| error.to_string())?;
        config.endpoints = vec![endpoint];
        config.password = Some(self.password.clone());
        config.ssl_mode = SslMode::Disabled;
        let options = LoginOptions {
            resolve: ResolveMode::Each,
            program_name: "peaje throwaway".to_owned(),
            ..LoginOptions::default()
        };
        let connector = MysqlConnector::new(&config, options).map_err(|error| error.to_string())?;
        let mut trace = Trace::start();
        let session = tokio::time::timeout(LOGIN_LIMIT, connector.log_in(0, &mut trace)).await;
        match session {
            Ok(Ok(session)) => Ok((connector, session)),
            Ok(Err(failure)) => Err(failure.message),
            Err(_) => Err(format!("no answer within {} s", LOGIN_LIMIT.as_secs())),
        }
    }
}
