//! What `--listen` publishes: both formats against golden files, the bound on series, and the listener over real
//! sockets.
//!
//! After a wanted change: `PEAJE_BLESS=1 cargo test -p peaje-watch --test it metrics`, then read the difference.

#![allow(clippy::unwrap_used, reason = "a test")]

mod exposition;
mod http;
mod sample;
