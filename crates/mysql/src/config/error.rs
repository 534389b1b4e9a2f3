//! What is wrong with a connection string or an option file, where, and what to do. No variant carries a value that
//! could be a part of a password: an unescaped `@` or `/` moves the rest of one to the most unlikely places.

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
    /// An option file.
    OptionFile {
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

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text { at } => write!(f, "at character {at} of the connection string"),
            Place::OptionFile { path, line } => write!(f, "in line {line} of {}", path.display()),
            Place::Variable(name) => write!(f, "in the variable {name}"),
            Place::Default => f.write_str("by default"),
        }
    }
}

impl From<Place> for PasswordOrigin {
    fn from(place: Place) -> Self {
        match place {
            Place::Text { .. } => PasswordOrigin::Text,
            Place::OptionFile { path, .. } => PasswordOrigin::File(path),
            Place::Variable(name) => PasswordOrigin::Variable(name),
            Place::Default => PasswordOrigin::Unnamed,
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
    /// A key that is not known. The key itself is only told when it resembles a known one: it could be the rest of a
    /// password.
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
    #[error("{place}: {problem}; {next_step}")]
    Unsupported {
        /// Where.
        place: Place,
        /// What is not supported.
        problem: String,
        /// What to do.
        next_step: &'static str,
    },
    /// An option file is there and cannot be read.
    #[error("the option file {} cannot be read: {reason}", .path.display())]
    OptionFile {
        /// Its path.
        path: PathBuf,
        /// The system's words, or what is wrong in it.
        reason: String,
    },
    /// Neither the string nor the system says who logs in.
    #[error("no user name: write one into the connection string, mysql://NAME@host/database")]
    NoUser,
}

fn nearest_key(nearest: Option<&(String, &'static str)>) -> String {
    match nearest {
        Some((written, known)) => format!(" `{written}`; did you mean `{known}`?"),
        None => {
            "; keys are ssl-mode, ssl-ca, ssl-cert, ssl-key, connect-timeout, socket, get-server-public-key, …, and \
                 special characters of a password are percent-encoded (`@` is %40, `/` is %2F, `?` is %3F, `#` is %23)"
                .to_owned()
        }
    }
}
