//! What the processes of one server share: a row of words, each an atomic counter.
//!
//! A newcomer would keep counters in ordinary memory. A session may be a process of its own, and may be killed: what it
//! has counted has to stay, and to be seen by all.

use std::io;
use std::ops::Deref;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::seats;
use crate::system::Map;

/// Words that are counters or texts of the protocol; the seats come behind them.
const FIRST_SEAT: usize = 24 * 1024;

/// Hands out words in a fixed order: who asks in the same order for the same map gets the same words.
#[derive(Debug)]
pub(crate) struct Area {
    map: Arc<Map>,
    next: usize,
}

/// One word.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    map: Arc<Map>,
    at: usize,
}

/// Several words, one behind the other.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    map: Arc<Map>,
    from: usize,
    count: usize,
}

impl Area {
    /// Bytes of an area with so many seats.
    pub(crate) fn bytes(seats: usize) -> usize {
        (FIRST_SEAT + seats * seats::WORDS) * size_of::<AtomicU64>()
    }

    /// An area of this process alone.
    pub(crate) fn private(seats: usize) -> io::Result<Self> {
        Ok(Self { map: Arc::new(Map::private(Self::bytes(seats))?), next: 0 })
    }

    /// An area in a file, which other processes may map too.
    pub(crate) fn of_file(file: BorrowedFd<'_>, bytes: usize) -> io::Result<Self> {
        Ok(Self { map: Arc::new(Map::of_file(file, bytes)?), next: 0 })
    }

    /// The next word.
    pub(crate) fn word(&mut self) -> Word {
        Word { at: self.next(1), map: self.map.clone() }
    }

    /// The next words.
    pub(crate) fn words(&mut self, count: usize) -> Words {
        Words { from: self.next(count), map: self.map.clone(), count }
    }

    fn next(&mut self, count: usize) -> usize {
        let next = self.next;
        self.next += count;
        assert!(self.next <= FIRST_SEAT, "all words that are asked for, whichever the protocol, have room");
        next
    }

    /// What is left for seats.
    pub(crate) fn seats(&self) -> Words {
        let count = self.map.words().len().saturating_sub(FIRST_SEAT);
        Words { map: self.map.clone(), from: FIRST_SEAT, count }
    }
}

impl Words {
    /// The first `count` words, and the others.
    pub(crate) fn split(self, count: usize) -> (Self, Self) {
        let rest = Self { map: self.map.clone(), from: self.from + count, count: self.count - count };
        (Self { count, ..self }, rest)
    }
}

impl Deref for Word {
    type Target = AtomicU64;

    fn deref(&self) -> &AtomicU64 {
        &self.map.words()[self.at]
    }
}

impl Deref for Words {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        &self.map.words()[self.from..self.from + self.count]
    }
}
