//! Logins of each account since the server's start, in memory that all processes of the server share.
//!
//! A newcomer would free what nobody uses any more. Accounts stay for as long as the server runs, as in the real ones;
//! their number is bounded, however many users clients make up.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::time::SystemTime;

use crate::area::{Area, Words};
use crate::seats::{Card, Listed, Seats, Who, unix_us};

/// Accounts that are counted at most.
const MOST: usize = 1024;
/// Words of an account: its key, its counts, a mark that its name is whole, and its name: user, zero byte, address.
const WORDS: usize = 20;
const KEY: usize = 0;
const TOTAL: usize = 1;
const CONNECTED_US: usize = 2;
/// 1 + the length of the name in bytes; 0 = it is being written.
const LENGTH: usize = 3;
const NAME: usize = 4;

/// All accounts.
#[derive(Debug)]
pub(crate) struct Accounts(Words);

/// What an account has had since the server's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Logins {
    pub(crate) total: u64,
    /// How long its sessions lasted that have ended.
    pub(crate) connected_ms: u64,
}

impl Accounts {
    pub(crate) fn new(area: &mut Area) -> Self {
        Self(area.words(MOST * WORDS))
    }

    fn record(&self, at: u64) -> Option<&[AtomicU64]> {
        self.0.chunks_exact(WORDS).nth(usize::try_from(at).ok()?)
    }

    /// Counts a login. Gives the account's number; that of none when there are too many.
    pub(crate) fn login(&self, user: &str, address: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        (user, address).hash(&mut hasher);
        let key = hasher.finish().max(1);
        let first = (key % MOST as u64) as usize;
        for at in (first..MOST).chain(0..first) {
            let record = &self.0[at * WORDS..(at + 1) * WORDS];
            match record[KEY].compare_exchange(0, key, SeqCst, SeqCst) {
                Ok(_) => write(record, user, address),
                Err(taken) if taken == key => {}
                Err(_) => continue,
            }
            record[TOTAL].fetch_add(1, Relaxed);
            return at as u64;
        }
        MOST as u64
    }

    /// Counts the time of a session that has ended.
    pub(crate) fn ended(&self, account: u64, lasted_us: u64) {
        if let Some(record) = self.record(account) {
            record[CONNECTED_US].fetch_add(lasted_us, Relaxed);
        }
    }

    fn counted(&self, who: Who) -> Who {
        let account = self.login(&who.user, &address(&who));
        Who { account, ..who }
    }

    /// A session has left.
    pub(crate) fn left(&self, card: &Card) {
        self.ended(card.who.account, unix_us(SystemTime::now()).abs_diff(card.opened_us));
    }

    /// User, address and logins of each account, in the order of their names.
    pub(crate) fn all(&self) -> Vec<((String, String), Logins)> {
        let mut all: Vec<_> = self.0.chunks_exact(WORDS).filter_map(read).collect();
        all.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        all
    }
}

/// Address and port, as `host` is shown.
pub(crate) fn host(who: &Who) -> String {
    who.client.map_or_else(String::new, |client| client.to_string())
}

/// The address without its port.
pub(crate) fn address(who: &Who) -> String {
    let host = host(who);
    host.rsplit_once(':').map_or(host.clone(), |(address, _)| address.to_owned())
}

/// A session in the list, counted for its account, until it is dropped.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    pub(crate) listed: Listed<'a>,
    accounts: &'a Accounts,
}

impl<'a> Entered<'a> {
    /// `seat` is the connection's.
    pub(crate) fn new(accounts: &'a Accounts, seats: &'a Seats, seat: usize, who: Who) -> Self {
        Self { listed: seats.list(seat, &accounts.counted(who)), accounts }
    }

    /// Somebody else logs in on the connection.
    pub(crate) fn becomes(&self, who: Who) {
        self.accounts.left(&self.listed.card());
        self.listed.becomes(&self.accounts.counted(who));
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.accounts.left(&self.listed.card());
    }
}

fn write(record: &[AtomicU64], user: &str, address: &str) {
    let mut name = format!("{user}\0{address}").into_bytes();
    name.truncate((WORDS - NAME) * 8);
    for (word, part) in record[NAME..].iter().zip(name.chunks(8)) {
        let mut whole = [0; 8];
        whole[..part.len()].copy_from_slice(part);
        word.store(u64::from_le_bytes(whole), SeqCst);
    }
    record[LENGTH].store(1 + name.len() as u64, SeqCst);
}

fn read(record: &[AtomicU64]) -> Option<((String, String), Logins)> {
    let length = usize::try_from(record[LENGTH].load(SeqCst).checked_sub(1)?).ok()?;
    let mut name: Vec<u8> = record[NAME..].iter().flat_map(|word| word.load(SeqCst).to_le_bytes()).collect();
    name.truncate(length);
    let name = String::from_utf8_lossy(&name);
    let (user, address) = name.split_once('\0').unwrap_or((&name, ""));
    let total = record[TOTAL].load(Relaxed);
    let connected_ms = record[CONNECTED_US].load(Relaxed) / 1000;
    Some(((user.to_owned(), address.to_owned()), Logins { total, connected_ms }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_counted_and_bounded() {
        let accounts = Accounts::new(&mut Area::private(1).unwrap());
        let ana = accounts.login("ana", "10.0.0.1");
        assert_eq!(accounts.login("ana", "10.0.0.1"), ana);
        let eve = accounts.login("eve", "10.0.0.1");
        assert_ne!(ana, eve);
        accounts.ended(ana, 5_000);
        let name = |user: &str| (user.to_owned(), "10.0.0.1".to_owned());
        let expected =
            [(name("ana"), Logins { total: 2, connected_ms: 5 }), (name("eve"), Logins { total: 1, connected_ms: 0 })];
        assert_eq!(accounts.all(), expected);
        for n in 0..5000 {
            let account = accounts.login(&format!("user {n}"), "h");
            accounts.ended(account, 1);
        }
        assert_eq!(accounts.all().len(), MOST);
        assert_eq!(accounts.login("ana", "10.0.0.1"), ana, "who is known stays known");
    }
}
