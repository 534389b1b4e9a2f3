//! The observer's session: statements out, rows in, and a clear end when an answer does not come.

use std::collections::HashMap;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::Gap;

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
    /// Set while an answer is read: if it stays set, the rest of that answer would be taken for the next one.
    broken: bool,
    /// Account, for the words of gaps.
    pub(super) user: String,
    /// Value for the place holder of statements.
    pub(super) program_name: String,
}

impl Session {
    pub(super) fn new(connector: MysqlConnector, session: MysqlSession, user: String, program_name: String) -> Self {
        Self { connector, inner: session, broken: false, user, program_name }
    }

    /// The session as the login made it.
    pub(super) fn login(&self) -> &MysqlSession {
        &self.inner
    }

    /// Sends a statement and reads its rows.
    pub(super) async fn rows(&mut self, statement: &Statement, what: &str) -> Result<Vec<Row>, Gap> {
        if self.broken {
            return Err(without_answer(what, "an earlier answer was not read to its end".to_owned()));
        }
        self.broken = true;
        let text = statement.text(&self.program_name);
        let mut trace = Trace::start();
        let answer = tokio::time::timeout(CLIENT_LIMIT, self.inner.rows(&text, &mut trace)).await;
        let Ok(answer) = answer else {
            return Err(without_answer(what, format!("no answer within {} s", CLIENT_LIMIT.as_secs())));
        };
        match answer {
            Ok(found) => {
                self.broken = false;
                let row = |values| found.columns.iter().cloned().zip::<Vec<Option<String>>>(values).collect();
                Ok(found.rows.into_iter().map(row).collect())
            }
            Err(failure) => {
                self.broken = !is_refusal(&failure);
                Err(gap(what, &failure, &self.user))
            }
        }
    }

    /// The only row.
    pub(super) async fn row(&mut self, statement: &Statement, what: &str) -> Result<Row, Gap> {
        let rows = self.rows(statement, what).await?;
        rows.into_iter().next().ok_or_else(|| without_answer(what, "the server answered without a row".to_owned()))
    }

    /// Says goodbye, so that the server does not count the session as aborted.
    pub(super) async fn close(self) {
        let Self { connector, inner, broken, .. } = self;
        if !broken {
            let mut trace = Trace::start();
            let _ = tokio::time::timeout(CLOSE_LIMIT, connector.close(inner, &mut trace)).await;
        }
    }
}

/// Whether the server said no and waits for the next statement. Any other failure is the session's end.
fn is_refusal(failure: &Failure) -> bool {
    failure.kind == peaje_model::OutcomeKind::Rejected
}

fn without_answer(what: &str, why: String) -> Gap {
    Gap { what: what.to_owned(), why, next_step: None }
}

/// A value that must be a number.
pub(super) fn number(row: &Row, column: &str) -> Option<i64> {
    text(row, column)?.parse().ok()
}

/// A value as text.
pub(super) fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column)?.as_deref()
}
