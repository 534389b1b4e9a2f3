//! A throwaway server: a private cluster from the binaries installed here, in a temporary folder, gone afterwards.
//!
//! How it is kept from outliving peaje is not here but in `peaje_throwaway`; here is what makes it PostgreSQL.

mod binaries;
mod cluster;
mod contents;
mod readiness;
mod recipe;

pub use cluster::{ThrowawayCluster, ThrowawayOptions};
pub use contents::ThrowawayAuth;
pub use peaje_throwaway::{CertificateState, ServerKeyKind, ThrowawayError};
