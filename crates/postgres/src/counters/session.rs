//! One session of the driver: text protocol only, because poolers and the reference server speak it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use peaje_model::Gap;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::Statement;
use super::failure::{Refusal, gap, refusal, silent};
use super::table::Table;

/// Longer than the server's own limit of 5 s, so that the server is the one to say no.
const CLIENT_LIMIT: Duration = Duration::from_secs(8);

/// A row: values by column name, `None` = null.
pub(super) type Row = HashMap<String, Option<String>>;

/// A logged-in driver session; dropping it ends its task and closes its socket.
pub(super) struct Session {
    client: Client,
    task: SessionTask,
    /// Role, for the words of gaps.
    pub(super) role: String,
    /// Value for the place holder of statements.
    pub(super) application_name: String,
    sent: AtomicU64,
}

impl Session {
    pub(super) fn new(client: Client, task: JoinHandle<()>, role: String, application_name: String) -> Self {
        Self { client, task: SessionTask(task), role, application_name, sent: AtomicU64::new(0) }
    }

    /// Statements sent so far: each is a transaction in the server's counters.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// Sends a statement, and tells a statement that is refused from a session that is lost.
    pub(super) async fn ask(&self, statement: &Statement, what: &str) -> Result<Table, Refusal> {
        self.sent.fetch_add(1, Relaxed);
        let text = statement.text(&self.application_name);
        match tokio::time::timeout(CLIENT_LIMIT, self.client.simple_query(&text)).await {
            Ok(Ok(messages)) => Ok(Table::new(messages)),
            Ok(Err(error)) => Err(refusal(what, &error, &self.role)),
            Err(_) => Err(silent(what, CLIENT_LIMIT)),
        }
    }

    /// Sends a statement and reads its rows.
    pub(super) async fn rows(&self, statement: &Statement, what: &str) -> Result<Vec<Row>, Gap> {
        self.sent.fetch_add(1, Relaxed);
        let text = statement.text(&self.application_name);
        let answer = tokio::time::timeout(CLIENT_LIMIT, self.client.simple_query(&text)).await;
        let messages = answer
            .map_err(|_| Gap {
                what: what.to_owned(),
                why: format!("no answer within {} s", CLIENT_LIMIT.as_secs()),
                next_step: None,
            })?
            .map_err(|error| gap(what, &error, &self.role))?;
        Ok(messages.iter().filter_map(row).collect())
    }

    /// The only row.
    pub(super) async fn row(&self, statement: &Statement, what: &str) -> Result<Row, Gap> {
        self.rows(statement, what).await?.into_iter().next().ok_or_else(|| Gap {
            what: what.to_owned(),
            why: "the server answered without a row".to_owned(),
            next_step: None,
        })
    }

    /// Says goodbye, so that the server does not count the session as abandoned.
    pub(super) async fn close(self) {
        let Self { client, mut task, .. } = self;
        drop(client);
        // When it takes too long, dropping the task ends it.
        let _ = tokio::time::timeout(Duration::from_secs(2), &mut task.0).await;
    }
}

/// The driver's task: it must not outlive the session.
struct SessionTask(JoinHandle<()>);

impl Drop for SessionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn row(message: &SimpleQueryMessage) -> Option<Row> {
    let SimpleQueryMessage::Row(row) = message else { return None };
    let names = row.columns().iter().map(|column| column.name().to_owned());
    Some(names.enumerate().map(|(i, name)| (name, row.get(i).map(str::to_owned))).collect())
}

/// A value that must be a number.
pub(super) fn number(row: &Row, column: &str) -> Option<i64> {
    // Ages and instants come with a fraction.
    let text = row.get(column)?.as_deref()?;
    text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|v| v as i64))
}

/// A value as text.
pub(super) fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column)?.as_deref()
}
