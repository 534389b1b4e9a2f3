//! The tests of this crate that see it from outside, in one program: each linked alone would take a disk's room for
//! nothing. A file is a subject.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod hostile;
mod listing;
mod manifest;
mod scan;
mod tree;
