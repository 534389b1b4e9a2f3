//! What outlives a watching session that is lost: the sessions it knew.
//!
//! A newcomer would begin anew after the next login. The times of logins are estimated from what was seen (see
//! `roster`): another estimate would make of each session another one, and of a lost connection a wave of logins.

use std::sync::{Mutex, PoisonError};

use peaje_engine::ServerIdentity;

use super::roster::Roster;

/// Servers remembered at most; the oldest is forgotten.
const MOST: usize = 256;

static KEPT: Mutex<Vec<(String, Option<i64>, Roster)>> = Mutex::new(Vec::new());

/// The sessions of the server that answered last. Dropped, it leaves them to the next watching session.
#[derive(Debug, Default)]
pub(super) struct Memory {
    server: Option<ServerIdentity>,
    pub(super) roster: Roster,
}

impl Memory {
    /// A reading of this server follows: another one's sessions are others.
    pub(super) fn turn_to(&mut self, server: ServerIdentity) {
        let same = |known: &ServerIdentity| (&known.name, known.started_us) == (&server.name, server.started_us);
        if !self.server.as_ref().is_some_and(same) {
            self.roster = recall(&server).unwrap_or_default();
            self.server = Some(server);
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let Some(server) = self.server.take() else { return };
        let mut kept = kept();
        kept.retain(|(name, ..)| *name != server.name);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((server.name, server.started_us, std::mem::take(&mut self.roster)));
    }
}

fn kept() -> std::sync::MutexGuard<'static, Vec<(String, Option<i64>, Roster)>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sessions last seen on this server since this start: numbers begin anew at the next one.
fn recall(server: &ServerIdentity) -> Option<Roster> {
    let mut kept = kept();
    let at = kept.iter().position(|(name, ..)| *name == server.name)?;
    let (_, started_us, roster) = kept.remove(at);
    let same = started_us.zip(server.started_us).is_some_and(|(was, is)| was.abs_diff(is) <= 1_000_000);
    same.then_some(roster)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_kept_for_the_same_start_of_the_same_server() {
        let server = |name: &str, started_us| ServerIdentity {
            name: format!("test of the memory, {name}"),
            started_us: Some(started_us),
            origin: String::new(),
        };
        for name in ["a", "b"] {
            Memory::default().turn_to(server(name, 5_000_000));
        }
        assert!(recall(&server("c", 5_000_000)).is_none());
        assert!(recall(&server("a", 6_000_000)).is_some(), "a second is rounding");
        assert!(recall(&server("a", 5_000_000)).is_none(), "it is given once");
        assert!(recall(&server("b", 9_000_000)).is_none(), "another start");
    }
}
