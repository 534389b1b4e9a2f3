//! Which engine a run speaks of. MariaDB is `mysql` here: the two share a protocol, and most of their settings.

use peaje_model::Run;

/// PostgreSQL, or the reference server speaking its protocol.
pub(crate) fn is_postgres(run: &Run) -> bool {
    run.target.engine == "postgres"
}

/// MySQL or MariaDB.
pub(crate) fn is_mysql(run: &Run) -> bool {
    run.target.engine == "mysql"
}

/// SQL Server.
pub(crate) fn is_sqlserver(run: &Run) -> bool {
    run.target.engine == "sqlserver"
}

/// Whether the first host is a Unix socket.
pub(crate) fn is_socket(run: &Run) -> bool {
    run.target.hosts.first().is_some_and(|host| host.starts_with(['/', '@']))
}
