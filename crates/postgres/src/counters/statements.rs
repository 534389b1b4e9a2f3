//! Every statement that is ever sent to a server beside the measured query: one file each, sent exactly as it stands.
//!
//! A place holder is written as psql writes it, `:'name'`, so that what `--show-sql` prints can be pasted into psql.

use std::fmt::Write as _;

/// A statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Short name, the file's.
    pub name: &'static str,
    /// The text, with its comment.
    pub sql: &'static str,
    /// Lowest `server_version_num` that understands it; 0 = not sent to PostgreSQL itself.
    pub since_version: u32,
    /// What the role needs.
    pub privilege: &'static str,
    /// What it is for.
    pub purpose: &'static str,
}

/// The only place holder: the program name of the measured sessions.
const APPLICATION_NAME: &str = ":'application_name'";

macro_rules! statement {
    ($name:ident, $file:literal, $since:literal, $privilege:literal, $purpose:literal) => {
        #[doc = concat!("`", $file, ".sql`: ", $purpose, ".")]
        pub const $name: Statement = Statement {
            name: $file,
            sql: include_str!(concat!("../sql/", $file, ".sql")),
            since_version: $since,
            privilege: $privilege,
            purpose: $purpose,
        };
    };
}

statement!(VERSION, "version", 100_000, "none", "what answered");
statement!(
    PEER,
    "peer",
    100_000,
    "none",
    "whether something stands between peaje and the server (the address and port the server sees)"
);
statement!(
    GUARD,
    "guard",
    100_000,
    "none",
    "limits of the observing session itself; sent only when nothing stands between, or a pooler would keep them"
);
statement!(SERVER, "server", 100_000, "none", "version, role in replication, and start of the server");
statement!(
    SETTINGS,
    "settings",
    100_000,
    "pg_read_all_settings for data_directory and the preloaded libraries; none for the others",
    "settings that decide what a login costs, what it writes to the log, and how many fit"
);
statement!(
    LIMITS,
    "limits",
    100_000,
    "none; other users' sessions are counted even where their details are hidden",
    "room for sessions, by server, database and role, with what is in use"
);
statement!(
    COUNTERS,
    "counters",
    140_000,
    "none",
    "logins counted by the server in this database, and sessions of this run that are still open"
);
statement!(
    OWN_SESSIONS,
    "own_sessions",
    100_000,
    "none",
    "sessions of this run that are still open, on servers that do not count logins"
);
statement!(
    SAMPLE,
    "sample",
    100_000,
    "none for sessions of the same role, else pg_read_all_stats",
    "sessions of this run at this moment, and how many of them are encrypted"
);
statement!(
    TROUBLES,
    "troubles",
    140_000,
    "none",
    "whether other clients' sessions fail more often than before the run: then the run stops"
);
statement!(LOGIN_TRIGGERS, "login_triggers", 170_000, "none", "event triggers that run at each login");
statement!(
    PGBOUNCER_VERSION,
    "pgbouncer_version",
    0,
    "a user of admin_users or stats_users",
    "version of PgBouncer, asked only of its administration console"
);
statement!(
    PGPOOL_VERSION,
    "pgpool_version",
    0,
    "none",
    "whether the thing between is Pgpool-II; asked only when something stands between"
);

statement!(
    SESSION_MEMORY,
    "session_memory",
    140_000,
    "pg_read_all_stats (superuser on 14)",
    "what this one session has allocated: a server tells that of no other session, it can only log it"
);
statement!(
    WATCH_IDENTITY,
    "watch_identity",
    100_000,
    "none, unless an administrator has revoked the right to execute pg_control_system",
    "which server this is, whatever address it is reached by"
);
statement!(WATCH_ADDRESS, "watch_address", 100_000, "none", "which server this is, told apart from its standbys");
statement!(
    WATCH_SETTLE,
    "watch_settle",
    150_000,
    "none",
    "has the server count the watching session's own login now, so that no later reading contains it"
);
statement!(
    WATCH_COUNTERS,
    "watch_counters",
    140_000,
    "none",
    "cumulative counters of every database, the server's clock, and since when it counts"
);
statement!(
    WATCH_REQUESTS,
    "watch_requests",
    100_000,
    "none",
    "cumulative transactions of every database, the server's clock, and since when it counts"
);
statement!(
    WATCH_SESSIONS,
    "watch_sessions",
    100_000,
    "pg_read_all_stats for sessions of other roles",
    "sessions that are open now: who, from where, since when, at work or idle, encrypted or not; no query text"
);
statement!(
    WATCH_SESSION_COUNT,
    "watch_session_count",
    100_000,
    "pg_read_all_stats for sessions of other roles",
    "how many sessions are open now, and how many of them are at work"
);
statement!(
    HBA_RULES,
    "hba_rules",
    100_000,
    "superuser, or select on pg_hba_file_rules and execute on pg_hba_file_rules()",
    "the rules that decide who may log in, how, and whether without encryption"
);
statement!(
    SESSION_TIME,
    "session_time",
    140_000,
    "none",
    "how long all sessions lasted together, for the mean life of one"
);
statement!(
    CONSOLE_CLIENTS,
    "console_clients",
    0,
    "a user of admin_users or stats_users",
    "clients of PgBouncer: who, from where, since when, waiting or not, encrypted or not"
);
statement!(
    CONSOLE_POOLS,
    "console_pools",
    0,
    "a user of admin_users or stats_users",
    "pools of PgBouncer: clients that wait, how long, and server sessions by state"
);
statement!(
    CONSOLE_TOTALS,
    "console_totals",
    0,
    "a user of admin_users or stats_users",
    "cumulative counters of PgBouncer, by database"
);
statement!(CONSOLE_LISTS, "console_lists", 0, "a user of admin_users or stats_users", "how many clients PgBouncer has");
statement!(
    CONSOLE_CONFIG,
    "console_config",
    0,
    "a user of admin_users or stats_users",
    "settings of PgBouncer that decide who waits and how often it logs in"
);
statement!(
    CONSOLE_SERVERS,
    "console_servers",
    0,
    "a user of admin_users or stats_users",
    "server sessions of PgBouncer: how old they are, and how many are encrypted"
);
statement!(
    CONSOLE_DATABASES,
    "console_databases",
    0,
    "a user of admin_users or stats_users",
    "databases of PgBouncer: sizes of their pools"
);

/// Every statement, in the order in which they are sent.
pub const STATEMENTS: &[Statement] = &[
    PGBOUNCER_VERSION,
    PEER,
    GUARD,
    SERVER,
    SETTINGS,
    VERSION,
    PGPOOL_VERSION,
    LOGIN_TRIGGERS,
    LIMITS,
    COUNTERS,
    OWN_SESSIONS,
    SAMPLE,
    TROUBLES,
    HBA_RULES,
    SESSION_TIME,
    SESSION_MEMORY,
    WATCH_IDENTITY,
    WATCH_ADDRESS,
    WATCH_SETTLE,
    WATCH_COUNTERS,
    WATCH_REQUESTS,
    WATCH_SESSIONS,
    WATCH_SESSION_COUNT,
    CONSOLE_CLIENTS,
    CONSOLE_POOLS,
    CONSOLE_TOTALS,
    CONSOLE_LISTS,
    CONSOLE_CONFIG,
    CONSOLE_SERVERS,
    CONSOLE_DATABASES,
];

impl Statement {
    /// The text as it is sent: the place holder replaced by the quoted name. Without a place holder it is
    /// [`Statement::sql`] itself; only poolers get it without the comment, which their consoles do not understand.
    pub fn text(&self, application_name: &str) -> String {
        self.body().replace(APPLICATION_NAME, &quote_literal(application_name))
    }

    fn body(&self) -> &'static str {
        if self.since_version > 0 {
            return self.sql;
        }
        let comment: usize =
            self.sql.split_inclusive('\n').take_while(|line| line.starts_with("--")).map(str::len).sum();
        self.sql[comment..].trim_end()
    }

    /// Whether this is the text of this statement, whatever the name in it.
    pub fn matches(&self, text: &str) -> bool {
        match self.body().split_once(APPLICATION_NAME) {
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
        "-- What peaje sends to PostgreSQL beside the logins and the query of --query. It only reads.\n\
         -- In psql: \\set application_name peaje\n",
    );
    for statement in STATEMENTS {
        let _ = write!(out, "\n{};\n", statement.sql.trim_end());
    }
    out
}

/// A string literal that means this text whatever `standard_conforming_strings` says.
pub fn quote_literal(text: &str) -> String {
    let quoted = text.replace('\0', "").replace('\'', "''");
    if quoted.contains('\\') { format!("E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
}

/// A quoted name (of a role, a database, …).
pub fn quote_identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

/// The template of the least-privilege script.
pub const GRANTS: &str = include_str!("../sql/grants.sql");

/// The least-privilege script for this role and database.
pub fn grants(role: &str, database: &str) -> String {
    GRANTS.replace(":role", &quote_identifier(role)).replace(":database", &quote_identifier(database))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        for (text, expected) in [
            ("peaje", "'peaje'"),
            ("it's", "'it''s'"),
            ("a\\b", "E'a\\\\b'"),
            ("\\' or 1=1 --", "E'\\\\'' or 1=1 --'"),
            ("", "''"),
            ("nul\0", "'nul'"),
        ] {
            assert_eq!(quote_literal(text), expected);
        }
    }

    #[test]
    fn identifiers() {
        assert_eq!(quote_identifier("o\"brien"), "\"o\"\"brien\"");
    }

    #[test]
    fn every_file_tells_what_its_constant_tells() {
        for statement in STATEMENTS {
            let lines: Vec<&str> = statement.sql.lines().collect();
            assert_eq!(lines[0], format!("-- peaje: {}", statement.purpose), "{}", statement.name);
            let versions = match statement.since_version / 10_000 {
                0 => "any".to_owned(),
                _ if [OWN_SESSIONS, WATCH_REQUESTS].contains(statement) => "10 to 13".to_owned(),
                major => format!("{major} and later"),
            };
            assert_eq!(lines[1], format!("-- versions: {versions}"), "{}", statement.name);
            assert_eq!(lines[2], format!("-- privilege: {}", statement.privilege), "{}", statement.name);
            assert!(lines[3].starts_with("-- reads: "), "{}", statement.name);
            assert!(!statement.sql.contains(';') || lines[4..].iter().all(|l| !l.contains(';')), "one statement");
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
        assert_eq!(PGBOUNCER_VERSION.text("peaje"), "show version");
    }

    #[test]
    fn the_grants_name_role_and_database() {
        let script = grants("pe\"aje", "my db");
        assert!(script.contains("create role \"pe\"\"aje\" login"));
        assert!(script.contains("grant connect on database \"my db\" to \"pe\"\"aje\""));
        assert!(!script.contains(":role") && !script.contains(":database"));
    }
}
