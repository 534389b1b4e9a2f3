//! What PostgreSQL itself tells of the memory of sessions: of the one that asks, and of no other.
//!
//! Memory contexts are what the session has asked its allocator for. Pages of shared buffers that it has touched, its
//! copies of the postmaster's pages and the kernel's own share are not among them, so a session costs its machine more.

use peaje_engine::{Covers, OBSERVE_THERE, SESSION_MEMORY as WHAT, SessionMemory};
use peaje_model::Gap;

use super::SESSION_MEMORY;
use super::session::{Session, number};

/// The first version with the view.
const TELLS_OWN: u32 = 140_000;
/// The first version in which `pg_read_all_stats` is enough.
const TELLS_MONITORS: u32 = 150_000;

/// Reads it; `version` is `server_version_num`, 0 = unknown.
pub(super) async fn read(session: &Session, version: u32) -> Result<SessionMemory, Gap> {
    if (1..TELLS_OWN).contains(&version) {
        return Err(gap("this server does not tell it: PostgreSQL does since version 14"));
    }
    let told = session.row(&SESSION_MEMORY, WHAT).await;
    let row = told.map_err(|gap| if (1..TELLS_MONITORS).contains(&version) { superusers_only(gap) } else { gap })?;
    let count = |column| number(&row, column).and_then(|n| u64::try_from(n).ok());
    let (bytes, open) = count("bytes").zip(count("open_sessions")).ok_or_else(|| gap("the answer holds no number"))?;
    Ok(SessionMemory {
        bytes,
        sessions: 1,
        open,
        covers: Covers::ThisSession,
        source: "pg_backend_memory_contexts".to_owned(),
        gaps: vec![gap("PostgreSQL shows a session its own memory only; that of others it can but write to its log")],
    })
}

fn gap(why: &str) -> Gap {
    Gap { what: WHAT.to_owned(), why: why.to_owned(), next_step: Some(OBSERVE_THERE.to_owned()) }
}

/// No right that could be given helps there.
fn superusers_only(denied: Gap) -> Gap {
    Gap { next_step: Some(OBSERVE_THERE.to_owned()), ..denied }
}
