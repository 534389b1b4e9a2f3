//! What MySQL and MariaDB themselves tell of the memory of sessions.
//!
//! MariaDB counts it for each session, of which an account without PROCESS sees its own. MySQL counts it by what it is
//! for, sessions and all else together: only its growth says what a session takes. Neither counts the threads' stacks.

use peaje_engine::{Covers, OBSERVE_THERE, SESSION_MEMORY as WHAT, SessionMemory};
use peaje_model::Gap;

use super::arithmetic::Counting;
use super::opened::Opened;
use super::rights::View;
use super::session::{Row, number, unsigned};
use super::{SESSION_MEMORY_MARIADB, SESSION_MEMORY_MYSQL};

/// Reads it.
pub(super) async fn read(opened: &mut Opened) -> Result<SessionMemory, Gap> {
    match opened.counting {
        Counting::MariaDb => mariadb(&opened.session.row(&SESSION_MEMORY_MARIADB, WHAT).await?),
        Counting::MySql => {
            opened.rights.need(View::Memory).map_err(|gap| Gap { what: WHAT.to_owned(), ..gap })?;
            mysql(&opened.session.row(&SESSION_MEMORY_MYSQL, WHAT).await?)
        }
    }
}

fn mariadb(row: &Row) -> Result<SessionMemory, Gap> {
    let sessions = unsigned(row, "sessions").ok_or_else(no_number)?;
    Ok(SessionMemory {
        bytes: bytes(row, "bytes")?,
        sessions,
        // The list was made a moment before or after.
        open: unsigned(row, "connected").ok_or_else(no_number)?.max(sessions),
        covers: Covers::EverySession,
        source: "information_schema.processlist.memory_used".to_owned(),
        gaps: Vec::new(),
    })
}

fn mysql(row: &Row) -> Result<SessionMemory, Gap> {
    if bytes(row, "counted")? == 0 {
        return Err(Gap {
            what: WHAT.to_owned(),
            why: "the memory instruments of the performance schema are off, as they are by default before MySQL 8.0"
                .to_owned(),
            next_step: Some(format!(
                "start the server with performance-schema-instrument='memory/%=COUNTED', or {OBSERVE_THERE}"
            )),
        });
    }
    let open = unsigned(row, "connected").ok_or_else(no_number)?;
    Ok(SessionMemory {
        bytes: bytes(row, "bytes")?,
        sessions: open,
        open,
        covers: Covers::WholeServer,
        source: "performance_schema.memory_summary_global_by_event_name (without InnoDB)".to_owned(),
        gaps: Vec::new(),
    })
}

/// What was given back by another thread than had asked for it makes single counts negative.
fn bytes(row: &Row, column: &str) -> Result<u64, Gap> {
    number(row, column).map(|bytes| u64::try_from(bytes).unwrap_or(0)).ok_or_else(no_number)
}

fn no_number() -> Gap {
    Gap { what: WHAT.to_owned(), why: "the server's answer holds no number there".to_owned(), next_step: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))).collect()
    }

    #[test]
    fn sessions_of_mariadb() {
        let told = mariadb(&row(&[("bytes", "163840"), ("sessions", "3"), ("connected", "2")])).expect("whole");
        assert_eq!((told.bytes, told.sessions, told.open, told.covers), (163_840, 3, 3, Covers::EverySession));
        assert_eq!(mariadb(&row(&[("bytes", "-5"), ("sessions", "1"), ("connected", "9")])).map(|m| m.bytes), Ok(0));
        assert!(mariadb(&row(&[("bytes", "7"), ("sessions", "x"), ("connected", "2")])).is_err());
    }

    #[test]
    fn the_whole_of_mysql_unless_it_does_not_count() {
        let told = mysql(&row(&[("bytes", "900"), ("counted", "100"), ("connected", "7")])).expect("whole");
        assert_eq!((told.bytes, told.sessions, told.covers), (900, 7, Covers::WholeServer));
        let gap = mysql(&row(&[("bytes", "900"), ("counted", "0"), ("connected", "7")])).expect_err("5.7");
        assert!(gap.next_step.is_some_and(|step| step.contains("memory/%")));
    }
}
