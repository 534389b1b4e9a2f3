//! Who is logged in: what `sys.dm_exec_sessions` and `sys.dm_exec_connections` would show.
//!
//! A newcomer would keep one list under one lock: each login and each logout would wait for it. There are several, and
//! what a session does is written without any lock.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Lists; logins spread over them by their number.
const LISTS: usize = 16;
/// What the real server shows as the time of a request that never was: 1900-01-01, milliseconds since 1970.
const NEVER_MS: i64 = -2_208_988_800_000;

type List = HashMap<u64, Arc<Entry>>;

/// All sessions.
#[derive(Debug, Default)]
pub(super) struct Registry {
    lists: [Mutex<List>; LISTS],
}

/// Who is at the other end of a session.
#[derive(Debug, Clone)]
pub(super) struct Who {
    /// Number of the connection.
    pub(super) number: u64,
    pub(super) spid: u16,
    pub(super) user: String,
    pub(super) program: String,
    pub(super) host: String,
    /// 0 = it does not say.
    pub(super) process: u32,
    pub(super) client: SocketAddr,
    pub(super) encrypted: bool,
}

/// What others see of a session.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) who: Who,
    pub(super) connected_ms: i64,
    database: Mutex<String>,
    works: AtomicBool,
    /// How many transactions are begun.
    transactions: AtomicU32,
    request_started_ms: AtomicI64,
    request_ended_ms: AtomicI64,
}

/// A session's place in the list, until it is dropped.
#[derive(Debug)]
pub(super) struct Registered<'a> {
    registry: &'a Registry,
    entry: Arc<Entry>,
}

impl Registry {
    fn list(&self, number: u64) -> MutexGuard<'_, List> {
        // The remainder is below 16.
        locked(&self.lists[(number % LISTS as u64) as usize])
    }

    pub(super) fn enter(&self, who: Who, database: &str) -> Registered<'_> {
        let number = who.number;
        let entry = Arc::new(Entry {
            who,
            connected_ms: unix_ms(SystemTime::now()),
            database: Mutex::new(database.to_owned()),
            works: AtomicBool::new(false),
            transactions: AtomicU32::new(0),
            request_started_ms: AtomicI64::new(NEVER_MS),
            request_ended_ms: AtomicI64::new(NEVER_MS),
        });
        self.list(number).insert(number, entry.clone());
        Registered { registry: self, entry }
    }

    /// All sessions but the one with this number, the oldest first.
    pub(super) fn others(&self, number: u64) -> Vec<Arc<Entry>> {
        let mut all: Vec<_> =
            self.lists.iter().flat_map(|list| locked(list).values().cloned().collect::<Vec<_>>()).collect();
        all.retain(|entry| entry.who.number != number);
        all.sort_unstable_by_key(|entry| entry.who.number);
        all
    }
}

impl Entry {
    pub(super) fn database(&self) -> String {
        locked(&self.database).clone()
    }

    /// The view's word for what it does.
    pub(super) fn status(&self) -> &'static str {
        if self.works.load(Relaxed) { "running" } else { "sleeping" }
    }

    pub(super) fn transactions(&self) -> u32 {
        self.transactions.load(Relaxed)
    }

    /// Begin and end of its last request, milliseconds since 1970.
    pub(super) fn last_request_ms(&self) -> (i64, i64) {
        (self.request_started_ms.load(Relaxed), self.request_ended_ms.load(Relaxed))
    }
}

impl Registered<'_> {
    /// A request has come.
    pub(super) fn works(&self) {
        self.entry.request_started_ms.store(unix_ms(SystemTime::now()), Relaxed);
        self.entry.works.store(true, Relaxed);
    }

    /// The session waits for its next request, with so many transactions begun, in this database.
    pub(super) fn waits(&self, transactions: u32, database: &str) {
        if !self.entry.works.swap(false, Relaxed) {
            return;
        }
        self.entry.request_ended_ms.store(unix_ms(SystemTime::now()), Relaxed);
        self.entry.transactions.store(transactions, Relaxed);
        let mut shown = locked(&self.entry.database);
        if *shown != database {
            database.clone_into(&mut shown);
        }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        let number = self.entry.who.number;
        self.registry.list(number).remove(&number);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Milliseconds since 1970.
pub(super) fn unix_ms(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_seen_from_their_login_to_their_end() {
        let registry = Registry::default();
        let enter = |number| {
            let who = Who {
                number,
                spid: 51,
                user: "sa".into(),
                program: "tsql".into(),
                host: "web1".into(),
                process: 7,
                client: SocketAddr::from(([127, 0, 0, 1], 5)),
                encrypted: false,
            };
            registry.enter(who, "master")
        };
        let numbers = |but| registry.others(but).iter().map(|e| e.who.number).collect::<Vec<_>>();
        let (a, b, c) = (enter(3), enter(1), enter(19));
        assert_eq!((numbers(0), numbers(3)), (vec![1, 3, 19], vec![1, 19]));

        let seen = &registry.others(0)[0];
        assert_eq!((seen.status(), seen.last_request_ms()), ("sleeping", (NEVER_MS, NEVER_MS)));
        b.works();
        assert_eq!(seen.status(), "running");
        assert!(seen.last_request_ms().0 >= seen.connected_ms);
        b.waits(1, "sales");
        assert_eq!((seen.status(), seen.transactions(), seen.database()), ("sleeping", 1, "sales".to_owned()));
        assert!(seen.last_request_ms().1 >= seen.last_request_ms().0);
        drop((a, c));
        assert_eq!(numbers(0), [1]);
    }
}
