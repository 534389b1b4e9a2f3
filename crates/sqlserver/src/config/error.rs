//! What is wrong with a connection string, where, and what to do. No variant carries a value that could be a part of
//! a password: one with a `;` in it ends up in the most unlikely places of a string.

use std::fmt;

use peaje_engine::PasswordOrigin;

/// Where a setting came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The connection string; the character it starts at, counted from 1.
    Text {
        /// Character, from 1.
        at: usize,
    },
    /// An environment variable.
    Variable(&'static str),
}

impl From<Place> for PasswordOrigin {
    fn from(place: Place) -> Self {
        match place {
            Place::Text { .. } => PasswordOrigin::Text,
            Place::Variable(name) => PasswordOrigin::Variable(name),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text { at } => write!(f, "at character {at} of the connection string"),
            Place::Variable(name) => write!(f, "in the variable {name}"),
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
        problem: &'static str,
        /// What to do.
        next_step: &'static str,
    },
    /// A value out of its list or range.
    #[error("{place}: `{key}` {problem}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// Where.
        place: Place,
        /// What is wrong, and what is allowed.
        problem: &'static str,
    },
    /// Something that peaje does not do.
    #[error("{place}: `{key}` {problem}; {next_step}")]
    Unsupported {
        /// The key.
        key: &'static str,
        /// Where.
        place: Place,
        /// What is not supported.
        problem: &'static str,
        /// What to do.
        next_step: &'static str,
    },
    /// The string names no server.
    #[error("no server: name one with Server=HOST or SQLCMDSERVER")]
    NoServer,
}
