//! The observer's session: statements out, rows in, and a clear end when an answer does not come.

use std::collections::HashMap;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{Gap, OutcomeKind};

use super::Statement;
use super::failure::gap;
use crate::login::{MysqlConnector, MysqlSession};

/// Longer than the server's own limit of 5 s, so that the server is the one to say no.
const CLIENT_LIMIT: Duration = Duration::from_secs(8);
/// A goodbye that takes longer is not waited for.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// A row: values by column name, `None` = null.
pub(super) type Row = HashMap<String, Option<String>>;

/// A logged-in session; dropping it closes its socket.
pub(super) struct Session {
    connector: MysqlConnector,
    inner: MysqlSession,
    /// Why nothing can be asked any more. Set while an answer is read, too: if it stays set, the rest of that answer
    /// would be taken for the next one.
    ended: Option<Failure>,
    /// Statements sent so far, which the server counts among its own.
    asked: u64,
    /// Account, for the words of gaps.
    pub(super) user: String,
    /// Value for the place holder of statements.
    pub(super) program_name: String,
}

impl Session {
    pub(super) fn new(connector: MysqlConnector, session: MysqlSession, user: String, program_name: String) -> Self {
        Self { connector, inner: session, ended: None, asked: 0, user, program_name }
    }

    /// The session as the login made it.
    pub(super) fn login(&self) -> &MysqlSession {
        &self.inner
    }

    /// Statements sent so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked
    }

    /// Why nothing can be asked any more; `None` = the server waits for the next statement.
    pub(super) fn ended(&self) -> Option<&Failure> {
        self.ended.as_ref()
    }

    /// Sends a statement and reads its rows.
    pub(super) async fn rows(&mut self, statement: &Statement, what: &str) -> Result<Vec<Row>, Gap> {
        self.ask(statement).await.map_err(|failure| gap(what, &failure, &self.user))
    }

    async fn ask(&mut self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        if let Some(failure) = &self.ended {
            return Err(failure.clone());
        }
        self.ended = Some(Failure::new(OutcomeKind::Protocol, "an earlier answer was not read to its end"));
        self.asked += 1;
        let text = statement.text(&self.program_name);
        let mut trace = Trace::start();
        let answer = tokio::time::timeout(CLIENT_LIMIT, self.inner.rows(&text, &mut trace)).await;
        let no_answer =
            || Failure::new(OutcomeKind::TimedOut, format!("no answer within {} s", CLIENT_LIMIT.as_secs()));
        let answer = answer.unwrap_or_else(|_| Err(no_answer()));
        self.ended = answer.as_ref().err().filter(|failure| !is_refusal(failure)).cloned();
        let found = answer?;
        let row = |values| found.columns.iter().cloned().zip::<Vec<Option<String>>>(values).collect();
        Ok(found.rows.into_iter().map(row).collect())
    }

    /// The only row.
    pub(super) async fn row(&mut self, statement: &Statement, what: &str) -> Result<Row, Gap> {
        let rows = self.rows(statement, what).await?;
        rows.into_iter().next().ok_or_else(|| without_answer(what, "the server answered without a row".to_owned()))
    }

    /// Says goodbye, so that the server does not count the session as aborted.
    pub(super) async fn close(self) {
        let Self { connector, inner, ended, .. } = self;
        if ended.is_none() {
            let mut trace = Trace::start();
            let _ = tokio::time::timeout(CLOSE_LIMIT, connector.close(inner, &mut trace)).await;
        }
    }
}

/// Errors that the server sends as the last word of a session: shut down, killed, idle for too long.
const LAST_WORDS: [&str; 3] = ["1053", "1927", "4031"];

/// Whether the server said no and waits for the next statement. Any other failure is the session's end.
fn is_refusal(failure: &Failure) -> bool {
    failure.kind == OutcomeKind::Rejected && !failure.code.as_deref().is_some_and(|code| LAST_WORDS.contains(&code))
}

fn without_answer(what: &str, why: String) -> Gap {
    Gap { what: what.to_owned(), why, next_step: None }
}

/// A value that must be a number.
pub(super) fn number(row: &Row, column: &str) -> Option<i64> {
    text(row, column)?.parse().ok()
}

/// A count.
pub(super) fn unsigned(row: &Row, column: &str) -> Option<u64> {
    text(row, column)?.parse().ok()
}

/// A value as text.
pub(super) fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column)?.as_deref()
}
