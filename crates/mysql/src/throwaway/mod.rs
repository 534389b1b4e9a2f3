//! A throwaway server: a private MariaDB from the binaries installed here, in a temporary folder, gone afterwards.
//!
//! How it is kept from outliving peaje is not here but in `peaje_throwaway`; here is what makes it MariaDB. A newcomer
//! would call `mariadb-install-db`: it loads help texts and views that nobody reads here, and takes three times as long
//! as the whole start.

mod binaries;
mod contents;
mod login;
mod recipe;
mod server;

pub use contents::ThrowawayAuth;
pub use peaje_throwaway::{CertificateState, ServerKeyKind, ThrowawayError};
pub use server::{Options, ThrowawayMariadb};
