//! What others see of a session, as words of shared memory.
//!
//! A newcomer would copy a structure there. Only its own session writes a record, and others read it meanwhile: the texts
//! have a version that is odd while they are written.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::time::SystemTime;

use super::unix_us;

/// Words of a record.
pub(super) const WORDS: usize = 64;

const NUMBER: usize = 0;
const PROCESS: usize = 1;
const OPENED: usize = 2;
const SINCE: usize = 3;
const STARTED: usize = 4;
const ENDED: usize = 5;
const DOING: usize = 6;
const REQUESTS: usize = 7;
const TRANSACTIONS: usize = 8;
const ADDRESS: usize = 9;
const PORT: usize = 11;
/// 1 + the client's process; 0 = it does not say.
const CLIENT_PROCESS: usize = 12;
const ACCOUNT: usize = 13;
const VERSION: usize = 14;

/// Where a text stands, and how many words it has; the first is its length in bytes. Longer texts are cut off.
struct Text(usize, usize);

const USER: Text = Text(16, 9);
const DATABASE: Text = Text(25, 9);
const PROGRAM: Text = Text(34, 17);
const HOST: Text = Text(51, 13);

/// How often a reader begins anew. A writer that is killed in between leaves texts that are never whole.
const TRIES: usize = 64;

/// What a session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Doing {
    #[default]
    Idle,
    Active,
    InTransaction,
    InFailedTransaction,
}

impl Doing {
    const ALL: [Self; 4] = [Self::Idle, Self::Active, Self::InTransaction, Self::InFailedTransaction];
}

/// Who is at the other end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Who {
    pub(crate) user: String,
    pub(crate) database: String,
    pub(crate) program: String,
    /// The client's name for its machine; empty = it does not say.
    pub(crate) host: String,
    pub(crate) client: Option<SocketAddr>,
    pub(crate) encrypted: bool,
    /// The client's process, if it says so.
    pub(crate) process: Option<u64>,
    /// Number of its account, where accounts are counted.
    pub(crate) account: u64,
}

/// A session as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Card {
    /// Number of the connection.
    pub(crate) number: u64,
    /// The process that serves it, where one serves nobody else; else 0.
    pub(crate) process: u32,
    pub(crate) who: Who,
    /// Microseconds since 1970.
    pub(crate) opened_us: i64,
    /// Since when it does what it does, microseconds since 1970.
    pub(crate) since_us: i64,
    pub(crate) doing: Doing,
    /// Requests so far.
    pub(crate) requests: u64,
    pub(crate) transactions: u32,
    /// Begin and end of the last request, microseconds since 1970; `None` = there was none.
    pub(crate) last_request_us: Option<(i64, i64)>,
}

/// A record in place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a>(pub(super) &'a [AtomicU64]);

impl Record<'_> {
    fn get(self, word: usize) -> u64 {
        self.0[word].load(Relaxed)
    }

    fn set(self, word: usize, value: u64) {
        self.0[word].store(value, Relaxed);
    }

    fn time(self, word: usize) -> i64 {
        self.get(word).cast_signed()
    }

    fn now(self, word: usize) {
        self.set(word, unix_us(SystemTime::now()).cast_unsigned());
    }

    /// A connection has come.
    pub(super) fn begin(self, number: u64) {
        self.set(NUMBER, number);
        self.set(PROCESS, 0);
    }

    pub(super) fn process(self) -> u32 {
        self.get(PROCESS) as u32
    }

    pub(super) fn set_process(self, process: u32) {
        self.set(PROCESS, process.into());
    }

    /// A session begins.
    pub(super) fn write(self, who: &Who) {
        self.now(OPENED);
        self.set(SINCE, self.get(OPENED));
        for word in [STARTED, ENDED, DOING, REQUESTS, TRANSACTIONS] {
            self.set(word, 0);
        }
        let (address, port) = who.client.map_or((0, 0), |client| match client.ip() {
            IpAddr::V4(v4) => (v4.to_ipv6_mapped().to_bits(), client.port()),
            IpAddr::V6(v6) => (v6.to_bits(), client.port()),
        });
        self.set(ADDRESS, (address >> 64) as u64);
        self.set(ADDRESS + 1, address as u64);
        self.set(PORT, port.into());
        self.set(CLIENT_PROCESS, who.process.map_or(0, |process| process.saturating_add(1)));
        self.set(ACCOUNT, who.account);
        self.write_texts(&[(USER, &who.user), (DATABASE, &who.database), (HOST, &who.host)]);
    }

    pub(super) fn set_program(self, name: &str) {
        self.write_texts(&[(PROGRAM, name)]);
    }

    pub(super) fn set_database(self, name: &str) {
        self.write_texts(&[(DATABASE, name)]);
    }

    pub(super) fn works(self) {
        self.set(REQUESTS, self.get(REQUESTS) + 1);
        self.now(STARTED);
        if self.get(DOING) != Doing::Active as u64 {
            self.set(DOING, Doing::Active as u64);
            self.set(SINCE, self.get(STARTED));
        }
    }

    pub(super) fn waits(self, doing: Doing, transactions: u32) {
        self.set(TRANSACTIONS, transactions.into());
        if self.get(DOING) != doing as u64 {
            self.now(SINCE);
            self.set(ENDED, self.get(SINCE));
            self.set(DOING, doing as u64);
        }
    }

    pub(super) fn read(self, encrypted: bool) -> Card {
        let whole = (0..TRIES).find_map(|_| {
            let texts = self.read_texts();
            if texts.is_none() {
                // Its writer may be waiting for this very processor.
                std::thread::yield_now();
            }
            texts
        });
        let [user, database, program, host] = whole.unwrap_or_else(|| self.texts());
        let address = u128::from(self.get(ADDRESS)) << 64 | u128::from(self.get(ADDRESS + 1));
        let ip = Ipv6Addr::from_bits(address).to_canonical();
        let client = (address != 0).then(|| SocketAddr::new(ip, self.get(PORT) as u16));
        let process = self.get(CLIENT_PROCESS).checked_sub(1);
        let who = Who { user, database, program, host, client, encrypted, process, account: self.get(ACCOUNT) };
        Card {
            number: self.get(NUMBER),
            process: self.process(),
            who,
            opened_us: self.time(OPENED),
            since_us: self.time(SINCE),
            doing: Doing::ALL[self.get(DOING) as usize % Doing::ALL.len()],
            requests: self.get(REQUESTS),
            transactions: self.get(TRANSACTIONS) as u32,
            last_request_us: (self.get(STARTED) != 0).then(|| (self.time(STARTED), self.time(ENDED))),
        }
    }

    fn write_texts(self, texts: &[(Text, &str)]) {
        self.0[VERSION].fetch_or(1, SeqCst);
        for (place, text) in texts {
            write_text(&self.0[place.0..place.0 + place.1], text);
        }
        self.0[VERSION].fetch_add(1, SeqCst);
    }

    /// The texts, if nobody writes them meanwhile.
    fn read_texts(self) -> Option<[String; 4]> {
        let before = self.0[VERSION].load(SeqCst);
        let texts = self.texts();
        (before & 1 == 0 && self.0[VERSION].load(SeqCst) == before).then_some(texts)
    }

    fn texts(self) -> [String; 4] {
        [USER, DATABASE, PROGRAM, HOST].map(|place| read_text(&self.0[place.0..place.0 + place.1]))
    }
}

fn write_text(words: &[AtomicU64], text: &str) {
    let [length, words @ ..] = words else { return };
    let room = words.len() * 8;
    let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let bytes = &text.as_bytes()[..end];
    for (word, part) in words.iter().zip(bytes.chunks(8)) {
        let mut whole = [0; 8];
        whole[..part.len()].copy_from_slice(part);
        word.store(u64::from_le_bytes(whole), SeqCst);
    }
    length.store(bytes.len() as u64, SeqCst);
}

fn read_text(words: &[AtomicU64]) -> String {
    let [length, words @ ..] = words else { return String::new() };
    let length = (length.load(SeqCst) as usize).min(words.len() * 8);
    let mut bytes = Vec::with_capacity(words.len() * 8);
    for word in &words[..length.div_ceil(8)] {
        bytes.extend_from_slice(&word.load(SeqCst).to_le_bytes());
    }
    bytes.truncate(length);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Vec<AtomicU64> {
        std::iter::repeat_with(AtomicU64::default).take(WORDS).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let words = words();
        let record = Record(&words);
        for client in ["127.0.0.1:5", "[::1]:65535", "[2001:db8::7]:1"] {
            let who = Who {
                user: "josé".into(),
                database: "shop".into(),
                program: "app ".repeat(32),
                host: "web1".into(),
                client: Some(client.parse().unwrap()),
                encrypted: true,
                process: Some(0),
                account: 3,
            };
            record.begin(9);
            record.write(&who);
            record.set_program(&who.program);
            let card = record.read(true);
            assert_eq!((card.number, &card.who, card.last_request_us), (9, &who, None));
            record.works();
            record.waits(Doing::Idle, 0);
            let (started, ended) = record.read(true).last_request_us.unwrap();
            assert!(card.opened_us <= started && started <= ended);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let words = words();
        let record = Record(&words);
        record.write(&Who { user: format!("{}é", "x".repeat(63)), ..Who::default() });
        assert_eq!(record.read(false).who.user, "x".repeat(63));
    }

    #[test]
    fn nobody_sees_half_a_name() {
        let words = words();
        let done = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..20_000 {
                    Record(&words).set_program(if n % 2 == 0 { "aaaaaaaaaaaaaaaaaaaa" } else { "bbbbbbbbb" });
                }
                done.store(1, SeqCst);
            });
            let mut whole = 0;
            while done.load(SeqCst) == 0 || whole == 0 {
                if let Some([.., name, _]) = Record(&words).read_texts() {
                    assert!(name.bytes().all(|byte| byte == name.as_bytes()[0]), "{name}");
                    whole += 1;
                }
            }
        });
    }
}
