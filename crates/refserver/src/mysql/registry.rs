//! Who is logged in: what `show processlist` shows, and the views that peaje's watching session reads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::reply::status::IN_TRANSACTION;

/// Accounts that are counted at most, however many users clients make up.
const MOST_ACCOUNTS: usize = 1024;

/// All sessions.
#[derive(Debug)]
pub(crate) struct Registry {
    lists: Mutex<Lists>,
    started: Instant,
}

#[derive(Debug, Default)]
struct Lists {
    sessions: HashMap<u64, Arc<Entry>>,
    accounts: HashMap<Account, Logins>,
}

/// User and host.
type Account = (String, String);

/// What an account has had since the server's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Logins {
    pub(crate) total: u64,
    /// How long its sessions lasted that have ended.
    pub(crate) connected_ms: u64,
}

/// Who is at the other end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Who {
    pub(crate) user: String,
    /// Address and port.
    pub(crate) host: String,
    pub(crate) program: String,
    /// Its process, if it says so.
    pub(crate) process: Option<u64>,
    pub(crate) encrypted: bool,
}

/// What others see of a session.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: u64,
    pub(crate) who: Who,
    database: Mutex<String>,
    works: AtomicBool,
    in_transaction: AtomicBool,
    /// Since when it works or waits, milliseconds since the server's start.
    since_ms: AtomicU64,
    opened_ms: u64,
    /// Number of its last statement.
    statement: AtomicU64,
}

/// A session's place in the registry, until it is dropped.
#[derive(Debug)]
pub(crate) struct Registered<'a> {
    registry: &'a Registry,
    pub(crate) entry: Arc<Entry>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self { lists: Mutex::default(), started: Instant::now() }
    }

    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    pub(crate) fn enter(&self, id: u64, who: Who, database: String) -> Registered<'_> {
        let now_ms = self.now_ms();
        let account = who.account();
        let entry = Arc::new(Entry {
            id,
            who,
            database: Mutex::new(database),
            works: AtomicBool::new(false),
            in_transaction: AtomicBool::new(false),
            since_ms: AtomicU64::new(now_ms),
            opened_ms: now_ms,
            statement: AtomicU64::new(0),
        });
        let mut lists = self.lock();
        lists.sessions.insert(id, entry.clone());
        if lists.accounts.len() < MOST_ACCOUNTS || lists.accounts.contains_key(&account) {
            lists.accounts.entry(account).or_default().total += 1;
        }
        Registered { registry: self, entry }
    }

    /// All sessions, the oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<Entry>> {
        let mut all: Vec<_> = self.lock().sessions.values().cloned().collect();
        all.sort_unstable_by_key(|entry| entry.id);
        all
    }

    /// Logins of each account, in the order of their names.
    pub(crate) fn accounts(&self) -> Vec<(Account, Logins)> {
        let mut all: Vec<_> = self.lock().accounts.iter().map(|(account, logins)| (account.clone(), *logins)).collect();
        all.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        all
    }

    /// Sessions of a user that began after session `id`.
    pub(crate) fn younger(&self, user: &str, id: u64) -> u64 {
        self.lock().sessions.values().filter(|entry| entry.who.user == user && entry.id > id).count() as u64
    }

    /// Sessions of a user.
    pub(crate) fn of_user(&self, user: &str) -> u64 {
        self.lock().sessions.values().filter(|entry| entry.who.user == user).count() as u64
    }

    /// For how long a session has been working or waiting, milliseconds.
    pub(crate) fn in_state_ms(&self, entry: &Entry) -> u64 {
        self.now_ms().saturating_sub(entry.since_ms.load(Relaxed))
    }
}

impl Who {
    /// The address without its port.
    pub(crate) fn address(&self) -> &str {
        self.host.rsplit_once(':').map_or(self.host.as_str(), |(address, _)| address)
    }

    fn account(&self) -> Account {
        (self.user.clone(), self.address().to_owned())
    }
}

impl Entry {
    pub(crate) fn database(&self) -> String {
        self.database.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_database(&self, name: &str) {
        name.clone_into(&mut self.database.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether it runs a statement.
    pub(crate) fn works(&self) -> bool {
        self.works.load(Relaxed)
    }

    /// Whether it holds a transaction open.
    pub(crate) fn is_in_transaction(&self) -> bool {
        self.in_transaction.load(Relaxed)
    }

    /// How many statements it has had.
    pub(crate) fn statement(&self) -> u64 {
        self.statement.load(Relaxed)
    }
}

impl Registered<'_> {
    /// The session runs a statement now.
    pub(crate) fn works(&self) {
        self.entry.statement.fetch_add(1, Relaxed);
        self.entry.works.store(true, Relaxed);
        self.entry.since_ms.store(self.registry.now_ms(), Relaxed);
    }

    /// The session waits for its next statement, in this status.
    pub(crate) fn waits(&self, status: u16) {
        self.entry.in_transaction.store(status & IN_TRANSACTION != 0, Relaxed);
        if self.entry.works.swap(false, Relaxed) {
            self.entry.since_ms.store(self.registry.now_ms(), Relaxed);
        }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        let lasted_ms = self.registry.now_ms().saturating_sub(self.entry.opened_ms);
        let mut lists = self.registry.lock();
        if let Some(logins) = lists.accounts.get_mut(&self.entry.who.account()) {
            logins.connected_ms += lasted_ms;
        }
        // Another user may have taken over the connection: its entry has the same number.
        if lists.sessions.get(&self.entry.id).is_some_and(|entry| Arc::ptr_eq(entry, &self.entry)) {
            lists.sessions.remove(&self.entry.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(user: &str) -> Who {
        Who { user: user.into(), host: "h:1".into(), ..Who::default() }
    }

    #[test]
    fn accounts_are_counted_and_states_seen() {
        let registry = Registry::new();
        let a = registry.enter(1, who("ana"), String::new());
        drop(registry.enter(2, who("ana"), String::new()));
        let totals: Vec<_> = registry.accounts().into_iter().map(|(account, logins)| (account, logins.total)).collect();
        assert_eq!(totals, [(("ana".to_owned(), "h".to_owned()), 2)]);
        let seen = registry.all().remove(0);
        assert_eq!((seen.works(), seen.statement()), (false, 0));
        a.works();
        assert_eq!((seen.works(), seen.statement()), (true, 1));
        a.waits(IN_TRANSACTION);
        assert!(!seen.works() && seen.is_in_transaction());
        for n in 0..5000 {
            drop(registry.enter(3, who(&format!("user {n}")), String::new()));
        }
        assert_eq!(registry.accounts().len(), MOST_ACCOUNTS);
    }

    #[test]
    fn sessions_are_seen_from_their_login_to_their_end() {
        let registry = Registry::new();
        let enter = |id, user: &str| registry.enter(id, who(user), String::new());
        let (a, b, c) = (enter(3, "ana"), enter(1, "ana"), enter(2, "eve"));
        assert_eq!(registry.all().iter().map(|e| e.id).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((registry.of_user("ana"), registry.younger("ana", 1), registry.younger("ana", 3)), (2, 1, 0));
        b.entry.set_database("shop");
        assert_eq!(registry.all()[0].database(), "shop");
        drop((a, c));
        assert_eq!(registry.all().len(), 1);
        let other = enter(1, "eve");
        drop(b);
        assert_eq!(registry.all().iter().map(|e| e.who.user.as_str()).collect::<Vec<_>>(), ["eve"]);
        drop(other);
        assert!(registry.all().is_empty());
    }
}
