//! The comma-separated attributes of SCRAM messages (RFC 5802, section 5.1).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::ScramError;

/// Attributes left to read.
pub(super) struct Attributes<'a> {
    rest: Option<&'a str>,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: Some(text) }
    }

    /// The next attribute must have this letter.
    pub(super) fn expect(&mut self, letter: char, what: &'static str) -> Result<&'a str, ScramError> {
        let value = self.next().and_then(|a| a.strip_prefix(letter)).and_then(|a| a.strip_prefix('='));
        value.ok_or(ScramError::Malformed(what))
    }

    /// The next piece between commas.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        let text = self.rest?;
        match text.split_once(',') {
            Some((piece, rest)) => {
                self.rest = Some(rest);
                Some(piece)
            }
            None => self.rest.take(),
        }
    }

    /// What follows, commas and all.
    pub(super) fn rest(&self) -> Option<&'a str> {
        self.rest
    }
}

/// Messages are ASCII apart from names, which are UTF-8.
pub(super) fn text<'a>(bytes: &'a [u8], what: &'static str) -> Result<&'a str, ScramError> {
    std::str::from_utf8(bytes).map_err(|_| ScramError::Malformed(what))
}

/// Printable ASCII without the comma.
pub(super) fn is_nonce(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && b != b',')
}

pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(super) fn decode(text: &str, what: &'static str) -> Result<Vec<u8>, ScramError> {
    STANDARD.decode(text).map_err(|_| ScramError::Malformed(what))
}

pub(super) fn decode_digest(text: &str, what: &'static str) -> Result<[u8; 32], ScramError> {
    decode(text, what)?.try_into().map_err(|_| ScramError::Malformed(what))
}
