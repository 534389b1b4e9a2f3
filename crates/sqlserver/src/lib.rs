//! SQL Server: connection strings, the login in phases over TDS, and the server's own counters.
//!
//! The login is peaje's own, because drivers hide its phases; the counters are read over the same code, because no
//! driver in use knows strict encryption (TDS 8.0), access tokens and redirects all together.

pub mod config;
pub mod counters;
pub mod login;
pub mod protocol;
