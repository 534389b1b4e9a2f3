//! All integration tests of this crate, in one program.

mod login;
mod sessions;
