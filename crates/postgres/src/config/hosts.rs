//! Hosts, addresses and ports, paired.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use peaje_engine::Endpoint;

use super::settings::Settings;
use super::{ConfigError, Surroundings};

/// PostgreSQL's port.
const DEFAULT_PORT: u16 = 5432;
/// Where servers put their socket: Debian and Red Hat, then PostgreSQL's own default.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// Whether sockets are looked for in this folder when no host is named.
pub(super) fn is_default_folder(folder: &Path) -> bool {
    folder == Path::new("/run/postgresql") || SOCKET_FOLDERS.iter().any(|default| folder == Path::new(default))
}

/// Pairs the lists. `host`, `hostaddr` and `port` are lists of the same length; one port serves all.
pub(super) fn endpoints(settings: &Settings, surroundings: &dyn Surroundings) -> Result<Vec<Endpoint>, ConfigError> {
    let hosts = list(settings, "host");
    let addresses = list(settings, "hostaddr");
    let count = hosts.len().max(addresses.len()).max(1);
    if !hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len() {
        return Err(ConfigError::Conflict {
            problem: format!("{} hosts, but {} addresses in `hostaddr`", hosts.len(), addresses.len()),
            next_step: "give as many addresses as hosts, an empty one for a host that shall be looked up",
        });
    }
    let ports = ports(settings, count)?;
    (0..count)
        .map(|i| {
            let host = hosts.get(i).map_or("", String::as_str);
            let address = addresses.get(i).map_or("", String::as_str);
            endpoint(settings, host, address, ports[i], surroundings)
        })
        .collect()
}

fn list(settings: &Settings, key: &'static str) -> Vec<String> {
    settings.get(key).map(|v| v.text.split(',').map(|item| item.trim().to_owned()).collect()).unwrap_or_default()
}

fn ports(settings: &Settings, count: usize) -> Result<Vec<u16>, ConfigError> {
    let given = list(settings, "port");
    if given.len() > 1 && given.len() != count {
        return Err(ConfigError::Conflict {
            problem: format!("{} ports for {count} hosts", given.len()),
            next_step: "give one port for all hosts, or one for each",
        });
    }
    (0..count)
        .map(|i| match given.get(if given.len() == 1 { 0 } else { i }).map(String::as_str) {
            None | Some("") => Ok(DEFAULT_PORT),
            Some(text) => text.parse().ok().filter(|port| *port > 0).ok_or_else(|| ConfigError::BadValue {
                key: "port",
                place: settings.place("port"),
                problem: "must be a number from 1 to 65535".to_owned(),
            }),
        })
        .collect()
}

fn endpoint(
    settings: &Settings,
    host: &str,
    address: &str,
    port: u16,
    surroundings: &dyn Surroundings,
) -> Result<Endpoint, ConfigError> {
    if !address.is_empty() {
        let parsed: IpAddr = address.parse().map_err(|_| ConfigError::BadValue {
            key: "hostaddr",
            place: settings.place("hostaddr"),
            problem: "must be an IPv4 or IPv6 address; names belong into `host`".to_owned(),
        })?;
        return Ok(Endpoint::Tcp { host: host.to_owned(), address: Some(parsed), port });
    }
    if host.starts_with('@') {
        return Err(ConfigError::Unsupported {
            key: "host",
            place: settings.place("host"),
            problem: "names an abstract Unix socket, which is not supported".to_owned(),
            next_step: "name a socket folder or a host",
        });
    }
    Ok(match host {
        "" => default_endpoint(port, surroundings),
        folder if folder.starts_with('/') => socket(Path::new(folder), port),
        name => Endpoint::Tcp { host: name.to_owned(), address: None, port },
    })
}

fn socket(folder: &Path, port: u16) -> Endpoint {
    Endpoint::Unix { path: folder.join(format!(".s.PGSQL.{port}")) }
}

/// libpq has one folder compiled in, which differs between packages: the first in which the socket is there, else the
/// first that exists. Without any, as on Windows, `localhost`.
fn default_endpoint(port: u16, surroundings: &dyn Surroundings) -> Endpoint {
    let folders: Vec<PathBuf> = SOCKET_FOLDERS.map(PathBuf::from).to_vec();
    let with_socket = folders.iter().find(|f| surroundings.exists(&f.join(format!(".s.PGSQL.{port}"))));
    match with_socket.or_else(|| folders.iter().find(|f| surroundings.exists(f))) {
        Some(folder) => socket(folder, port),
        None => Endpoint::Tcp { host: "localhost".to_owned(), address: None, port },
    }
}
