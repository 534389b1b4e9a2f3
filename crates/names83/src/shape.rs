//! Names that stand for a folder nobody can list yet. Always the same names: a model must say the same twice.

use std::fmt::Write as _;

/// What names look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A FILESTREAM store of SQL Server: log sequence numbers in hexadecimal (file, block, slot), which all begin alike, and
    /// no extension.
    Filestream,
    /// Random identifiers (`3f2504e0-4f89-41d3-0305e82c3301.dat`).
    Guid,
    /// A word and a running number (`document_000000001.pdf`).
    Sequential,
}

/// The names of a shape in the order of their creation, without end.
#[derive(Debug, Clone)]
pub struct Names {
    shape: Shape,
    random: u64,
    vlf: u64,
    block: u64,
    slot: u64,
    number: u64,
    text: String,
}

impl Shape {
    /// Its names, from the first one.
    pub fn names(self) -> Names {
        // The log has been in use for a while; the seed is the published one of the generator.
        Names {
            shape: self,
            random: 88_172_645_463_325_252,
            vlf: 0x19,
            block: 0x50,
            slot: 4,
            number: 0,
            text: String::new(),
        }
    }
}

impl Names {
    /// The next name. Not an iterator: the name lives until the next call.
    #[expect(clippy::should_implement_trait, reason = "lends its text, as an iterator cannot")]
    pub fn next(&mut self) -> &str {
        self.text.clear();
        // Writing to a string cannot fail.
        let _ = match self.shape {
            Shape::Filestream => {
                self.next_record();
                write!(self.text, "{:08x}-{:08x}-{:04x}", self.vlf, self.block, self.slot)
            }
            Shape::Guid => {
                let [a, b, c, d] = [0; 4].map(|_: u8| self.random());
                let (a, b, c, d) = (a & 0xFFFF_FFFF, b & 0xFFFF, c & 0xFFFF, d & 0xFFFF_FFFF_FFFF);
                write!(self.text, "{a:08x}-{b:04x}-{c:04x}-{d:012x}.dat")
            }
            Shape::Sequential => {
                self.number += 1;
                write!(self.text, "document_{:09}.pdf", self.number)
            }
        };
        &self.text
    }

    /// Where the log has come to: a few slots on, then a few blocks, then the next file of the log.
    fn next_record(&mut self) {
        self.slot += 1 + self.random() % 8;
        if self.slot > 0x60 {
            self.slot = 2 + self.random() % 4;
            self.block += 1 + self.random() % 0x40;
        }
        if self.block > 0xFFFF {
            self.block = 0x10;
            self.vlf += 1;
        }
    }

    /// Marsaglia's xorshift, 64 bits.
    fn random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}
