//! The candidates for one file's short name, in the order in which NTFS tries them.

use crate::hash::Generation;

/// After so many candidates that are taken NTFS gives up (`STATUS_FILE_SYSTEM_LIMITATION`, error 665).
pub const MOST_TRIES: u32 = 1_000_000;

/// Which characters beyond ASCII a short name may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CodePage {
    /// None: `NtfsAllowExtendedCharacterIn8dot3Name` = 0, the default.
    #[default]
    Off,
    /// Those of code page 850 (western Europe), upper case.
    Cp850,
}

/// All candidates of one long name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    /// What the long name gives: up to six characters.
    plain: Vec<char>,
    /// The first two of these and the checksum.
    hashed: Vec<char>,
    extension: Vec<char>,
    /// How many candidates are made of `plain`.
    plain_tries: u32,
}

/// Candidates without a checksum.
pub(crate) const PLAIN_TRIES: u32 = 4;
/// Base names have this many characters at most, `~` and the number included.
const BASE: usize = 8;

impl Candidates {
    /// Of a long name.
    pub fn of(name: &str, generation: Generation, page: CodePage) -> Self {
        let (left, right) = halves(name);
        let kept = |text: &str, most: usize| text.chars().filter_map(|c| keep(c, page)).take(most).collect::<Vec<_>>();
        let (plain, extension) = (kept(left, 6), kept(right, 3));
        let digits = generation.digits_of(name).map(char::from);
        let hashed = plain.iter().copied().take(2).chain(digits).collect();
        let plain_tries = if plain.len() > 2 { PLAIN_TRIES } else { 0 };
        Self { plain, hashed, extension, plain_tries }
    }

    /// The candidate of a try, counted from 1; `None` beyond the limit.
    pub fn candidate(&self, number: u32) -> Option<String> {
        if number == 0 || number > MOST_TRIES {
            return None;
        }
        let (stem, tail) = match number.checked_sub(self.plain_tries) {
            Some(tail @ 1..) => (&self.hashed, tail),
            _ => (&self.plain, number),
        };
        let tail = tail.to_string();
        let mut name: String = stem.iter().take(BASE - 1 - tail.len()).collect();
        name.push('~');
        name.push_str(&tail);
        if !self.extension.is_empty() {
            name.push('.');
            name.extend(&self.extension);
        }
        Some(name)
    }
}

/// What a base and an extension are made of: the last dot parts them, leading dots apart.
pub(crate) fn halves(name: &str) -> (&str, &str) {
    let trimmed = name.trim_start_matches('.');
    trimmed.rsplit_once('.').unwrap_or((trimmed, ""))
}

/// What a short name writes for each byte of a long one; 0 when it is left out. Characters beyond ASCII are left out in any
/// encoding (`NtfsAllowExtendedCharacterIn8dot3Name` = 0, the default).
pub const KEPT: [u8; 256] = {
    let mut kept = [0; 256];
    let mut byte = 0x21;
    while byte < 0x7F {
        kept[byte] = match byte as u8 {
            b'.' => 0,
            b'"' | b'*' | b'+' | b',' | b'/' | b':' | b';' | b'<' | b'=' | b'>' | b'?' | b'[' | b'\\' | b']' | b'|' => {
                b'_'
            }
            other => other.to_ascii_uppercase(),
        };
        byte += 1;
    }
    kept
};

/// What becomes of a character: left out, replaced, or in upper case.
pub(crate) fn keep(c: char, page: CodePage) -> Option<char> {
    match u8::try_from(c) {
        Ok(byte) if c.is_ascii() => Some(KEPT[usize::from(byte)]).filter(|kept| *kept != 0).map(char::from),
        _ if page == CodePage::Cp850 => Some(c.to_uppercase().next().unwrap_or(c)).filter(|c| CP850.contains(*c)),
        _ => None,
    }
}

/// The letters of code page 850 that upper case leaves.
const CP850: &str = "ÇÜÉÂÄÀÅÊËÈÏÎÌÆÔÖÒÛÙÁÍÓÚÑÃÐØÕÝÞ";

#[cfg(test)]
mod tests {
    use super::{Candidates, CodePage, MOST_TRIES};
    use crate::hash::Generation;

    fn of(name: &str) -> Candidates {
        Candidates::of(name, Generation::New, CodePage::Off)
    }

    /// The stem gives way to the number, as seen on Windows.
    #[test]
    fn the_stem_shrinks() {
        let names = of("test file.txt");
        let at = |number| names.candidate(number).expect("within the limit");
        assert_eq!(at(1), "TESTFI~1.TXT");
        assert_eq!(at(4), "TESTFI~4.TXT");
        assert_eq!(at(5), "TEB00D~1.TXT");
        assert_eq!(at(13), "TEB00D~9.TXT");
        assert_eq!(at(14), "TEB00~10.TXT");
        assert_eq!(at(4 + 9_999), "TEB~9999.TXT");
        assert_eq!(at(4 + 999_996), "T~999996.TXT");
        assert_eq!(names.candidate(MOST_TRIES + 1), None);
        assert_eq!(names.candidate(0), None);
    }

    #[test]
    fn two_characters_or_less_are_hashed_at_once() {
        assert_eq!(of("a.txt3").candidate(1).as_deref(), Some("AEE90~1.TXT"));
        assert_eq!(of("日本語").candidate(1).expect("a candidate").len(), 6);
        assert_eq!(of("..profile").candidate(1).as_deref(), Some("PROFIL~1"));
    }
}
