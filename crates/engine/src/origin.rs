//! Where a password came from: the advice on a rejected login names the one that was used.

use std::fmt;
use std::path::PathBuf;

/// Where a password came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PasswordOrigin {
    /// A person at a prompt, or the program itself; or there is none.
    #[default]
    Unnamed,
    /// The connection string.
    Text,
    /// An environment variable.
    Variable(&'static str),
    /// A file.
    File(PathBuf),
}

impl fmt::Display for PasswordOrigin {
    /// Within a sentence: `the password in the variable PGPASSWORD`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PasswordOrigin::Unnamed => f.write_str("the password"),
            PasswordOrigin::Text => f.write_str("the password in the connection string"),
            PasswordOrigin::Variable(name) => write!(f, "the password in the variable {name}"),
            PasswordOrigin::File(path) => write!(f, "the password in {}", path.display()),
        }
    }
}
