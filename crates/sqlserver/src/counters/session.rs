//! The observing session: statements out, rows and gaps in.

use std::net::SocketAddr;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace, civil_from_days};
use peaje_model::{Gap, OutcomeKind};

use super::Statement;
use super::row::Row;
use crate::login::{SqlServerConnector, SqlServerSession};
use crate::protocol::types::Value;

/// SQL Server has no limit of its own for a statement: this one ends the session.
const LIMIT: Duration = Duration::from_secs(8);
/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// A session that reads.
pub(super) struct Session {
    connector: SqlServerConnector,
    /// `None` = it has ended, or an answer is being read.
    inner: Option<SqlServerSession>,
    /// Why nothing can be asked any more.
    ended: Option<Failure>,
    /// Statements sent so far, which the server counts among its own.
    asked: u64,
    /// Login name, for the words of gaps.
    pub(super) login: String,
    /// This end of the connection.
    pub(super) local: Option<SocketAddr>,
    /// Value for the place holder of statements.
    program_name: String,
}

impl Session {
    pub(super) fn new(
        connector: SqlServerConnector,
        inner: SqlServerSession,
        login: String,
        program_name: String,
    ) -> Self {
        let local = inner.local_address();
        Self { connector, inner: Some(inner), ended: None, asked: 0, login, local, program_name }
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
        self.ask(statement).await.map_err(|failure| Gap {
            what: what.to_owned(),
            why: failure.words(),
            next_step: next_step(&failure, &self.login),
        })
    }

    async fn ask(&mut self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        let over = || Failure::new(OutcomeKind::Protocol, "the observing session has ended");
        // It is put back only after an answer that was read to its end: the rest would be taken for the next one's.
        let Some(mut session) = self.inner.take() else { return Err(self.ended.clone().unwrap_or_else(over)) };
        self.ended = Some(over());
        self.asked += 1;
        let answer = tokio::time::timeout(LIMIT, session.query_named(&statement.text(&self.program_name))).await;
        let no_answer = |_| Err(Failure::new(OutcomeKind::TimedOut, format!("no answer within {} s", LIMIT.as_secs())));
        let answer = answer.unwrap_or_else(no_answer);
        self.ended = answer.as_ref().err().filter(|failure| failure.kind != OutcomeKind::Rejected).cloned();
        if self.ended.is_none() {
            self.inner = Some(session);
        }
        let row = |row: Vec<(String, Value)>| Row::new(row.into_iter().map(|(name, value)| (name, text(&value))));
        Ok(answer?.into_iter().map(row).collect())
    }

    /// The only row.
    pub(super) async fn row(&mut self, statement: &Statement, what: &str) -> Result<Row, Gap> {
        self.rows(statement, what).await?.into_iter().next().ok_or_else(|| Gap {
            what: what.to_owned(),
            why: "the server answered without a row".to_owned(),
            next_step: None,
        })
    }

    /// Says goodbye.
    pub(super) async fn close(self) {
        if let Some(session) = self.inner {
            let mut trace = Trace::start();
            let _ = tokio::time::timeout(GOODBYE, self.connector.close(session, &mut trace)).await;
        }
    }
}

/// What would mend a denied statement. The rights of views are known beforehand; this is for procedures.
fn next_step(failure: &Failure, login: &str) -> Option<String> {
    let to = super::quote_identifier(login);
    match failure.code.as_deref() {
        Some("229") => Some(format!("grant execute on master.dbo.xp_instance_regread to {to}")),
        Some("297" | "300") => Some(format!("grant view server state to {to}")),
        _ => failure.hint.clone(),
    }
}

/// What is missing when the observer cannot log in at all.
pub fn gap_of(failure: &Failure) -> Gap {
    Gap {
        what: "the server's own counters".to_owned(),
        why: format!("the observing session could not log in: {}", failure.words()),
        next_step: failure.hint.clone(),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Text(text) => Some(text.clone()),
        Value::DateTime(us) => Some(moment(*us)),
        Value::Float(number) => Some(number.to_string()),
        other => other.as_i64().map(|n| n.to_string()),
    }
}

/// `2026-01-31 12:00:00.123`, as the server writes its own clock.
fn moment(us: i64) -> String {
    const DAY: i64 = 86_400_000_000;
    let (year, month, day) = civil_from_days(us.div_euclid(DAY));
    let rest = us.rem_euclid(DAY) / 1000;
    let (seconds, milliseconds) = (rest / 1000, rest % 1000);
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02}.{milliseconds:03}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_text() {
        for (value, expected) in [
            (Value::Null, None),
            (Value::Int(-7), Some("-7")),
            (Value::Bit(true), Some("1")),
            (Value::Decimal { digits: 700, scale: 2 }, Some("7")),
            (Value::Text("x".to_owned()), Some("x")),
            (Value::Other(98), None),
            // 2024-02-29 is day 19,782.
            (Value::DateTime(19_782 * 86_400_000_000 + 3_723_004_999), Some("2024-02-29 01:02:03.004")),
            (Value::DateTime(-1), Some("1969-12-31 23:59:59.999")),
        ] {
            assert_eq!(text(&value).as_deref(), expected, "{value:?}");
        }
    }

    #[test]
    fn a_denied_procedure_says_what_would_mend_it() {
        let denied = Failure::new(OutcomeKind::Rejected, "The EXECUTE permission was denied").code("229");
        let mend = "grant execute on master.dbo.xp_instance_regread to [o]]brien]";
        assert_eq!(next_step(&denied, "o]brien").as_deref(), Some(mend));
        let locked = Failure::new(OutcomeKind::Rejected, "Lock request time out period exceeded.").code("1222");
        assert_eq!(next_step(&locked, "ann"), None);
        assert!(gap_of(&locked).why.ends_with("(1222)"));
    }
}
