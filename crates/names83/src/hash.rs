//! The checksum within a short name, of both generations.
//!
//! It is taken over the whole long name as stored, case included, although the rest of the short name is upper case.

/// Which Windows makes the names: the target's version decides, not the source's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Generation {
    /// Windows 2000, XP, 2003, Vista, 2008.
    Old,
    /// Windows 7, 2008 R2 and later.
    #[default]
    New,
}

impl Generation {
    /// The checksum of a name as it stands in a short name: four hexadecimal digits, the lowest first.
    pub fn digits_of(self, name: &str) -> [u8; 4] {
        let value = match self {
            Generation::New => new(name.encode_utf16()),
            Generation::Old => old(name.encode_utf16()),
        };
        [0, 4, 8, 12].map(|shift| b"0123456789ABCDEF"[usize::from(value >> shift & 0xF)])
    }
}

/// Published as a multiplication by 1152921497 and a shift by 60 bits: that is a compiler's division by 1,000,000,007.
fn new(units: impl Iterator<Item = u16>) -> u16 {
    let sum = units.fold(0_u16, |sum, unit| sum.wrapping_mul(37).wrapping_add(unit));
    let mixed = i32::from(sum).wrapping_mul(314_159_269).unsigned_abs();
    (mixed % 1_000_000_007) as u16
}

fn old(mut units: impl Iterator<Item = u16>) -> u16 {
    let Some(first) = units.next() else { return 0 };
    let Some(second) = units.next() else { return first };
    let mut sum = first.wrapping_mul(256).wrapping_add(second);
    while let Some(unit) = units.next() {
        sum = sum.rotate_right(1).wrapping_add(unit.wrapping_mul(256)).wrapping_add(units.next().unwrap_or(0));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::Generation;

    fn digits(generation: Generation, name: &str) -> String {
        generation.digits_of(name).map(char::from).iter().collect()
    }

    /// Seen on Windows, published by those who took the checksum apart.
    #[test]
    fn published_checksums() {
        for (name, expected) in
            [("a.txt3", "EE90"), ("a.txt7", "B720"), ("SomeStuff.aspx", "BC84"), ("test file.txt", "B00D")]
        {
            assert_eq!(digits(Generation::New, name), expected, "{name}");
        }
        for (name, expected) in [
            ("Long File Name 5.txt", "1796"),
            ("Very Long File Name 5.txt", "D051"),
            ("éèàùç.txt", "5C2D"),
            ("çùàèé.txt", "423C"),
            ("éèàù.txt", "925E"),
            ("çùàè.txt", "7E4C"),
        ] {
            assert_eq!(digits(Generation::Old, name), expected, "{name}");
        }
    }
}
