//! A throwaway server: a private one from the binaries installed here, in a temporary folder, gone afterwards. An
//! engine gives a [`Recipe`] (binaries, contents, commands); everything else is the same for all of them.
//!
//! A newcomer would stop the server in a destructor. A destructor does not run when peaje is killed: the server
//! therefore belongs to a small guard process that holds one end of a pipe, and cleans up when the other end closes,
//! for whatever reason. There is no other clean-up path.

mod account;
mod binaries;
mod certificate;
mod command_line;
mod error;
mod folder;
mod guard;
mod password;
mod port;
mod recipe;
mod server;

pub use account::own_account_name;
pub use binaries::first_complete;
pub use certificate::{CertificateState, ServerKeyKind};
pub use command_line::CommandLine;
pub use error::ThrowawayError;
pub use folder::Folder;
pub use password::random_password;
pub use recipe::{Recipe, Started};
pub use server::Server;
