//! The tests of this crate that see it from outside, in one program: each linked alone would take a disk's room for
//! nothing. A file is a subject.

mod attribution;
mod common;
mod csv;
mod false_rates;
mod metrics;
mod recording;
