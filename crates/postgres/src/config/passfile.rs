//! The password file: `host:port:database:user:password`, `*` matches anything, `\` escapes `:` and `\`.

use std::path::{Path, PathBuf};

use peaje_engine::Endpoint;
use peaje_model::Secret;

use super::hosts::is_default_folder;
use super::{FileKind, Surroundings};

/// The file's text, or `None` with a warning when it must not be used.
pub(super) fn read(
    named: Option<PathBuf>,
    surroundings: &dyn Surroundings,
    warnings: &mut Vec<String>,
) -> Option<String> {
    let path = named.or_else(|| surroundings.home().map(|home| home.join(".pgpass")))?;
    let found = surroundings.metadata(&path)?;
    if found.kind != FileKind::Regular {
        warnings.push(format!("the password file {} is not a plain file and was not used", path.display()));
        return None;
    }
    if found.mode.is_some_and(|mode| mode & 0o077 != 0) {
        warnings.push(format!(
            "the password file {path} can be read by group or others and was not used: chmod 600 {path}",
            path = path.display()
        ));
        return None;
    }
    match surroundings.read_file(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            warnings.push(format!("the password file {} cannot be read: {error}", path.display()));
            None
        }
    }
}

/// What a line is matched against.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    host: String,
    port: String,
    database: &'a str,
    user: &'a str,
}

impl<'a> Wanted<'a> {
    /// For one endpoint. A socket in the default folder is called `localhost`, one elsewhere by its folder.
    pub(super) fn new(endpoint: &Endpoint, database: &'a str, user: &'a str) -> Self {
        let (host, port) = match endpoint {
            Endpoint::Tcp { port, .. } => (endpoint.host(), port.to_string()),
            Endpoint::Unix { path } => {
                let folder = path.parent().unwrap_or(Path::new("/"));
                let host =
                    if is_default_folder(folder) { "localhost".to_owned() } else { folder.display().to_string() };
                (host, path.extension().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default())
            }
        };
        Self { host, port, database, user }
    }

    /// The password of the first line that matches.
    pub(super) fn find(&self, text: &str) -> Option<Secret> {
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).find_map(|line| self.line(line))
    }

    fn line(&self, line: &str) -> Option<Secret> {
        let mut rest = line;
        for wanted in [&self.host, &self.port, self.database, self.user] {
            rest = matching_field(rest, wanted)?;
        }
        // An empty password is none, as in libpq.
        let password = unescape(rest);
        (!password.is_empty()).then(|| Secret::new(password))
    }
}

/// What follows the first field, if that field matches.
fn matching_field<'a>(line: &'a str, wanted: &str) -> Option<&'a str> {
    let end = field_end(line)?;
    let field = &line[..end];
    (field == "*" || unescape(field) == wanted).then(|| &line[end + 1..])
}

/// The first colon that is not escaped.
fn field_end(line: &str) -> Option<usize> {
    let mut escaped = false;
    line.bytes().position(|byte| {
        let ends = byte == b':' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

fn unescape(field: &str) -> String {
    let mut out = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}
