//! PostgreSQL connection strings, read by libpq's rules: URI or key=value, then the service file, then the `PG*`
//! variables, then defaults. Strings of JDBC, Npgsql and psqlODBC are read by their drivers' rules first.
//!
//! A newcomer would expect the password to be a plain field: it can differ from host to host, because the password
//! file is searched for each host. Ask [`Config::password_for`].

mod assemble;
mod error;
mod hosts;
mod jdbc;
mod key_value;
mod keywords;
mod passfile;
mod pasted;
mod service;
mod settings;
mod target;
mod tls;
mod uri;
mod values;

pub use peaje_engine::{BareSurroundings, FileKind, Metadata, ProcessSurroundings, Surroundings};

pub use error::{ConfigError, Place};
pub use target::Config;
pub use tls::{ALPN, TlsFileError};
pub use values::{
    AuthMethod, AuthWord, ChannelBindingMode, RequireAuth, RootCert, SslMode, SslNegotiation, TargetSessionAttrs,
    TlsVersion,
};

#[cfg(test)]
mod tests;
