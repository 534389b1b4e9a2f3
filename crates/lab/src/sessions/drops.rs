//! Sessions that the server ended, by its reason.

use std::collections::BTreeMap;

use peaje_engine::Failure;
use peaje_model::{DroppedSessions, OutcomeKind};

/// The reason of a server that closed without a word.
const CLOSED: &str = "closed";

/// Counts by reason.
#[derive(Debug, Clone, Default)]
pub(super) struct Drops(BTreeMap<String, (Option<String>, u64)>);

impl Drops {
    /// The server has ended a session.
    pub(super) fn add(&mut self, failure: &Failure) {
        let (reason, message) = reason(failure);
        self.count(reason, message, 1);
    }

    /// Counts that were made elsewhere.
    pub(super) fn merge(&mut self, list: &[DroppedSessions]) {
        for dropped in list {
            self.count(dropped.reason.clone(), dropped.message.clone(), dropped.count);
        }
    }

    fn count(&mut self, reason: String, message: Option<String>, count: u64) {
        let entry = self.0.entry(reason).or_default();
        entry.1 += count;
        if entry.0.is_none() {
            entry.0 = message;
        }
    }

    /// The most frequent reason first.
    pub(super) fn list(&self) -> Vec<DroppedSessions> {
        let entry = |(reason, (message, count)): (&String, &(Option<String>, u64))| DroppedSessions {
            reason: reason.clone(),
            message: message.clone(),
            count: *count,
        };
        let mut list: Vec<DroppedSessions> = self.0.iter().map(entry).collect();
        list.sort_by_key(|dropped| std::cmp::Reverse(dropped.count));
        list
    }

    /// Gives the counts, and begins anew.
    pub(super) fn take(&mut self) -> Vec<DroppedSessions> {
        std::mem::take(self).list()
    }
}

/// The server's code and words. Codes of the operating system are no words of the server.
fn reason(failure: &Failure) -> (String, Option<String>) {
    let code = failure.code.as_ref().filter(|code| !is_system(code));
    match (code, failure.kind) {
        (Some(code), _) => (code.clone(), Some(failure.message.clone())),
        (None, OutcomeKind::Protocol) => ("protocol".to_owned(), Some(failure.message.clone())),
        (None, OutcomeKind::TimedOut) => ("no-answer".to_owned(), Some(failure.message.clone())),
        (None, _) => (CLOSED.to_owned(), None),
    }
}

/// `ECONNRESET` and the like: no server's code is made of capital letters only and begins so.
fn is_system(code: &str) -> bool {
    code.starts_with('E') && code.bytes().all(|b| b.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_the_servers() {
        let new = Failure::new;
        let table = [
            (new(OutcomeKind::Reset, "by the administrator").code("57P01"), "57P01", Some("by the administrator")),
            (new(OutcomeKind::Reset, "idle for too long").code("4031"), "4031", Some("idle for too long")),
            (new(OutcomeKind::Reset, "the server closed the connection"), "closed", None),
            (new(OutcomeKind::Reset, "Connection reset by peer").code("ECONNRESET"), "closed", None),
            (new(OutcomeKind::Protocol, "nonsense"), "protocol", Some("nonsense")),
            (new(OutcomeKind::TimedOut, "no answer"), "no-answer", Some("no answer")),
        ];
        for (failure, code, message) in table {
            let got = reason(&failure);
            assert_eq!((got.0.as_str(), got.1.as_deref()), (code, message));
        }
    }

    #[test]
    fn counts_add_up_over_threads() {
        let closed = Failure::new(OutcomeKind::Reset, "closed");
        let said = Failure::new(OutcomeKind::Reset, "shutdown").code("57P01");
        let (mut all, mut other) = (Drops::default(), Drops::default());
        all.add(&closed);
        for _ in 0..3 {
            other.add(&said);
        }
        other.add(&closed);
        all.merge(&other.take());
        assert_eq!(other.take(), []);
        let counts: Vec<(String, u64)> = all.list().into_iter().map(|d| (d.reason, d.count)).collect();
        assert_eq!(counts, [("57P01".to_owned(), 3), ("closed".to_owned(), 2)]);
    }
}
