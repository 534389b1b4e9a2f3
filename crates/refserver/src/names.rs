//! Sessions by program name: what `application_name` of `pg_stat_activity` is asked for.
//!
//! A newcomer would lock a map at each login. Each server thread remembers the last name it looked up, so that a run
//! under one name takes the lock once; the number of names is bounded, however many a client makes up.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

const MOST_NAMES: usize = 1024;

/// Sessions under one name.
#[derive(Debug, Default)]
pub(crate) struct NameCount {
    name: String,
    pub(crate) sessions: AtomicU64,
    pub(crate) encrypted: AtomicU64,
}

/// All names seen so far.
#[derive(Debug, Default)]
pub(crate) struct Names {
    seen: Mutex<Vec<Arc<NameCount>>>,
    /// Names beyond the bound are counted here, under the empty name.
    others: Arc<NameCount>,
}

/// A name's counts, and what this reader saw last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NameSample {
    pub(crate) sessions: u64,
    pub(crate) encrypted: u64,
}

impl Names {
    /// The place where sessions under this name are counted.
    pub(crate) fn find(&self, name: &str) -> Arc<NameCount> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = seen.iter().find(|c| c.name == name) {
            return found.clone();
        }
        if seen.len() >= MOST_NAMES {
            seen.retain(|c| Arc::strong_count(c) > 1);
        }
        if seen.len() >= MOST_NAMES {
            return self.others.clone();
        }
        let count = Arc::new(NameCount { name: name.to_owned(), ..NameCount::default() });
        seen.push(count.clone());
        count
    }

    /// Sessions whose name satisfies `wanted`.
    pub(crate) fn sample(&self, wanted: impl Fn(&str) -> bool) -> NameSample {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().filter(|c| wanted(&c.name)).fold(NameSample::default(), |sum, c| NameSample {
            sessions: sum.sessions + c.sessions.load(Relaxed),
            encrypted: sum.encrypted + c.encrypted.load(Relaxed),
        })
    }
}

thread_local! {
    static LAST: std::cell::RefCell<Option<(usize, Arc<NameCount>)>> = const { std::cell::RefCell::new(None) };
}

/// One session under a name, until it is dropped.
#[derive(Debug)]
pub(crate) struct Named {
    count: Arc<NameCount>,
    encrypted: u64,
}

impl Named {
    /// Counts one more session under this name.
    pub(crate) fn enter(names: &Names, name: &str, encrypted: bool) -> Self {
        let registry = std::ptr::from_ref(names).addr();
        let count = LAST.with_borrow_mut(|last| match last {
            Some((owner, count)) if *owner == registry && count.name == name => count.clone(),
            _ => {
                let count = names.find(name);
                *last = Some((registry, count.clone()));
                count
            }
        });
        let encrypted = u64::from(encrypted);
        count.sessions.fetch_add(1, Relaxed);
        count.encrypted.fetch_add(encrypted, Relaxed);
        Self { count, encrypted }
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        self.count.sessions.fetch_sub(1, Relaxed);
        self.count.encrypted.fetch_sub(self.encrypted, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_counted_by_name() {
        let names = Names::default();
        let a = Named::enter(&names, "peaje", true);
        let b = Named::enter(&names, "peaje", false);
        let c = Named::enter(&names, "psql", true);
        let peaje = |n: &str| n == "peaje";
        assert_eq!(names.sample(peaje), NameSample { sessions: 2, encrypted: 1 });
        assert_eq!(names.sample(|_| true), NameSample { sessions: 3, encrypted: 2 });
        drop((a, c));
        assert_eq!(names.sample(peaje), NameSample { sessions: 1, encrypted: 0 });
        drop(b);
        assert_eq!(names.sample(|_| true), NameSample::default());
    }

    #[test]
    fn made_up_names_do_not_fill_the_memory() {
        let names = Names::default();
        let _kept = Named::enter(&names, "kept", false);
        for n in 0..10_000 {
            drop(Named::enter(&names, &format!("name {n}"), false));
        }
        assert!(names.seen.lock().unwrap().len() <= MOST_NAMES);
        assert_eq!(names.sample(|n| n == "kept").sessions, 1);
    }
}
