//! Bytes of a list become lines, in bounded memory.

use std::io::{BufRead as _, BufReader, Read};

use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};

use super::{Encoding, ListingError};

/// No system has longer paths.
const MOST: usize = 64 << 10;
/// The mark that some programs put before UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The lines of a list, or what stands between zeros.
pub(super) struct Records<R> {
    input: BufReader<Recoded<R>>,
    end: u8,
    line: u64,
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R, encoding: Encoding, end: u8) -> Self {
        Self { input: BufReader::with_capacity(64 << 10, Recoded::new(input, encoding)), end, line: 0 }
    }

    /// The number of the line that was read last.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The next one, without its end; `false` when there is none.
    pub(super) fn next(&mut self, record: &mut Vec<u8>) -> Result<bool, ListingError> {
        record.clear();
        let mut limited = self.input.by_ref().take(MOST as u64 + 1);
        let got =
            limited.read_until(self.end, record).map_err(|source| ListingError::Read { line: self.line, source })?;
        if got == 0 {
            return Ok(false);
        }
        self.line += 1;
        if record.last() == Some(&self.end) {
            record.pop();
        } else if got > MOST {
            return Err(ListingError::LineTooLong { line: self.line, most: MOST });
        }
        if self.line == 1 && record.starts_with(MARK) {
            record.drain(..MARK.len());
        }
        Ok(true)
    }
}

/// UTF-16 as UTF-8; everything else as it is.
struct Recoded<R> {
    input: R,
    decoder: Option<Decoder>,
    raw: Vec<u8>,
    /// What was decoded and not yet taken.
    ready: Vec<u8>,
    taken: usize,
    over: bool,
}

impl<R: Read> Recoded<R> {
    fn new(input: R, encoding: Encoding) -> Self {
        let decoder = decoder(encoding);
        Self { input, decoder, raw: vec![0; 32 << 10], ready: Vec::new(), taken: 0, over: false }
    }

    fn fill(&mut self, decoder: &mut Decoder) -> std::io::Result<()> {
        while self.taken == self.ready.len() && !self.over {
            let got = self.input.read(&mut self.raw)?;
            self.over = got == 0;
            decode(decoder, &self.raw[..got], &mut self.ready, self.over);
            self.taken = 0;
        }
        Ok(())
    }
}

impl<R: Read> Read for Recoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(mut decoder) = self.decoder.take() else { return self.input.read(buffer) };
        let filled = self.fill(&mut decoder);
        self.decoder = Some(decoder);
        filled?;
        let ready = &self.ready[self.taken..];
        let count = ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ready[..count]);
        self.taken += count;
        Ok(count)
    }
}

fn decoder(encoding: Encoding) -> Option<Decoder> {
    match encoding {
        Encoding::Utf16Le => Some(UTF_16LE.new_decoder_with_bom_removal()),
        Encoding::Utf16Be => Some(UTF_16BE.new_decoder_with_bom_removal()),
        _ => None,
    }
}

fn decode(decoder: &mut Decoder, raw: &[u8], text: &mut Vec<u8>, last: bool) {
    text.clear();
    text.resize(decoder.max_utf8_buffer_length(raw.len()).unwrap_or(4 * raw.len() + 16), 0);
    let (_, _, written, _) = decoder.decode_to_utf8(raw, text, last);
    text.truncate(written);
}

/// The first part of a list as its lines will be.
pub(super) fn sample(raw: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut text = Vec::new();
    match decoder(encoding) {
        Some(mut decoder) => decode(&mut decoder, raw, &mut text, false),
        None => text.extend_from_slice(raw.strip_prefix(MARK).unwrap_or(raw)),
    }
    text
}
