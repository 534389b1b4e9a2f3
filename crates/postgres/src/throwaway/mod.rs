//! A throwaway server: a private cluster from the binaries installed here, in a temporary folder, gone afterwards.
//!
//! A newcomer would stop the server in a destructor. A destructor does not run when peaje is killed: the server
//! therefore belongs to a small guard process that holds one end of a pipe, and cleans up when the other end closes,
//! for whatever reason. There is no other clean-up path.

mod account;
mod binaries;
mod certificate;
mod cluster;
mod contents;
mod error;
mod guard;
mod port;
mod readiness;

pub use certificate::{CertificateState, ServerKeyKind};
pub use cluster::{ThrowawayCluster, ThrowawayOptions};
pub use contents::ThrowawayAuth;
pub use error::ThrowawayError;
