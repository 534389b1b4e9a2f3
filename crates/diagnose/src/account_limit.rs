//! Limits that belong to one account, role or database: the server says "no more" to it, and may have room for others.
//!
//! The outcome is `server-full` all the same, because the client cannot get in. MySQL and MariaDB tell by their code;
//! PostgreSQL has one code (`53300`) for all limits, and only its words, when they are English, tell which it was.

use peaje_model::{Ended, OutcomeCount, OutcomeKind, Run};

use crate::engine;

/// Whom a limit holds back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitOwner {
    /// An account of MySQL or MariaDB.
    Account,
    /// A role of PostgreSQL.
    Role,
    /// A database of PostgreSQL.
    Database,
}

impl LimitOwner {
    /// The word in parameters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Role => "role",
            Self::Database => "database",
        }
    }
}

/// A limit of one account, role or database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountLimit {
    /// Whom it holds back.
    pub owner: LimitOwner,
    /// Its name in the server's own words (`max_user_connections`, `rolconnlimit`); the code when the words name none.
    pub resource: String,
}

/// What MySQL and MariaDB can limit for an account, as they name it.
const RESOURCES: [&str; 6] = [
    "max_user_connections",
    "max_connections_per_hour",
    "max_connections",
    "max_queries_per_hour",
    "max_questions",
    "max_updates",
];

/// PostgreSQL's words, and the column that holds the limit.
const WORDS: [(&str, LimitOwner, &str); 2] = [
    ("too many connections for role", LimitOwner::Role, "rolconnlimit"),
    ("too many connections for database", LimitOwner::Database, "datconnlimit"),
];

/// The limit that turned these operations away; `None` when it was the server's, or when nothing tells.
pub(crate) fn of_outcome(run: &Run, outcome: &OutcomeCount) -> Option<AccountLimit> {
    if outcome.kind != OutcomeKind::ServerFull {
        return None;
    }
    let (code, message) = (outcome.code.as_deref().unwrap_or(""), outcome.message.as_deref().unwrap_or(""));
    if engine::is_postgres(run) {
        return by_words(message);
    }
    let is_account = engine::is_mysql(run) && matches!(code, "1203" | "1226");
    is_account.then(|| {
        let resource = match resource(message) {
            Some(resource) => resource.to_owned(),
            None if code == "1203" => RESOURCES[0].to_owned(),
            None => format!("error {code}"),
        };
        AccountLimit { owner: LimitOwner::Account, resource }
    })
}

/// The limit of an account, role or database that ended the run; `None` when it ended otherwise.
pub fn stopped_at_account_limit(run: &Run) -> Option<AccountLimit> {
    let Ended::Stopped { rule, message } = &run.ended else { return None };
    if rule != OutcomeKind::ServerFull.name() {
        return None;
    }
    let said = if engine::is_postgres(run) { by_words(message) } else { by_resource(run, message) };
    said.or_else(|| only_account_limits(run))
}

/// When each refusal of the load was one of an account.
fn only_account_limits(run: &Run) -> Option<AccountLimit> {
    let outcomes = run.login.iter().flat_map(|login| &login.series).flat_map(|series| &series.outcomes);
    let full = outcomes.filter(|outcome| outcome.kind == OutcomeKind::ServerFull);
    full.map(|outcome| of_outcome(run, outcome)).reduce(Option::and).flatten()
}

fn by_words(message: &str) -> Option<AccountLimit> {
    let (_, owner, column) = WORDS.into_iter().find(|(words, ..)| message.contains(words))?;
    Some(AccountLimit { owner, resource: column.to_owned() })
}

/// MySQL puts the resource in quotes; advice that only mentions one does not.
fn by_resource(run: &Run, message: &str) -> Option<AccountLimit> {
    let resource = resource(message).filter(|_| engine::is_mysql(run))?;
    Some(AccountLimit { owner: LimitOwner::Account, resource: resource.to_owned() })
}

fn resource(message: &str) -> Option<&'static str> {
    RESOURCES.into_iter().find(|name| message.contains(&format!("'{name}'")))
}
