//! The server's counters at one moment, and which server that is.

use peaje_engine::Failure;
use peaje_model::OutcomeKind;

use super::sums::Counts;
use crate::counters::failure::Refusal;
use crate::counters::session::Session;
use crate::counters::{WATCH_ADDRESS, WATCH_COUNTERS, WATCH_IDENTITY, WATCH_REQUESTS};

/// The first version that counts logins.
pub(super) const COUNTS_LOGINS: u32 = 140_000;

/// Transactions, logins, ends without a goodbye.
pub(super) type DatabaseCounts = Counts<u32, 3>;

/// One reading of the counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) clock_us: i64,
    pub(super) started_us: i64,
    /// When the server's statistics were cleared as a whole: at its creation, and after a crash.
    pub(super) cleared_us: i64,
    pub(super) databases: Vec<DatabaseCounts>,
}

impl Account {
    pub(super) async fn read(session: &Session, version: u32) -> Result<Self, Failure> {
        let statement = if version < COUNTS_LOGINS { WATCH_REQUESTS } else { WATCH_COUNTERS };
        let table = session.ask(&statement, "pg_stat_database").await.map_err(Refusal::fatal)?;
        let columns = ["clock_us", "started_us", "cleared_us", "databases"].map(|name| table.column(&[name]));
        let parsed = table.lines().next().and_then(|line| {
            Some(Self {
                clock_us: line.number(columns[0])?,
                started_us: line.number(columns[1])?,
                cleared_us: line.number(columns[2]).unwrap_or(0),
                databases: databases(line.text(columns[3])?)?,
            })
        });
        parsed.ok_or_else(|| {
            Failure::new(OutcomeKind::Protocol, "pg_stat_database: the server's answer is not what was asked for")
        })
    }

    /// The origin of the counters, in the same words for every session that watches as long as nothing is reset or
    /// dropped. `last` is the one that no longer holds.
    pub(super) fn origin(&self, last: Option<&str>) -> String {
        let reset_us = self.databases.iter().map(|database| database.reset).max().unwrap_or(0);
        let origin = format!("cleared {}, reset {reset_us}", self.cleared_us);
        // Counters fell, and no reset is noted anywhere.
        if last == Some(origin.as_str()) { format!("{origin}, noticed {}", self.clock_us) } else { origin }
    }

    /// Since when most logins have been counted: each database has its own answer.
    pub(super) fn since_us(&self) -> Option<i64> {
        let since = |database: &DatabaseCounts| match database.reset {
            0 => self.cleared_us,
            reset => reset,
        };
        let busiest = since(self.databases.iter().max_by_key(|database| database.values[1])?);
        let logins = |all: bool| -> u64 {
            let counted = self.databases.iter().filter(|database| all || since(database) == busiest);
            counted.map(|database| database.values[1]).sum()
        };
        // Where the others make more than a tenth of them, an average over all would be of nothing.
        (busiest > 0 && logins(true) > 0 && logins(false) * 10 >= logins(true) * 9).then_some(busiest)
    }
}

/// `OID:RESET:TRANSACTIONS[:LOGINS:ENDS]`, separated by blanks.
fn databases(text: &str) -> Option<Vec<DatabaseCounts>> {
    text.split_ascii_whitespace().map(database).collect()
}

fn database(text: &str) -> Option<DatabaseCounts> {
    let mut fields = text.split(':');
    let key = fields.next()?.parse().ok()?;
    let reset = fields.next()?.parse().ok()?;
    let mut values = [0; 3];
    for value in &mut values {
        // Counters are signed in the server, and a corrupt one may be negative.
        *value = fields.next().map_or(Some(0), |field| field.parse::<i64>().ok()?.try_into().ok())?;
    }
    Some(Counts { key, reset, values })
}

/// What stays the same over a restart. A standby has the identifier of its primary: its address tells them apart.
pub(super) async fn name(session: &Session) -> Result<String, Failure> {
    let mut name = first(session.ask(&WATCH_IDENTITY, "pg_control_system()").await, "system_identifier")?
        .unwrap_or_else(|| "PostgreSQL".to_owned());
    let answer = session.ask(&WATCH_ADDRESS, "the server's address").await;
    let table = match answer {
        Ok(table) => table,
        Err(Refusal::Lost(failure)) => return Err(failure),
        Err(Refusal::Refused(_)) => return Ok(name),
    };
    let columns = ["address", "port", "cluster"].map(|name| table.column(&[name]));
    if let Some(line) = table.lines().next() {
        let [address, port, cluster] = columns.map(|column| line.text(column).unwrap_or_default());
        name = format!("{name} at {address}:{port}");
        if !cluster.is_empty() {
            name = format!("{name} ({cluster})");
        }
    }
    Ok(name)
}

fn first(answer: Result<crate::counters::table::Table, Refusal>, column: &str) -> Result<Option<String>, Failure> {
    match answer {
        Ok(table) => {
            let column = table.column(&[column]);
            Ok(table.lines().next().and_then(|line| line.text(column)).map(str::to_owned))
        }
        Err(Refusal::Lost(failure)) => Err(failure),
        Err(Refusal::Refused(_)) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_when_is_said_where_one_answer_holds_for_most_logins() {
        let since = |databases: &[(i64, u64)]| {
            let databases = (0..).zip(databases).map(|(key, (reset, logins))| Counts {
                key,
                reset: *reset,
                values: [0, *logins, 0],
            });
            Account { clock_us: 9, started_us: 1, cleared_us: 5, databases: databases.collect() }.since_us()
        };
        for (databases, expected) in [
            (&[(0, 100), (0, 7)][..], Some(5)),
            (&[(0, 100), (8, 7)], Some(5)),
            (&[(0, 100), (8, 900)], Some(8)),
            (&[(0, 100), (8, 300)], None),
            (&[(0, 0)], None),
            (&[], None),
        ] {
            assert_eq!(since(databases), expected, "{databases:?}");
        }
    }

    #[test]
    fn another_origin_has_other_words() {
        let account = |cleared_us, reset| Account {
            clock_us: 9,
            started_us: 1,
            cleared_us,
            databases: vec![Counts { key: 1, reset, values: [0; 3] }],
        };
        let first = account(5, 0).origin(None);
        assert_eq!(account(5, 0).origin(None), first);
        for other in [account(5, 7), account(6, 0), account(5, 0)] {
            assert_ne!(other.origin(Some(&first)), first);
        }
    }

    #[test]
    fn databases_are_read_and_what_is_broken_is_no_zero() {
        let row = |key, reset, values| Counts { key, reset, values };
        assert_eq!(
            databases("0:0:0:0:0 5:1796071615374108:12:3:1 1:0:7"),
            Some(vec![row(0, 0, [0; 3]), row(5, 1_796_071_615_374_108, [12, 3, 1]), row(1, 0, [7, 0, 0])])
        );
        for broken in ["x", "5", "5:0:x:3:1", "5:0:1:-3:1", "5:0:12:"] {
            assert_eq!(databases(broken), None, "{broken}");
        }
    }
}
