//! MySQL and MariaDB: connection strings, the login in phases, the server's own counters, and a throwaway server.
//!
//! The login is peaje's own, because drivers hide its phases; what the counters need is read over the same login.

pub mod config;
pub mod counters;
pub mod login;
pub mod protocol;
pub mod throwaway;
