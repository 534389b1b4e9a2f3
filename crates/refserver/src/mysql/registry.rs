//! Who is logged in: what `show processlist` shows.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// All sessions.
#[derive(Debug)]
pub(crate) struct Registry {
    sessions: Mutex<HashMap<u64, Arc<Entry>>>,
    started: Instant,
}

/// What others see of a session.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: u64,
    pub(crate) user: String,
    pub(crate) host: String,
    database: Mutex<String>,
    /// Of its last statement, milliseconds since the server's start.
    active_at: AtomicU64,
}

/// A session's place in the registry, until it is dropped.
#[derive(Debug)]
pub(crate) struct Registered<'a> {
    registry: &'a Registry,
    pub(crate) entry: Arc<Entry>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self { sessions: Mutex::default(), started: Instant::now() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<Entry>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    pub(crate) fn enter(&self, id: u64, user: String, host: String, database: String) -> Registered<'_> {
        let active_at = AtomicU64::new(self.now());
        let entry = Arc::new(Entry { id, user, host, database: Mutex::new(database), active_at });
        self.lock().insert(id, entry.clone());
        Registered { registry: self, entry }
    }

    /// All sessions, the oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<Entry>> {
        let mut all: Vec<_> = self.lock().values().cloned().collect();
        all.sort_unstable_by_key(|entry| entry.id);
        all
    }

    /// Sessions of a user that began after session `id`.
    pub(crate) fn younger(&self, user: &str, id: u64) -> u64 {
        self.lock().values().filter(|entry| entry.user == user && entry.id > id).count() as u64
    }

    /// Sessions of a user.
    pub(crate) fn of_user(&self, user: &str) -> u64 {
        self.lock().values().filter(|entry| entry.user == user).count() as u64
    }

    /// Seconds since a session's last statement.
    pub(crate) fn idle_s(&self, entry: &Entry) -> u64 {
        self.now().saturating_sub(entry.active_at.load(Relaxed)) / 1000
    }
}

impl Entry {
    pub(crate) fn database(&self) -> String {
        self.database.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_database(&self, name: &str) {
        name.clone_into(&mut self.database.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Registered<'_> {
    /// The session runs a statement now.
    pub(crate) fn touch(&self) {
        self.entry.active_at.store(self.registry.now(), Relaxed);
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        let mut sessions = self.registry.lock();
        // Another user may have taken over the connection: its entry has the same number.
        if sessions.get(&self.entry.id).is_some_and(|entry| Arc::ptr_eq(entry, &self.entry)) {
            sessions.remove(&self.entry.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_seen_from_their_login_to_their_end() {
        let registry = Registry::new();
        let enter = |id, user: &str| registry.enter(id, user.into(), "h".into(), String::new());
        let (a, b, c) = (enter(3, "ana"), enter(1, "ana"), enter(2, "eve"));
        assert_eq!(registry.all().iter().map(|e| e.id).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((registry.of_user("ana"), registry.younger("ana", 1), registry.younger("ana", 3)), (2, 1, 0));
        b.entry.set_database("shop");
        assert_eq!(registry.all()[0].database(), "shop");
        drop((a, c));
        assert_eq!(registry.all().len(), 1);
        let other = enter(1, "eve");
        drop(b);
        assert_eq!(registry.all().iter().map(|e| e.user.as_str()).collect::<Vec<_>>(), ["eve"]);
        drop(other);
        assert!(registry.all().is_empty());
    }
}
