//! The open sessions from reading to reading.
//!
//! A newcomer would look for the time of a login: neither MySQL nor MariaDB keeps it. What there is: a session is not
//! younger than its present state, nor than any session with a higher number (numbers are given in the order of
//! connections and never again until the server's next start), and it is younger than the last reading that it is not
//! in. Sessions that were open before the watching session logged in have an upper bound only: they may be older.

use std::collections::HashMap;

use peaje_engine::{Apart, SessionRow, SessionState};

use super::listed::Listed;

/// Two times of the same moment differ by no more: the lists have milliseconds or whole seconds.
const SAME_US: i64 = 1_500_000;

/// What the client tells of itself once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Told {
    pub(super) application: String,
    pub(super) process: Option<u64>,
    pub(super) encrypted: Option<bool>,
}

/// What is kept of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    opened_us: i64,
    user: String,
    told: Told,
    sleeps: bool,
    since_us: i64,
    statement: Option<u64>,
    used: bool,
}

/// The sessions of the last reading.
#[derive(Debug, Default)]
pub(super) struct Roster {
    known: HashMap<u64, Known>,
    /// Time of the last reading, and the highest number by then.
    last: Option<(i64, u64)>,
}

impl Roster {
    /// Whether what clients tell once has to be asked for.
    pub(super) fn has_new(&self, listed: &[Listed]) -> bool {
        listed.iter().any(|session| self.known.get(&session.id).is_none_or(|known| known.user != session.user))
    }

    /// The rows of a reading at `now_us`. `told` holds what new sessions tell; `own_id` is the number of the session that
    /// watches; `in_transaction` are sessions with an open transaction.
    pub(super) fn take(
        &mut self,
        mut listed: Vec<Listed>,
        told: &HashMap<u64, Told>,
        in_transaction: &[u64],
        own_id: u64,
        now_us: i64,
    ) -> Vec<SessionRow> {
        listed.sort_unstable_by_key(|session| std::cmp::Reverse(session.id));
        let mut before = std::mem::take(&mut self.known);
        let mut latest_us = now_us;
        let mut rows = Vec::with_capacity(listed.len());
        for session in &listed {
            let known = match before.remove(&session.id) {
                Some(known) => known.goes_on(session, told, now_us),
                None => self.first_seen(session, told, now_us, latest_us),
            };
            // The list begins with the highest number: who comes later in it logged in earlier.
            if session.apart.is_none() {
                latest_us = latest_us.min(known.opened_us);
            }
            rows.push(row(session, &known, in_transaction.contains(&session.id)));
            self.known.insert(session.id, known);
        }
        let highest = listed.first().map_or(own_id, |session| session.id.max(own_id));
        self.last = Some((now_us, self.last.map_or(highest, |(_, before)| before.max(highest))));
        rows.reverse();
        rows
    }

    fn first_seen(&self, session: &Listed, told: &HashMap<u64, Told>, now_us: i64, latest_us: i64) -> Known {
        let since_us = now_us - session.for_us;
        let mut opened_us = since_us.min(latest_us);
        if let Some((last_us, _)) = self.last.filter(|(_, highest)| session.id > *highest) {
            opened_us = opened_us.max(last_us.min(now_us));
        }
        Known {
            opened_us,
            user: session.user.clone(),
            told: told.get(&session.id).cloned().unwrap_or_default(),
            sleeps: session.sleeps,
            since_us: since_us.max(opened_us),
            statement: session.statement,
            used: !session.sleeps,
        }
    }
}

impl Known {
    /// The same session a reading later.
    fn goes_on(mut self, session: &Listed, told: &HashMap<u64, Told>, now_us: i64) -> Self {
        let since_us = (now_us - session.for_us).max(self.opened_us);
        let moved = session.sleeps != self.sleeps
            || session.statement != self.statement
            || (since_us - self.since_us).abs() > SAME_US;
        if moved {
            self.since_us = since_us;
            self.used = true;
        }
        (self.sleeps, self.statement) = (session.sleeps, session.statement);
        if self.user != session.user {
            // Another user has taken over the connection.
            self.user.clone_from(&session.user);
            self.told = told.get(&session.id).cloned().unwrap_or_default();
        }
        self
    }
}

fn row(session: &Listed, known: &Known, in_transaction: bool) -> SessionRow {
    let application = known.told.application.clone();
    let state = match (session.sleeps, in_transaction) {
        (false, _) => SessionState::Active,
        (true, false) => SessionState::Idle,
        (true, true) => SessionState::IdleInTransaction,
    };
    let used = known.used || state != SessionState::Idle;
    SessionRow {
        id: session.id,
        opened_us: known.opened_us,
        user: session.user.clone(),
        host: session.host.clone(),
        database: session.database.clone(),
        process: known.told.process,
        state,
        since_us: Some(known.since_us),
        // A statement between the login and the first reading is not seen.
        used: used.then_some(true),
        encrypted: session.encrypted.or(known.told.encrypted),
        authentication: None,
        apart: session.apart.or_else(|| is_peajes(&application).then_some(Apart::Peaje)),
        application,
    }
}

/// Whether a program name is one that peaje gives itself.
fn is_peajes(application: &str) -> bool {
    application == "peaje" || application.starts_with("peaje ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;
    const OWN: u64 = 50;

    fn listed(id: u64, for_s: i64) -> Listed {
        Listed {
            id,
            user: "shop".to_owned(),
            host: "web1".to_owned(),
            database: "orders".to_owned(),
            is_connection: true,
            sleeps: true,
            for_us: for_s * SECOND,
            statement: Some(1),
            encrypted: None,
            apart: None,
        }
    }

    fn take(roster: &mut Roster, listed: Vec<Listed>, now_s: i64) -> Vec<SessionRow> {
        roster.take(listed, &HashMap::new(), &[], OWN, now_s * SECOND)
    }

    fn opened(rows: &[SessionRow]) -> Vec<(u64, i64)> {
        rows.iter().map(|row| (row.id, row.opened_us / SECOND)).collect()
    }

    #[test]
    fn who_was_there_before_is_at_least_as_old_as_its_state_and_as_those_after_it() {
        let mut roster = Roster::default();
        let rows = take(&mut roster, vec![listed(3, 1), listed(7, 600), listed(9, 5), listed(60, 0)], 1000);
        assert_eq!(opened(&rows), [(3, 400), (7, 400), (9, 995), (60, 1000)]);
    }

    #[test]
    fn who_comes_between_two_readings_logged_in_between_them() {
        let mut roster = Roster::default();
        take(&mut roster, vec![listed(9, 5)], 1000);
        // Busy at once; idle since its login; with a time in its state from before, by rounding.
        let rows = take(&mut roster, vec![listed(9, 0), listed(51, 7), listed(52, 4), listed(53, 11)], 1010);
        assert_eq!(opened(&rows)[1..], [(51, 1000), (52, 1000), (53, 1000)]);
        let rows = take(&mut roster, vec![listed(51, 17), listed(54, 3), listed(55, 4)], 1020);
        assert_eq!(opened(&rows), [(51, 1000), (54, 1016), (55, 1016)], "number 54 is not younger than number 55");
        // One that was under way at the last reading.
        let rows = take(&mut roster, vec![listed(40, 0), listed(55, 14)], 1030);
        assert_eq!(opened(&rows), [(40, 1016), (55, 1016)]);
    }

    #[test]
    fn a_session_keeps_its_time_and_rounding_moves_nothing() {
        let mut roster = Roster::default();
        let first = take(&mut roster, vec![listed(60, 3)], 1000);
        let second = take(&mut roster, vec![listed(60, 12)], 1010);
        assert_eq!(second, first, "twelve or thirteen seconds are the same");
        assert_eq!(second[0].used, None);
        let third = take(&mut roster, vec![Listed { statement: Some(2), ..listed(60, 20) }], 1020);
        assert_eq!((third[0].opened_us, third[0].used), (first[0].opened_us, Some(true)), "another statement");
        assert_eq!(third[0].since_us, Some(1000 * SECOND));
        let fourth = take(&mut roster, vec![Listed { sleeps: false, statement: Some(2), ..listed(60, 0) }], 1030);
        assert_eq!((fourth[0].state, fourth[0].since_us), (SessionState::Active, Some(1030 * SECOND)));
    }

    #[test]
    fn states_and_whom_it_does_not_count() {
        let mut roster = Roster::default();
        let told = Told { application: "peaje CHG1".to_owned(), process: Some(7), encrypted: Some(true) };
        let told = HashMap::from([(2, told)]);
        let rows = roster.take(vec![listed(1, 5), listed(2, 5)], &told, &[1], OWN, 1000 * SECOND);
        assert_eq!((rows[0].state, rows[0].used, rows[0].apart), (SessionState::IdleInTransaction, Some(true), None));
        assert_eq!((rows[1].process, rows[1].encrypted, rows[1].apart), (Some(7), Some(true), Some(Apart::Peaje)));
        assert!(!roster.has_new(&[listed(1, 9)]) && roster.has_new(&[listed(3, 0)]));
        let other = Listed { user: "ana".to_owned(), ..listed(2, 0) };
        assert!(roster.has_new(std::slice::from_ref(&other)));
        let rows = roster.take(vec![other], &HashMap::new(), &[], OWN, 1010 * SECOND);
        assert_eq!((rows[0].application.as_str(), rows[0].user.as_str()), ("", "ana"));
    }
}
