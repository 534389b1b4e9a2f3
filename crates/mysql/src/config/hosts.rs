//! Where to dial: hosts of the URL; else what option files and variables say; else the server of this machine.

use std::path::{Path, PathBuf};

use peaje_engine::Endpoint;

use super::settings::Settings;
use super::uri::Host;
use super::{ConfigError, Surroundings};

/// MySQL's port.
const DEFAULT_PORT: u16 = 3306;
/// Where servers put their socket: Debian, Red Hat, MySQL's own packages.
const SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];

/// Every source of endpoints.
pub(super) struct Sources<'a> {
    pub(super) hosts: &'a [Host],
    pub(super) url: &'a Settings,
    pub(super) files: &'a Settings,
    pub(super) surroundings: &'a dyn Surroundings,
}

impl Sources<'_> {
    /// The endpoints, in order. A host named `localhost` in a URL is dialled over TCP, as every driver does it; in an
    /// option file it means the socket, as MySQL's own clients read it.
    pub(super) fn endpoints(&self) -> Result<Vec<Endpoint>, ConfigError> {
        if let Some(path) = self.url.path("socket") {
            return Ok(vec![Endpoint::Unix { path }]);
        }
        if !self.hosts.is_empty() {
            return self.hosts.iter().map(|host| self.of_url(host)).collect();
        }
        if let Some(host) = self.url.text("host") {
            return Ok(vec![tcp(host, self.port(self.url)?)]);
        }
        if self.url.raw("port").is_some() {
            return Ok(vec![tcp("localhost", self.port(self.url)?)]);
        }
        self.of_files()
    }

    fn of_url(&self, host: &Host) -> Result<Endpoint, ConfigError> {
        match host {
            Host::Socket(path) => Ok(Endpoint::Unix { path: PathBuf::from(path) }),
            Host::Tcp(name, Some(port)) => Ok(tcp(name, *port)),
            Host::Tcp(name, None) => Ok(tcp(name, self.port(self.url)?)),
        }
    }

    fn of_files(&self) -> Result<Vec<Endpoint>, ConfigError> {
        let host = self.files.text("host").map(str::to_owned);
        let host = host.or_else(|| self.surroundings.var("MYSQL_HOST").filter(|h| !h.is_empty()));
        let over_tcp = self.files.text("protocol").is_some_and(|p| p.eq_ignore_ascii_case("tcp"));
        match host {
            Some(host) if over_tcp || host != "localhost" => Ok(vec![tcp(&host, self.port(self.files)?)]),
            _ if over_tcp => Ok(vec![tcp("localhost", self.port(self.files)?)]),
            _ => match self.socket() {
                Some(path) => Ok(vec![Endpoint::Unix { path }]),
                None => Ok(vec![tcp("localhost", self.port(self.files)?)]),
            },
        }
    }

    fn socket(&self) -> Option<PathBuf> {
        let said = self.files.path("socket");
        let said = said.or_else(|| self.surroundings.var("MYSQL_UNIX_PORT").filter(|p| !p.is_empty()).map(Into::into));
        said.or_else(|| SOCKETS.iter().map(Path::new).find(|p| self.surroundings.exists(p)).map(Into::into))
    }

    fn port(&self, source: &Settings) -> Result<u16, ConfigError> {
        const RANGE: &str = "must be a number from 1 to 65535";
        if let Some(text) = source.text("port") {
            let port = text.trim().parse().ok().filter(|port| *port > 0);
            return port.ok_or_else(|| source.bad("port", RANGE));
        }
        const VARIABLE: &str = "MYSQL_TCP_PORT";
        let Some(text) = self.surroundings.var(VARIABLE).filter(|text| !text.is_empty()) else {
            return Ok(DEFAULT_PORT);
        };
        text.trim().parse().ok().filter(|port| *port > 0).ok_or_else(|| ConfigError::BadValue {
            key: "port",
            place: super::Place::Variable(VARIABLE),
            problem: RANGE.to_owned(),
        })
    }
}

fn tcp(host: &str, port: u16) -> Endpoint {
    Endpoint::Tcp { host: host.to_owned(), address: None, port }
}
