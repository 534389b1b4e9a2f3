//! Connection strings: tables over in-memory surroundings, and properties.

mod pasted;
mod precedence;
mod properties;
mod refusals;
mod strings;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{Config, ConfigError, FileKind, Metadata, Surroundings};

/// Surroundings in a map. The home folder is `/home/ann`, the user `ann`; sockets live in `/var/run/postgresql`.
#[derive(Default)]
struct Map {
    vars: HashMap<String, String>,
    files: HashMap<PathBuf, (String, u32)>,
}

impl Map {
    fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    fn file(self, path: &str, text: &str) -> Self {
        self.file_with_mode(path, text, 0o100_600)
    }

    fn file_with_mode(mut self, path: &str, text: &str, mode: u32) -> Self {
        self.files.insert(PathBuf::from(path), (text.to_owned(), mode));
        self
    }
}

impl Surroundings for Map {
    fn var(&self, name: &str) -> Option<String> {
        self.vars.get(name).cloned()
    }

    fn read_file(&self, path: &Path) -> io::Result<String> {
        self.files.get(path).map(|(text, _)| text.clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn metadata(&self, path: &Path) -> Option<Metadata> {
        if path == Path::new("/var/run/postgresql") {
            return Some(Metadata { kind: FileKind::Folder, mode: Some(0o755) });
        }
        self.files.get(path).map(|(_, mode)| Metadata { kind: FileKind::Regular, mode: Some(*mode) })
    }

    fn home(&self) -> Option<PathBuf> {
        Some(PathBuf::from("/home/ann"))
    }

    fn user_name(&self) -> Option<String> {
        Some("ann".to_owned())
    }
}

fn parse(text: &str, map: &Map) -> Result<Config, ConfigError> {
    Config::parse(text, map)
}

fn ok(text: &str, map: &Map) -> Config {
    parse(text, map).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Password of the first endpoint.
fn password(config: &Config) -> Option<&str> {
    config.password_for(0).map(peaje_model::Secret::expose)
}

/// Hosts as `host:port`, a socket as its path, an address after `=`.
fn hosts(config: &Config) -> String {
    use peaje_engine::Endpoint;
    let shown = config.endpoints.iter().map(|endpoint| match endpoint {
        Endpoint::Tcp { host, address: None, port } => format!("{host}:{port}"),
        Endpoint::Tcp { host, address: Some(address), port } => format!("{host}={address}:{port}"),
        Endpoint::Unix { path } => path.display().to_string(),
    });
    shown.collect::<Vec<_>>().join(" ")
}
