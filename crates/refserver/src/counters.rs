//! What the server counts. Every connection ends in exactly one of logins, failed, abandoned and cancels, or is still
//! on its way: `accepted = logins + failed + abandoned + cancels + logging_in`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

/// The counters as they are counted: relaxed atomics, no lock in the way of a login.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) accepted: AtomicU64,
    pub(crate) logins: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) abandoned: AtomicU64,
    pub(crate) cancels: AtomicU64,
    pub(crate) logging_in: AtomicU64,
    pub(crate) sessions: AtomicU64,
    pub(crate) encrypted: AtomicU64,
    pub(crate) tls_full: AtomicU64,
    pub(crate) tls_resumed: AtomicU64,
    pub(crate) auth_full: AtomicU64,
    pub(crate) auth_cached: AtomicU64,
    pub(crate) sessions_ended: AtomicU64,
}

impl Counters {
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

    /// Takes a place for a session; `None` when all `limit` places are taken.
    pub(crate) fn take_place(&self, limit: u64) -> Option<Count<'_>> {
        let before = self.sessions.fetch_add(1, Relaxed);
        let place = Count(&self.sessions);
        (before < limit).then_some(place)
    }
}

/// One more in a gauge, until it is dropped.
#[derive(Debug)]
pub(crate) struct Count<'a>(&'a AtomicU64);

impl<'a> Count<'a> {
    pub(crate) fn of(gauge: &'a AtomicU64) -> Self {
        gauge.fetch_add(1, Relaxed);
        Self(gauge)
    }
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_limited_and_given_back() {
        let counters = Counters::default();
        let first = counters.take_place(2);
        let second = counters.take_place(2);
        assert!(first.is_some() && second.is_some());
        assert!(counters.take_place(2).is_none());
        assert_eq!(counters.read().sessions_now, 2);
        drop(first);
        assert!(counters.take_place(2).is_some());
    }
}
