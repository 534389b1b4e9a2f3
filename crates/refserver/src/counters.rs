//! What the server counts. Every connection ends in exactly one of logins, failed, abandoned and cancels, or is still
//! on its way: `accepted = logins + failed + abandoned + cancels + logging_in`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::area::{Area, Word};
use crate::seats::{Bit, Left, Seats};

/// The server's counters at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RefCounters {
    /// Connections accepted.
    pub accepted: u64,
    /// Logins that reached "ready for a query".
    pub logins: u64,
    /// Logins that the server ended: rejected, server full, TLS failed, protocol broken, too slow, faults.
    pub failed: u64,
    /// Connections that the client left before its login was decided.
    pub abandoned: u64,
    /// Connections that only carried a request to cancel a query.
    pub cancels: u64,
    /// Connections whose login is not yet decided.
    pub logging_in: u64,
    /// Sessions open now.
    pub sessions_now: u64,
    /// Sessions open now that are encrypted.
    pub encrypted_now: u64,
    /// Full TLS handshakes.
    pub tls_full: u64,
    /// Resumed TLS handshakes.
    pub tls_resumed: u64,
    /// Logins for which the password itself came to the server (`caching_sha2_password`, `sha256_password`).
    pub auth_full: u64,
    /// Logins that `caching_sha2_password` answered from its cache.
    pub auth_cached: u64,
    /// Sessions that the server ended: protocol broken, faults.
    pub sessions_ended: u64,
}

/// The counters as they are counted: relaxed atomics, no lock in the way of a login, shared by all processes of the server.
#[derive(Debug, Clone)]
pub(crate) struct Counters {
    pub(crate) accepted: Word,
    pub(crate) logins: Word,
    pub(crate) failed: Word,
    pub(crate) abandoned: Word,
    pub(crate) cancels: Word,
    pub(crate) logging_in: Word,
    pub(crate) sessions: Word,
    pub(crate) encrypted: Word,
    pub(crate) tls_full: Word,
    pub(crate) tls_resumed: Word,
    pub(crate) auth_full: Word,
    pub(crate) auth_cached: Word,
    pub(crate) sessions_ended: Word,
}

impl Counters {
    /// The area's first words.
    pub(crate) fn new(area: &mut Area) -> Self {
        Self {
            accepted: area.word(),
            logins: area.word(),
            failed: area.word(),
            abandoned: area.word(),
            cancels: area.word(),
            logging_in: area.word(),
            sessions: area.word(),
            encrypted: area.word(),
            tls_full: area.word(),
            tls_resumed: area.word(),
            auth_full: area.word(),
            auth_cached: area.word(),
            sessions_ended: area.word(),
        }
    }

    pub(crate) fn read(&self) -> RefCounters {
        RefCounters {
            accepted: self.accepted.load(Relaxed),
            logins: self.logins.load(Relaxed),
            failed: self.failed.load(Relaxed),
            abandoned: self.abandoned.load(Relaxed),
            cancels: self.cancels.load(Relaxed),
            logging_in: self.logging_in.load(Relaxed),
            sessions_now: self.sessions.load(Relaxed),
            encrypted_now: self.encrypted.load(Relaxed),
            tls_full: self.tls_full.load(Relaxed),
            tls_resumed: self.tls_resumed.load(Relaxed),
            auth_full: self.auth_full.load(Relaxed),
            auth_cached: self.auth_cached.load(Relaxed),
            sessions_ended: self.sessions_ended.load(Relaxed),
        }
    }

    /// Takes a place for the connection on this seat; `None` when all `limit` places are taken.
    pub(crate) fn take_place<'a>(&'a self, limit: u64, seats: &'a Seats, at: usize) -> Option<Count<'a>> {
        let before = self.sessions.fetch_add(1, Relaxed);
        let place = Count::begun(&self.sessions, Bit::Place, seats, at);
        (before < limit).then_some(place)
    }

    /// Corrects what a connection counted whose process is gone without a word.
    pub(crate) fn lost(&self, left: &Left) {
        let gauges =
            [(Bit::LoggingIn, &self.logging_in), (Bit::Place, &self.sessions), (Bit::Encrypted, &self.encrypted)];
        for (_, gauge) in gauges.iter().filter(|(bit, _)| bit.of(left.key)) {
            gauge.fetch_sub(1, Relaxed);
        }
        let end = if Bit::Listed.of(left.key) { &self.sessions_ended } else { &self.failed };
        if Bit::Listed.of(left.key) || Bit::LoggingIn.of(left.key) {
            end.fetch_add(1, Relaxed);
        }
    }
}

/// One more in a gauge, until it is dropped. The seat says so, for whoever finds its process dead.
#[derive(Debug)]
pub(crate) struct Count<'a> {
    gauge: &'a AtomicU64,
    key: &'a AtomicU64,
    bit: Bit,
}

impl<'a> Count<'a> {
    pub(crate) fn of(gauge: &'a AtomicU64, bit: Bit, seats: &'a Seats, at: usize) -> Self {
        gauge.fetch_add(1, Relaxed);
        Self::begun(gauge, bit, seats, at)
    }

    fn begun(gauge: &'a AtomicU64, bit: Bit, seats: &'a Seats, at: usize) -> Self {
        let key = seats.key(at);
        key.fetch_or(bit as u64, Relaxed);
        Self { gauge, key, bit }
    }
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.key.fetch_and(!(self.bit as u64), Relaxed);
        self.gauge.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::seats::Who;

    fn with_seats(count: usize) -> (Counters, Arc<Seats>) {
        let mut area = Area::private(count).unwrap();
        (Counters::new(&mut area), Arc::new(Seats::new(&mut area)))
    }

    #[test]
    fn places_are_limited_and_given_back() {
        let (counters, seats) = with_seats(3);
        let first = counters.take_place(2, &seats, 0);
        let second = counters.take_place(2, &seats, 1);
        assert!(first.is_some() && second.is_some());
        assert!(counters.take_place(2, &seats, 2).is_none());
        assert_eq!(counters.read().sessions_now, 2);
        drop(first);
        assert!(counters.take_place(2, &seats, 2).is_some());
    }

    #[test]
    fn a_process_that_dies_takes_its_counts_with_it() {
        let (counters, seats) = with_seats(2);
        let die = |at: usize| {
            let left = seats.clear(at);
            counters.lost(&left);
            // A second look finds nothing.
            counters.lost(&seats.clear(at));
        };
        let seat = seats.take(1).unwrap();
        let at = seat.at();
        std::mem::forget(Count::of(&counters.logging_in, Bit::LoggingIn, &seats, at));
        std::mem::forget(counters.take_place(9, &seats, at));
        die(at);
        let read = counters.read();
        assert_eq!((read.logging_in, read.sessions_now, read.failed, read.sessions_ended), (0, 0, 1, 0));

        std::mem::forget(counters.take_place(9, &seats, at));
        std::mem::forget(Count::of(&counters.encrypted, Bit::Encrypted, &seats, at));
        std::mem::forget(seats.list(at, &Who::default()));
        die(at);
        let read = counters.read();
        assert_eq!((read.sessions_now, read.encrypted_now, read.failed, read.sessions_ended), (0, 0, 1, 1));
    }
}
