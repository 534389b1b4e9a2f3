//! SQL Server connection strings: `mssql://` and `sqlserver://` URLs, JDBC, and what applications of ADO.NET and ODBC
//! have in their settings.
//!
//! A newcomer would expect one grammar. Each family quotes in its own way, and of a key that is written twice ADO.NET
//! takes the last and ODBC the first.

mod assemble;
mod error;
mod key_value;
mod keys;
mod server_name;
mod target;
mod tls;
mod url;
mod values;

pub use peaje_engine::{BareSurroundings, ProcessSurroundings, Surroundings};

pub use error::{ConfigError, Place};
pub use target::Config;
pub use tls::TlsFileError;
pub use values::{ApplicationIntent, Encrypt, PoolSettings};

#[cfg(test)]
mod tests;
