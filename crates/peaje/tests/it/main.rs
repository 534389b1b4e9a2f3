//! The tests of this crate that see it from outside, in one program: each linked alone would take a disk's room for
//! nothing. A file is a subject.

mod check;
mod cli;
mod clients;
mod common;
mod diagnosis;
mod embedded;
mod hold_workers;
mod layers;
mod mysql;
mod network;
mod observe;
mod postgres;
mod prometheus;
mod schema;
mod secrets;
mod serve_models;
mod sessions;
mod sqlserver;
mod terminal;
mod watch;
mod watch_hard;
