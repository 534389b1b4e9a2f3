//! Who is there: one seat for each connection, from its first byte to its last, in memory that all processes of the server
//! share. What `pg_stat_activity`, `show processlist` and `sys.dm_exec_sessions` show is read from here.
//!
//! A newcomer would keep a map under a lock. A process that is killed would keep the lock; here each seat is written by its
//! own session only, and whoever finds its process dead clears it and knows what it held.

mod record;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::area::{Area, Word, Words};

use record::Record;
pub(crate) use record::{Card, Doing, Who};

/// Words of a seat: its key, and its record.
pub(crate) const WORDS: usize = 1 + record::WORDS;

/// What a connection has, as bits of its key. The bits above are those of its program's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Bit {
    /// Its login is not decided.
    LoggingIn = 1,
    /// It has a place.
    Place = 2,
    /// Its session is encrypted, and counted as such.
    Encrypted = 4,
    /// It is in the list of sessions.
    Listed = 8,
    /// Its session in the list is encrypted.
    ListedEncrypted = 16,
}

const BITS: u64 = 0xff;

impl Bit {
    pub(crate) fn of(self, key: u64) -> bool {
        key & self as u64 != 0
    }
}

/// All seats.
#[derive(Debug)]
pub(crate) struct Seats {
    /// Apart from the records: who only counts reads nothing else.
    keys: Words,
    records: Words,
    /// No seat from here on has ever been taken.
    beyond: Word,
    /// How long the sessions lasted that have ended, microseconds.
    ended_us: Word,
    /// Those that this process may give away.
    free: Mutex<Free>,
}

#[derive(Debug)]
struct Free {
    untouched: Range<usize>,
    given_back: Vec<usize>,
}

/// A connection's seat, until it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    at: usize,
}

/// Sessions under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NameSample {
    pub(crate) sessions: u64,
    pub(crate) encrypted: u64,
}

/// What a seat held whose process is gone.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) key: u64,
    pub(crate) card: Card,
}

impl Seats {
    /// All that the area has room for.
    pub(crate) fn new(area: &mut Area) -> Self {
        let (beyond, ended_us) = (area.word(), area.word());
        let all = area.seats();
        let count = all.len() / WORDS;
        let (keys, records) = all.split(count);
        let free = Mutex::new(Free { untouched: 0..count, given_back: Vec::new() });
        Self { keys, records, beyond, ended_us, free }
    }

    /// From now on this process gives away these only.
    pub(crate) fn keep_to(&self, range: Range<usize>) {
        *self.free() = Free { untouched: range, given_back: Vec::new() };
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seat for connection `number`; `None` when all are taken.
    pub(crate) fn take(self: &Arc<Self>, number: u64) -> Option<Seat> {
        let at = {
            let mut free = self.free();
            match free.given_back.pop() {
                Some(at) => at,
                None => free.untouched.next()?,
            }
        };
        self.beyond.fetch_max(at as u64 + 1, Relaxed);
        self.record(at).begin(number);
        Some(Seat { seats: self.clone(), at })
    }

    fn record(&self, at: usize) -> Record<'_> {
        Record(&self.records[at * record::WORDS..(at + 1) * record::WORDS])
    }

    fn used(&self) -> &[AtomicU64] {
        let beyond = usize::try_from(self.beyond.load(Relaxed)).unwrap_or(usize::MAX);
        &self.keys[..beyond.min(self.keys.len())]
    }

    /// The sessions in the list, the oldest first.
    pub(crate) fn all(&self) -> Vec<Card> {
        let listed = self.used().iter().enumerate().filter(|(_, key)| Bit::Listed.of(key.load(Relaxed)));
        let mut all: Vec<Card> =
            listed.map(|(at, key)| self.record(at).read(Bit::ListedEncrypted.of(key.load(Relaxed)))).collect();
        all.sort_unstable_by_key(|card| card.number);
        all
    }

    /// The same without the one that has this number.
    pub(crate) fn others(&self, number: u64) -> Vec<Card> {
        let mut all = self.all();
        all.retain(|card| card.number != number);
        all
    }

    /// Sessions in the list whose program has this name.
    pub(crate) fn under(&self, name: &str) -> NameSample {
        let wanted = name_bits(name);
        let mut sample = NameSample::default();
        for key in self.used() {
            let key = key.load(Relaxed);
            if Bit::Listed.of(key) && key & !BITS == wanted {
                sample.sessions += 1;
                sample.encrypted += u64::from(Bit::ListedEncrypted.of(key));
            }
        }
        sample
    }

    /// Processes that serve one connection each.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let taken = self.used().iter().enumerate().filter(|(_, key)| key.load(Relaxed) != 0);
        taken.map(|(at, _)| self.record(at).process()).filter(|pid| *pid != 0).collect()
    }

    /// How long all sessions have lasted together; the time since a session last changed what it does is not in it, as
    /// in a PostgreSQL.
    pub(crate) fn session_time_us(&self) -> i64 {
        let lasting: i64 = self.all().iter().map(|card| card.since_us - card.opened_us).sum();
        self.ended_us.load(Relaxed).cast_signed() + lasting
    }

    /// Puts a session into the list. What the connection had in the list before is replaced.
    pub(crate) fn list(&self, at: usize, who: &Who) -> Listed<'_> {
        self.record(at).write(who);
        let listed = Listed { seats: self, at };
        let encrypted = if who.encrypted { Bit::ListedEncrypted as u64 } else { 0 };
        listed.set_key(|key| key & !Bit::LISTING | Bit::Listed as u64 | encrypted);
        listed.call_itself(&who.program);
        listed
    }

    /// The key of a seat.
    pub(crate) fn key(&self, at: usize) -> &AtomicU64 {
        &self.keys[at]
    }

    /// What a seat holds whose process is gone. The seat is empty afterwards.
    pub(crate) fn clear(&self, at: usize) -> Left {
        let key = self.keys[at].load(Relaxed);
        let card = self.record(at).read(Bit::ListedEncrypted.of(key));
        if Bit::Listed.of(key) {
            self.add_ended(&card);
        }
        self.keys[at].store(0, Relaxed);
        Left { key, card }
    }

    /// Clears every seat of a range that is not empty.
    pub(crate) fn clear_range(&self, range: Range<usize>) -> impl Iterator<Item = Left> {
        range.filter(|at| self.keys[*at].load(Relaxed) != 0).map(|at| self.clear(at))
    }

    fn add_ended(&self, card: &Card) {
        let lasted_us = unix_us(SystemTime::now()) - card.opened_us;
        self.ended_us.fetch_add(lasted_us.max(0).cast_unsigned(), Relaxed);
    }
}

impl Bit {
    const LISTING: u64 = Bit::Listed as u64 | Bit::ListedEncrypted as u64;
}

impl Seat {
    /// Its position.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Writes down which process serves it.
    pub(crate) fn served_by(&self, process: u32) {
        self.seats.record(self.at).set_process(process);
    }

    /// The process that serves it alone, or 0.
    pub(crate) fn process(&self) -> u32 {
        self.seats.record(self.at).process()
    }

    /// The same seat, seen from the process that serves it.
    pub(crate) fn twin(&self) -> Self {
        Self { seats: self.seats.clone(), at: self.at }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.keys[self.at].store(0, Relaxed);
        self.seats.free().given_back.push(self.at);
    }
}

/// A session's entry in the list, until it is dropped.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    seats: &'a Seats,
    at: usize,
}

impl Listed<'_> {
    fn record(&self) -> Record<'_> {
        self.seats.record(self.at)
    }

    fn set_key(&self, change: impl Fn(u64) -> u64) {
        // It never says no.
        let _ = self.seats.keys[self.at].fetch_update(Relaxed, Relaxed, |key| Some(change(key)));
    }

    /// The program has another name now.
    pub(crate) fn call_itself(&self, program: &str) {
        self.record().set_program(program);
        let bits = name_bits(program);
        self.set_key(|key| key & BITS | bits);
    }

    /// Somebody else uses the connection now.
    pub(crate) fn becomes(&self, who: &Who) {
        self.record().write(who);
        self.call_itself(&who.program);
    }

    pub(crate) fn set_database(&self, name: &str) {
        self.record().set_database(name);
    }

    /// A request has come.
    pub(crate) fn works(&self) {
        self.record().works();
    }

    /// It has been answered: the session waits in this state, with so many transactions begun.
    pub(crate) fn waits(&self, doing: Doing, transactions: u32) {
        self.record().waits(doing, transactions);
    }

    /// What others see of it.
    pub(crate) fn card(&self) -> Card {
        self.record().read(Bit::ListedEncrypted.of(self.seats.keys[self.at].load(Relaxed)))
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.set_key(|key| key & BITS & !Bit::LISTING);
        self.seats.add_ended(&self.card());
    }
}

/// The bits of a key that stand for a name; two names have the same ones once in 2^56.
fn name_bits(name: &str) -> u64 {
    // FNV-1a.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash << BITS.count_ones()
}

/// Microseconds since 1970.
pub(crate) fn unix_us(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(count: usize) -> Arc<Seats> {
        Arc::new(Seats::new(&mut Area::private(count).unwrap()))
    }

    fn who(program: &str, encrypted: bool) -> Who {
        Who { user: "ana".into(), program: program.into(), encrypted, ..Who::default() }
    }

    #[test]
    fn sessions_are_seen_from_their_login_to_their_end() {
        let seats = seats(8);
        let taken = [3, 1, 19].map(|number| seats.take(number).unwrap());
        let listed: Vec<_> = taken.iter().map(|seat| seats.list(seat.at(), &who("psql", false))).collect();
        let numbers = |but| seats.others(but).iter().map(|card| card.number).collect::<Vec<_>>();
        assert_eq!((numbers(0), numbers(3)), (vec![1, 3, 19], vec![1, 19]));

        let state = || (seats.all()[0].doing, seats.all()[0].requests);
        assert_eq!(state(), (Doing::Idle, 0));
        listed[1].works();
        assert_eq!(state(), (Doing::Active, 1));
        listed[1].waits(Doing::InTransaction, 1);
        assert_eq!(state(), (Doing::InTransaction, 1));
        listed[1].call_itself("other");
        listed[1].set_database("shop");
        let seen = &seats.all()[0];
        assert_eq!((seen.who.program.as_str(), seen.who.database.as_str(), seen.transactions), ("other", "shop", 1));
        let [third, first, last] = <[Listed<'_>; 3]>::try_from(listed).unwrap();
        drop(third);
        assert_eq!(numbers(0), [1, 19]);
        drop(last);
        assert_eq!(numbers(0), [1]);
        drop(first);
        assert!(numbers(0).is_empty());
    }

    #[test]
    fn sessions_are_counted_by_name() {
        let seats = seats(8);
        let taken = [1, 2, 3].map(|number| seats.take(number).unwrap());
        let mut listed: Vec<_> = [("peaje", true), ("peaje", false), ("psql", true)]
            .iter()
            .zip(&taken)
            .map(|((name, encrypted), seat)| seats.list(seat.at(), &who(name, *encrypted)))
            .collect();
        assert_eq!(seats.under("peaje"), NameSample { sessions: 2, encrypted: 1 });
        listed[2].call_itself("peaje");
        assert_eq!(seats.under("peaje"), NameSample { sessions: 3, encrypted: 2 });
        listed.remove(0);
        assert_eq!(seats.under("peaje"), NameSample { sessions: 2, encrypted: 1 });
        assert_eq!(seats.under(""), NameSample::default());
    }

    #[test]
    fn seats_are_given_once_and_again_when_they_are_free() {
        let seats = seats(2);
        let (a, b) = (seats.take(1).unwrap(), seats.take(2).unwrap());
        assert!(seats.take(3).is_none());
        drop(a);
        let c = seats.take(4).unwrap();
        assert_ne!(b.at(), c.at());
        drop((b, c));
        seats.keep_to(1..2);
        let only = seats.take(5).unwrap();
        assert_eq!(only.at(), 1);
        assert!(seats.take(6).is_none());
    }

    #[test]
    fn what_a_dead_process_held_is_known_once() {
        let seats = seats(4);
        let seat = seats.take(7).unwrap();
        std::mem::forget(seats.list(seat.at(), &who("psql", true)));
        let left: Vec<Left> = seats.clear_range(0..4).collect();
        assert_eq!(left.len(), 1);
        assert!(Bit::Listed.of(left[0].key) && Bit::ListedEncrypted.of(left[0].key) && !Bit::Place.of(left[0].key));
        assert_eq!((left[0].card.number, left[0].card.who.user.as_str()), (7, "ana"));
        assert!(seats.all().is_empty() && seats.clear_range(0..4).next().is_none());
    }

    #[test]
    fn times_of_sessions_add_up() {
        let seats = seats(4);
        let seat = seats.take(1).unwrap();
        let listed = seats.list(seat.at(), &who("psql", false));
        let so_far = seats.session_time_us();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert_eq!(seats.session_time_us(), so_far, "the state has not changed");
        drop(listed);
        assert!(seats.session_time_us() >= so_far + 2_000);
    }
}
