//! The watcher against a real server: logins and logouts agree with what the clients did, one by one.
//!
//! PostgreSQL 15 and 18 have to be installed, and psql (package `postgresql-client`); without one of them tests fail
//! and say so.

mod cost;
mod counts;
mod origins;
mod sessions;
mod support;
