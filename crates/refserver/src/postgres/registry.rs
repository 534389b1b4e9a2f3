//! Who is logged in: what `pg_stat_activity` and `pg_stat_ssl` would show.
//!
//! A newcomer would keep one list under one lock: each login and each logout would wait for it. There are several, and
//! what a session does is written without any lock.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use peaje_postgres::protocol::backend::TransactionStatus;

use super::session::Identity;

/// Lists; logins spread over them by their number.
const LISTS: usize = 16;

type List = HashMap<u64, Arc<Entry>>;

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    lists: [Mutex<List>; LISTS],
    /// How long the sessions lasted that have ended, microseconds.
    ended_us: AtomicI64,
}

/// What a session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Doing {
    Idle,
    Active,
    IdleInTransaction,
    IdleInFailedTransaction,
}

/// What others see of a session.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) identity: Arc<Identity>,
    pub(crate) client: SocketAddr,
    pub(crate) encrypted: bool,
    /// Microseconds since 1970.
    pub(crate) opened_us: i64,
    application_name: Mutex<String>,
    doing: AtomicU8,
    since_us: AtomicI64,
    used: AtomicBool,
}

/// A session's place in the list, until it is dropped.
#[derive(Debug)]
pub(crate) struct Registered<'a> {
    registry: &'a Registry,
    entry: Arc<Entry>,
}

impl Registry {
    fn list(&self, number: u64) -> MutexGuard<'_, List> {
        // The remainder is below 16.
        locked(&self.lists[(number % LISTS as u64) as usize])
    }

    pub(crate) fn enter(
        &self,
        identity: Arc<Identity>,
        application_name: &str,
        client: SocketAddr,
        encrypted: bool,
    ) -> Registered<'_> {
        let (number, opened_us) = (identity.number, unix_us(SystemTime::now()));
        let entry = Arc::new(Entry {
            identity,
            client,
            encrypted,
            opened_us,
            application_name: Mutex::new(application_name.to_owned()),
            doing: AtomicU8::new(Doing::Idle as u8),
            since_us: AtomicI64::new(opened_us),
            used: AtomicBool::new(false),
        });
        self.list(number).insert(number, entry.clone());
        Registered { registry: self, entry }
    }

    /// All sessions but the one with this number, the oldest first.
    pub(crate) fn others(&self, number: u64) -> Vec<Arc<Entry>> {
        let mut all: Vec<_> =
            self.lists.iter().flat_map(|list| locked(list).values().cloned().collect::<Vec<_>>()).collect();
        all.retain(|entry| entry.identity.number != number);
        all.sort_unstable_by_key(|entry| entry.identity.number);
        all
    }

    /// How long all sessions have lasted together; the time since a session last changed what it does is not in it, as
    /// in a PostgreSQL.
    pub(crate) fn session_time_us(&self) -> i64 {
        let open = self.others(0);
        let lasting: i64 = open.iter().map(|entry| entry.state().1 - entry.opened_us).sum();
        self.ended_us.load(Relaxed) + lasting
    }
}

impl Entry {
    pub(crate) fn application_name(&self) -> String {
        locked(&self.application_name).clone()
    }

    pub(crate) fn used(&self) -> bool {
        self.used.load(Relaxed)
    }

    /// The view's word, and since when it holds.
    pub(crate) fn state(&self) -> (&'static str, i64) {
        let word = match self.doing.load(Relaxed) {
            doing if doing == Doing::Active as u8 => "active",
            doing if doing == Doing::IdleInTransaction as u8 => "idle in transaction",
            doing if doing == Doing::IdleInFailedTransaction as u8 => "idle in transaction (aborted)",
            _ => "idle",
        };
        (word, self.since_us.load(Relaxed))
    }
}

impl Registered<'_> {
    pub(crate) fn call_itself(&self, application_name: &str) {
        application_name.clone_into(&mut locked(&self.entry.application_name));
    }

    /// A request has come.
    pub(crate) fn works(&self) {
        self.entry.used.store(true, Relaxed);
        self.does(Doing::Active);
    }

    /// It has been answered.
    pub(crate) fn waits(&self, status: TransactionStatus) {
        self.does(match status {
            TransactionStatus::Idle => Doing::Idle,
            TransactionStatus::InTransaction => Doing::IdleInTransaction,
            TransactionStatus::Failed => Doing::IdleInFailedTransaction,
        });
    }

    fn does(&self, doing: Doing) {
        if self.entry.doing.swap(doing as u8, Relaxed) != doing as u8 {
            self.entry.since_us.store(unix_us(SystemTime::now()), Relaxed);
        }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        let (number, opened_us) = (self.entry.identity.number, self.entry.opened_us);
        self.registry.list(number).remove(&number);
        self.registry.ended_us.fetch_add((unix_us(SystemTime::now()) - opened_us).max(0), Relaxed);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Microseconds since 1970.
pub(crate) fn unix_us(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_seen_from_their_login_to_their_end() {
        let registry = Registry::default();
        let client = SocketAddr::from(([127, 0, 0, 1], 5));
        let enter = |number| {
            let identity = Identity::new("ana".into(), "shop".into(), 0, number);
            registry.enter(Arc::new(identity), "psql", client, false)
        };
        let numbers = |but| registry.others(but).iter().map(|e| e.identity.number).collect::<Vec<_>>();
        let (a, b, c) = (enter(3), enter(1), enter(19));
        assert_eq!((numbers(0), numbers(3)), (vec![1, 3, 19], vec![1, 19]));

        let seen = &registry.others(0)[0];
        assert_eq!((seen.state(), seen.used()), (("idle", seen.opened_us), false));
        b.works();
        assert_eq!((seen.state().0, seen.used()), ("active", true));
        b.waits(TransactionStatus::InTransaction);
        assert_eq!(seen.state().0, "idle in transaction");
        b.waits(TransactionStatus::Failed);
        assert_eq!(seen.state().0, "idle in transaction (aborted)");
        b.call_itself("other");
        assert_eq!(seen.application_name(), "other");
        drop((a, c));
        assert_eq!(numbers(0), [1]);
        let so_far = registry.session_time_us();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert_eq!(registry.session_time_us(), so_far);
        drop(b);
        assert!(registry.session_time_us() >= so_far + 2_000);
    }
}
