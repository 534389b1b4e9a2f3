//! What is wrong with a connection string, where, and what to do. No variant carries a value that could be a part of
//! a password: a password with a space or a `/` in it ends up in the most unlikely places of a string.

use std::fmt;
use std::path::PathBuf;

use peaje_engine::PasswordOrigin;

/// Where a setting came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The connection string; the character it starts at, counted from 1.
    Text {
        /// Character, from 1.
        at: usize,
    },
    /// A service file.
    ServiceFile {
        /// Its path.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
    },
    /// An environment variable.
    Variable(&'static str),
    /// Nobody said anything.
    Default,
}

impl From<Place> for PasswordOrigin {
    fn from(place: Place) -> Self {
        match place {
            Place::Text { .. } => PasswordOrigin::Text,
            Place::ServiceFile { path, .. } => PasswordOrigin::File(path),
            Place::Variable(name) => PasswordOrigin::Variable(name),
            Place::Default => PasswordOrigin::Unnamed,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text { at } => write!(f, "at character {at} of the connection string"),
            Place::ServiceFile { path, line } => write!(f, "in line {line} of {}", path.display()),
            Place::Variable(name) => write!(f, "in the variable {name}"),
            Place::Default => f.write_str("by default"),
        }
    }
}

/// Why a connection string cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The string does not follow the grammar.
    #[error("{place}: {problem}; {next_step}")]
    Syntax {
        /// Where.
        place: Place,
        /// What is wrong.
        problem: String,
        /// What to do.
        next_step: &'static str,
    },
    /// A key that libpq does not know. The key itself is only told when it resembles a known one: it could be the
    /// rest of an unquoted password.
    #[error("{place}: unknown key{}", nearest_key(.nearest.as_ref()))]
    UnknownKey {
        /// Where.
        place: Place,
        /// What was written, and the known key that comes nearest.
        nearest: Option<(String, &'static str)>,
    },
    /// A value out of its list or range.
    #[error("{place}: `{key}` {problem}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// Where.
        place: Place,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// Something that peaje does not do.
    #[error("{place}: `{key}` {problem}; {next_step}")]
    Unsupported {
        /// The key.
        key: &'static str,
        /// Where.
        place: Place,
        /// What is not supported.
        problem: String,
        /// What to do.
        next_step: &'static str,
    },
    /// Two settings exclude each other.
    #[error("{problem}; {next_step}")]
    Conflict {
        /// What contradicts what.
        problem: String,
        /// What to do.
        next_step: &'static str,
    },
    /// The service is in none of the files.
    #[error("the service `{name}` is not defined in {}; add a section [{name}] to one of them", .searched.join(" or "))]
    NoService {
        /// Its name.
        name: String,
        /// Files searched.
        searched: Vec<String>,
    },
    /// A service file is there and cannot be read.
    #[error("the service file {} cannot be read: {reason}", .path.display())]
    ServiceFile {
        /// Its path.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// Neither the string nor the system says who logs in.
    #[error("no user name: name one with user=NAME or PGUSER")]
    NoUser,
}

fn nearest_key(nearest: Option<&(String, &'static str)>) -> String {
    match nearest {
        Some((written, known)) => format!(" `{written}`; did you mean `{known}`?"),
        None => {
            "; keys are those of libpq (host, port, user, password, dbname, sslmode, …), and a value that contains \
                 spaces needs quotes: key='a value'"
                .to_owned()
        }
    }
}
