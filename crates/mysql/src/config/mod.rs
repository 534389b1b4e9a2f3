//! Connection strings of MySQL and MariaDB: URLs, JDBC URLs, the `key=value;…` of applications, and the option files and
//! variables behind them.
//!
//! The strongest source first: the URL, option files (`/etc/my.cnf`, `/etc/mysql/my.cnf`, `~/.my.cnf`; groups `client`,
//! `client-server`, `client-mariadb`, `peaje`), variables, defaults. A newcomer would let `MYSQL_PWD` win over an
//! option file; MySQL's clients do it the other way round.

mod assemble;
mod error;
mod hosts;
mod keys;
mod option_file;
mod option_files;
mod pasted;
mod scheme;
mod settings;
mod target;
mod tls;
mod tls_mode;
mod uri;
mod values;

pub use peaje_engine::{BareSurroundings, FileKind, Metadata, ProcessSurroundings, Surroundings};

pub use error::{ConfigError, Place};
pub use target::Config;
pub use tls::TlsFileError;
pub use values::{Cleartext, OldPassword, PublicKeyRetrieval, SslMode, TlsVersion};

#[cfg(test)]
mod tests;
