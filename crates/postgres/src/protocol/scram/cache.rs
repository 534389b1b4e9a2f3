//! Derived keys, kept between logins and shared by all workers.
//!
//! A newcomer would lock a map around the derivation. Here a login holds the lock only to copy a key, and derives
//! outside of it: two workers may derive the same key at the very beginning, and none ever waits for another.

use std::sync::{PoisonError, RwLock};

use peaje_model::Secret;

use super::ClientKeys;

/// Salts kept at most: one for each server of a multi-host string, with room for changed passwords.
const CAPACITY: usize = 16;

/// Keys by password, salt and iterations.
#[derive(Debug, Default)]
pub struct KeyCache {
    entries: RwLock<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    password: Secret,
    salt: Vec<u8>,
    iterations: u32,
    keys: ClientKeys,
}

impl KeyCache {
    /// The keys, if they were derived before.
    pub fn get(&self, password: &Secret, salt: &[u8], iterations: u32) -> Option<ClientKeys> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let found = entries.iter().find(|e| e.is_for(password, salt, iterations))?;
        Some(found.keys.clone())
    }

    /// Keeps keys; the oldest give way.
    pub fn put(&self, password: &Secret, salt: &[u8], iterations: u32, keys: ClientKeys) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.iter().any(|e| e.is_for(password, salt, iterations)) {
            return;
        }
        if entries.len() == CAPACITY {
            entries.remove(0);
        }
        entries.push(Entry { password: password.clone(), salt: salt.to_vec(), iterations, keys });
    }
}

impl Entry {
    fn is_for(&self, password: &Secret, salt: &[u8], iterations: u32) -> bool {
        self.iterations == iterations && self.salt == salt && self.password == *password
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_by_password_salt_and_iterations() {
        let cache = KeyCache::default();
        let (secret, other) = (Secret::new("pencil"), Secret::new("pen"));
        let keys = ClientKeys::derive("pencil", b"salt", 2);
        assert_eq!(cache.get(&secret, b"salt", 2), None);
        cache.put(&secret, b"salt", 2, keys.clone());
        assert_eq!(cache.get(&secret, b"salt", 2), Some(keys));
        assert_eq!(cache.get(&secret, b"salt", 3), None);
        assert_eq!(cache.get(&secret, b"tlas", 2), None);
        assert_eq!(cache.get(&other, b"salt", 2), None);
    }

    #[test]
    fn stays_bounded_and_forgets_the_oldest() {
        let cache = KeyCache::default();
        let secret = Secret::new("pencil");
        let keys = ClientKeys::derive("pencil", b"salt", 1);
        for salt in 0..100u8 {
            cache.put(&secret, &[salt], 1, keys.clone());
            cache.put(&secret, &[salt], 1, keys.clone());
        }
        assert_eq!(cache.entries.read().unwrap().len(), CAPACITY);
        assert!(cache.get(&secret, &[99], 1).is_some());
        assert!(cache.get(&secret, &[0], 1).is_none());
    }
}
