//! MariaDB's `dialog`: what PAM asks, one question in a packet, and each answer a text with a zero at its end.
//!
//! A newcomer would wait for the first question. The server switches to this plugin without one: the password is
//! expected at once, and the server gives it to the first module that asks for a password.

use super::DecodeError;

/// What the answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text that may be seen while it is typed.
    Text,
    /// A password.
    Password,
}

/// A question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'a> {
    /// What the answer is.
    pub kind: Kind,
    /// Whether no other question follows, whatever the answer.
    pub is_last: bool,
    /// Its words, with what PAM had to tell before it, in lines.
    pub words: &'a [u8],
}

const LAST: u8 = 1;

impl<'a> Question<'a> {
    /// Reads a packet of the plugin.
    pub fn decode(payload: &'a [u8]) -> Result<Self, DecodeError> {
        let (first, words) = payload.split_first().ok_or(DecodeError::Short("a question"))?;
        let kind = match first >> 1 {
            1 => Kind::Text,
            2 => Kind::Password,
            _ => return Err(DecodeError::Unexpected("kind of question")),
        };
        Ok(Self { kind, is_last: first & LAST != 0, words })
    }

    /// Writes the packet's payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let kind = match self.kind {
            Kind::Text => 1 << 1,
            Kind::Password => 2 << 1,
        };
        out.push(kind | if self.is_last { LAST } else { 0 });
        out.extend_from_slice(self.words);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn questions_of_pam() {
        let table: [(&[u8], Kind, bool, &[u8]); 4] = [
            (b"\x04Password: ", Kind::Password, false, b"Password: "),
            (b"\x05Again: ", Kind::Password, true, b"Again: "),
            (b"\x02Welcome\nCode: ", Kind::Text, false, b"Welcome\nCode: "),
            (b"\x03", Kind::Text, true, b""),
        ];
        for (payload, kind, is_last, words) in table {
            assert_eq!(Question::decode(payload), Ok(Question { kind, is_last, words }));
        }
        assert_eq!(Question::decode(b""), Err(DecodeError::Short("a question")));
        for first in [0, 1, 6, 7, 0x41, 0xFF] {
            assert_eq!(Question::decode(&[first]), Err(DecodeError::Unexpected("kind of question")));
        }
    }

    proptest! {
        #[test]
        fn a_question_that_is_read_is_written_the_same(payload in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(question) = Question::decode(&payload) {
                let mut out = Vec::new();
                question.encode(&mut out);
                prop_assert_eq!(out, payload);
            }
        }
    }
}
