//! Every statement that is ever sent to a server beside the measured query: one file each, sent exactly as it stands.
//!
//! The only place holder is written as a user variable, `@program_name`, so that what `--show-sql` prints can be pasted
//! into the `mysql` client after `set @program_name = 'peaje'`.

use std::fmt::Write as _;

use super::quote::{quote_account, quote_literal};

/// A statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Short name, the file's.
    pub name: &'static str,
    /// The text, with its comment.
    pub sql: &'static str,
    /// Servers it is sent to.
    pub servers: &'static str,
    /// What the account needs.
    pub privilege: &'static str,
    /// What it is for.
    pub purpose: &'static str,
}

/// The only place holder: the program name of the measured sessions.
const PROGRAM_NAME: &str = "@program_name";

macro_rules! statement {
    ($name:ident, $file:literal, $servers:literal, $privilege:literal, $purpose:literal) => {
        #[doc = concat!("`", $file, ".sql`: ", $purpose, ".")]
        pub const $name: Statement = Statement {
            name: $file,
            sql: include_str!(concat!("../sql/", $file, ".sql")),
            servers: $servers,
            privilege: $privilege,
            purpose: $purpose,
        };
    };
}

statement!(VERSION, "version", "any", "none", "what answered");
statement!(
    PEER,
    "peer",
    "any",
    "none; a session always sees itself",
    "whether something stands between peaje and the server (the client's end and the session number it sees)"
);
statement!(
    PROXYSQL,
    "proxysql",
    "any; asked only when something stands between",
    "none",
    "whether the thing between is ProxySQL, which answers exactly this text itself"
);
statement!(
    MAXSCALE,
    "maxscale",
    "any; asked only when something stands between",
    "none",
    "whether the thing between is MaxScale"
);
statement!(
    GUARD_MARIADB,
    "guard_mariadb",
    "MariaDB 10.1 and later",
    "none",
    "limits of the observing session itself; sent only when nothing stands between, or a proxy would keep them"
);
statement!(
    GUARD_MYSQL,
    "guard_mysql",
    "MySQL 5.7.8 and later",
    "none",
    "limits of the observing session itself; sent only when nothing stands between, or a proxy would keep them"
);
statement!(
    READ_ONLY,
    "read_only",
    "any",
    "none",
    "keeps the observing session from writing; sent only when nothing stands between"
);
statement!(
    SETTINGS,
    "settings",
    "any",
    "none",
    "settings that decide what a login costs, what it writes to logs, and how many fit"
);
statement!(
    RIGHTS,
    "rights",
    "any",
    "none; an account sees what it may read itself",
    "which views of the performance schema this account may read, so that none is asked in vain"
);
statement!(PLUGINS, "plugins", "any", "none", "plugins that take part in each login: authentication and audit");
statement!(
    LIMITS,
    "limits",
    "any",
    "none; a session always sees those of its own account",
    "room for sessions, of the server and of this account, and what the account has in use"
);
statement!(
    COUNTERS_MARIADB,
    "counters_mariadb",
    "MariaDB, and MySQL up to 5.6",
    "none",
    "connections, failed and refused ones, counted by the server since its start"
);
statement!(
    COUNTERS_MYSQL,
    "counters_mysql",
    "MySQL 5.7 and later",
    "none",
    "connections, failed and refused ones, counted by the server since its start"
);
statement!(CHECK_STATUS, "check_status", "any", "none", "threads made for logins so far");
statement!(
    HOST_CACHE,
    "host_cache",
    "MySQL 5.6 and later and MariaDB 10.5 and later, with performance_schema=ON and without skip_name_resolve",
    "select on performance_schema.host_cache",
    "what the server remembers of hosts whose connections went wrong"
);
statement!(
    OWN_SESSIONS,
    "own_sessions",
    "with performance_schema=ON",
    "select on performance_schema.session_connect_attrs",
    "sessions of this run that are still open"
);
statement!(
    OWN_SESSIONS_BY_USER,
    "own_sessions_by_user",
    "without performance_schema, or without the right to read it",
    "none; a session always sees those of its own account",
    "sessions of this run's login name that are younger than the observer's, where program names cannot be read"
);
statement!(
    SAMPLE,
    "sample",
    "with performance_schema=ON",
    "select on performance_schema.session_connect_attrs and performance_schema.threads",
    "sessions of this run at this moment, and how many of them are encrypted"
);
statement!(
    SESSION_MEMORY_MARIADB,
    "session_memory_mariadb",
    "MariaDB 10.0.1 and later",
    "process; without it an account sees only its own sessions",
    "what sessions have allocated, as the server counts it for each of them"
);
statement!(
    SESSION_MEMORY_MYSQL,
    "session_memory_mysql",
    "MySQL 5.7 and later, with performance_schema=ON",
    "select on performance_schema.memory_summary_global_by_event_name",
    "what the server has allocated outside InnoDB, as its memory instruments count it"
);
statement!(
    OWN_GRANTS,
    "own_grants",
    "any",
    "none; an account sees its own rights",
    "whether this account has the right PROCESS, so that nothing that needs it is asked in vain"
);
statement!(
    WATCH_STAY,
    "watch_stay",
    "any",
    "none",
    "keeps the watching session from being closed between two readings; sent only when nothing stands between"
);
statement!(
    WATCH_COUNTERS_MARIADB,
    "watch_counters_mariadb",
    "MariaDB, and MySQL up to 5.6",
    "none",
    "what a watching session reads each time: logins, failures, sessions and requests, counted since the start"
);
statement!(
    WATCH_COUNTERS_MYSQL,
    "watch_counters_mysql",
    "MySQL 5.7 and later",
    "none",
    "what a watching session reads each time: logins, failures, sessions and requests, counted since the start"
);
statement!(
    WATCH_PROCESSLIST_MARIADB,
    "watch_processlist_mariadb",
    "MariaDB 10.0.5 and later",
    "process; without it an account sees only its own sessions",
    "the sessions that are open, with the time in their state to the millisecond"
);
statement!(
    WATCH_PROCESSLIST,
    "watch_processlist",
    "MySQL without the right to read performance_schema.threads",
    "process; without it an account sees only its own sessions",
    "the sessions that are open, with the time in their state to the second"
);
statement!(
    WATCH_THREADS,
    "watch_threads",
    "with performance_schema=ON; MariaDB only when the account lacks the right PROCESS",
    "select on performance_schema.threads",
    "the sessions that are open, with the time in their state to the second, and how they are connected"
);
statement!(
    WATCH_CONNECTION_TYPES,
    "watch_connection_types",
    "with performance_schema=ON, MariaDB",
    "select on performance_schema.threads",
    "which sessions are encrypted; asked when there are new ones"
);
statement!(
    WATCH_ATTRIBUTES,
    "watch_attributes",
    "with performance_schema=ON",
    "select on performance_schema.session_connect_attrs",
    "program name and process number of the clients; asked when there are new sessions"
);
statement!(WATCH_TRANSACTIONS, "watch_transactions", "any with InnoDB", "process", "sessions with an open transaction");
statement!(
    WATCH_FAILURES_MARIADB,
    "watch_failures_mariadb",
    "MariaDB, and MySQL up to 5.6",
    "none",
    "failed attempts once more, so that none of them is taken for a login; asked when there are new ones"
);
statement!(
    WATCH_FAILURES_MYSQL,
    "watch_failures_mysql",
    "MySQL 5.7 and later",
    "none",
    "failed attempts once more, so that none of them is taken for a login; asked when there are new ones"
);
statement!(
    WATCH_USER_STATISTICS,
    "watch_user_statistics",
    "MariaDB and Percona Server with userstat=ON",
    "process",
    "logins of each user, and how long their sessions lasted, as the server itself counts them"
);
statement!(
    WATCH_ACCOUNTS,
    "watch_accounts",
    "with performance_schema=ON",
    "select on performance_schema.accounts",
    "logins of each account, as the server itself counts them; the watching session is not among them"
);

/// Every statement, in the order in which they are sent.
pub const STATEMENTS: &[Statement] = &[
    VERSION,
    PEER,
    PROXYSQL,
    MAXSCALE,
    GUARD_MARIADB,
    GUARD_MYSQL,
    READ_ONLY,
    SETTINGS,
    RIGHTS,
    OWN_SESSIONS,
    PLUGINS,
    LIMITS,
    COUNTERS_MARIADB,
    COUNTERS_MYSQL,
    OWN_SESSIONS_BY_USER,
    SAMPLE,
    CHECK_STATUS,
    HOST_CACHE,
    SESSION_MEMORY_MARIADB,
    SESSION_MEMORY_MYSQL,
    OWN_GRANTS,
    WATCH_STAY,
    WATCH_COUNTERS_MARIADB,
    WATCH_COUNTERS_MYSQL,
    WATCH_PROCESSLIST_MARIADB,
    WATCH_PROCESSLIST,
    WATCH_THREADS,
    WATCH_CONNECTION_TYPES,
    WATCH_ATTRIBUTES,
    WATCH_TRANSACTIONS,
    WATCH_FAILURES_MARIADB,
    WATCH_FAILURES_MYSQL,
    WATCH_USER_STATISTICS,
    WATCH_ACCOUNTS,
];

impl Statement {
    /// The text as it is sent: the place holder replaced by the quoted name. Without a place holder it is
    /// [`Statement::sql`] itself; only proxies get it without the comment, because they compare texts.
    pub fn text(&self, program_name: &str) -> String {
        self.body().replace(PROGRAM_NAME, &quote_literal(program_name))
    }

    fn body(&self) -> &'static str {
        if !self.is_for_proxies() {
            return self.sql;
        }
        let comment: usize =
            self.sql.split_inclusive('\n').take_while(|line| line.starts_with("--")).map(str::len).sum();
        self.sql[comment..].trim_end()
    }

    fn is_for_proxies(&self) -> bool {
        *self == PROXYSQL || *self == MAXSCALE
    }

    /// Whether this is the text of this statement, whatever the name in it.
    pub fn matches(&self, text: &str) -> bool {
        match self.body().split_once(PROGRAM_NAME) {
            None => self.body() == text,
            Some((before, after)) => {
                text.len() >= before.len() + after.len() && text.starts_with(before) && text.ends_with(after)
            }
        }
    }
}

/// Which statement a text is.
pub fn recognise(text: &str) -> Option<&'static Statement> {
    STATEMENTS.iter().find(|statement| statement.matches(text))
}

/// All statements for a person who wants to see them before they are sent.
pub fn show_sql() -> String {
    let mut out = String::from(
        "-- What peaje sends to MySQL and MariaDB beside the logins and the query of --query. It only reads.\n\
         -- In the mysql client: set @program_name = 'peaje';\n",
    );
    for statement in STATEMENTS {
        let _ = write!(out, "\n{};\n", statement.sql.trim_end());
    }
    out
}

/// The template of the least-privilege script.
pub const GRANTS: &str = include_str!("../sql/grants.sql");

/// What stands for the password in the script.
pub const PASSWORD_TO_CHOOSE: &str = "<choose a password>";

/// The least-privilege script for this account, `user` or `user@host`.
pub fn grants(account: &str) -> String {
    let password = quote_literal(PASSWORD_TO_CHOOSE);
    GRANTS.replace(":account", &quote_account(account)).replace(":password", &password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_tells_what_its_constant_tells() {
        for statement in STATEMENTS {
            let lines: Vec<&str> = statement.sql.lines().collect();
            assert_eq!(lines[0], format!("-- peaje: {}", statement.purpose), "{}", statement.name);
            assert_eq!(lines[1], format!("-- servers: {}", statement.servers), "{}", statement.name);
            assert_eq!(lines[2], format!("-- privilege: {}", statement.privilege), "{}", statement.name);
            assert!(lines[3].starts_with("-- reads: "), "{}", statement.name);
            assert!(lines[4..].iter().all(|line| !line.contains(';')), "{}: one statement", statement.name);
            let verb = lines[4].split(' ').next();
            let reads = matches!(verb, Some("select" | "show"));
            assert!(reads || lines[4].starts_with("set session "), "{}: {verb:?}", statement.name);
        }
    }

    #[test]
    fn every_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/sql");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is part of the crate")
            .map(|entry| entry.expect("readable").file_name().into_string().expect("ASCII names"))
            .collect();
        files.sort();
        let mut listed: Vec<String> = STATEMENTS.iter().map(|s| format!("{}.sql", s.name)).collect();
        listed.push("grants.sql".to_owned());
        listed.sort();
        assert_eq!(files, listed);
    }

    #[test]
    fn texts_are_recognised_and_only_by_their_own_statement() {
        for statement in STATEMENTS {
            for name in ["peaje", "it's \\ odd"] {
                assert_eq!(recognise(&statement.text(name)), Some(statement));
            }
            assert!(show_sql().contains(statement.sql.trim_end()), "{}", statement.name);
        }
        assert_eq!(recognise("select 1"), None);
        assert_eq!(VERSION.text("peaje"), VERSION.sql);
        assert_eq!(PROXYSQL.text("peaje"), "select @@version_comment limit 1", "ProxySQL compares byte for byte");
    }

    #[test]
    fn the_grants_name_the_account_and_leave_the_password_to_the_reader() {
        let script = grants("pe`aje@10.%");
        assert!(script.contains("create user `pe``aje`@`10.%` identified by '<choose a password>'"));
        assert!(script.contains("grant select on performance_schema.threads to `pe``aje`@`10.%`"));
        assert!(script.contains("grant select on performance_schema.memory_summary_global_by_event_name to `pe``aje`"));
        assert!(script.contains("grant process on *.* to `pe``aje`@`10.%`"));
        assert!(!script.contains(":account") && !script.contains(":password"));
    }
}
