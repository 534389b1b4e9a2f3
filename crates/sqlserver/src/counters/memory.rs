//! What SQL Server itself tells of the memory of sessions.
//!
//! Each session has pages of its own, and a clerk keeps what connections need. Whether the clerk's pages are among those
//! of the sessions the documentation does not say: the larger of both counts, never their sum. Buffers of network
//! packets are another clerk's.

use peaje_engine::{Covers, OBSERVE_THERE, SESSION_MEMORY as WHAT, SessionMemory};
use peaje_model::Gap;

use super::opened::{Opened, count};
use super::rights::Right;
use super::row::Row;
use super::{SESSION_MEMORY, facts};

/// `memory_usage` counts pages of 8 KB.
const PAGE: u64 = 8 << 10;

/// Reads it.
pub(super) async fn read(opened: &mut Opened) -> Result<SessionMemory, Gap> {
    if !facts::applies(SESSION_MEMORY.versions, &opened.server) {
        return Err(Gap {
            what: WHAT.to_owned(),
            why: "this server does not tell it: SQL Server does since 2012, Azure SQL Database does not".to_owned(),
            next_step: None,
        });
    }
    opened
        .rights
        .need(WHAT, Right::PerformanceState)
        .map_err(|gap| Gap { next_step: gap.next_step.map(|step| format!("{step}, or {OBSERVE_THERE}")), ..gap })?;
    told(&opened.session.row(&SESSION_MEMORY, WHAT).await?)
}

fn told(row: &Row) -> Result<SessionMemory, Gap> {
    let sessions = count(row, "sessions")?;
    // A clerk that has nothing has no row.
    let kb = |column| row.count(column).unwrap_or(0).saturating_mul(1 << 10);
    let own = row.count("session_pages").unwrap_or(0).saturating_mul(PAGE);
    Ok(SessionMemory {
        bytes: own.max(kb("connections_kb")).saturating_add(kb("packets_kb")),
        sessions,
        open: sessions,
        covers: Covers::EverySession,
        source: "sys.dm_exec_sessions.memory_usage or MEMORYCLERK_SQLCONNECTIONPOOL, and OBJECTSTORE_SNI_PACKET"
            .to_owned(),
        gaps: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_account_and_the_packets() {
        let row = |pages, kb, packets| {
            let pairs = [("sessions", "5"), ("session_pages", pages), ("connections_kb", kb), ("packets_kb", packets)];
            told(&Row::of(&pairs)).expect("whole").bytes
        };
        assert_eq!(row("10", "100", "8"), 100 * 1024 + 8 * 1024);
        assert_eq!(row("20", "100", "8"), 160 * 1024 + 8 * 1024);
        assert_eq!(row("", "", ""), 0);
        assert!(told(&Row::default()).is_err());
    }
}
