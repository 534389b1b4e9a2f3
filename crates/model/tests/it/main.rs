//! The tests of this crate that see it from outside, in one program: each linked alone would take a disk's room for
//! nothing. A file is a subject.

mod common;
mod redact;
mod run_file;
