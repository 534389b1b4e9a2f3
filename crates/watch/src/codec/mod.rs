//! A row as bytes: packed column by column, then compressed.
//!
//! The bytes are the same in a file and nowhere else: in memory the window is kept digested. Times are kept to the
//! millisecond where [`crate::row`] says so; everything else comes back exactly.

mod bytes;
mod sessions;
#[cfg(test)]
mod tests;

use std::cell::RefCell;

use bytes::{Reader, Writer};
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use peaje_engine::{ServerIdentity, WatchCounters};
use peaje_model::Gap;

use crate::row::{Changes, Counter, Cut, Interval, Missed, Origin, Row, ServerNote, What};

/// Bytes that are no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a row of the recording is damaged")]
pub struct Damaged;

/// Bodies below this many bytes are kept as they are: compression would make them longer.
const WORTH_COMPRESSING: usize = 64;
/// No row is longer than this when unpacked.
const LONGEST: usize = 256 << 20;
/// No moment is further from 1970 than this (over a thousand years), so that sums of a few never overflow.
const LATEST_US: i64 = 1 << 55;
const PLAIN: u8 = 0;
const COMPRESSED: u8 = 1;

thread_local! {
    // 300 KiB of tables that are cleared, not allocated, for every row.
    static COMPRESSOR: RefCell<Box<CompressorOxide>> =
        RefCell::new(Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(6, 0, 0))));
}

/// The bytes of a row; its moment stands beside them.
///
/// # Errors
/// A moment in it cannot be: what is written must be read again, or the whole recording is lost.
pub fn encode(row: &Row) -> Result<Vec<u8>, Damaged> {
    past(row.at_us)?;
    let mut body = Writer::default();
    match &row.what {
        What::Server(note) => put_server(&mut body, note),
        What::Interval(interval) => {
            can_be(interval)?;
            put_interval(&mut body, interval);
        }
        What::Missed(missed) => {
            body.byte(2);
            body.text(&missed.message);
            body.optional_text(missed.hint.as_deref());
        }
    }
    Ok(pack(&body.0))
}

/// Whether reading will accept every moment of an interval.
fn can_be(row: &Interval) -> Result<(), Damaged> {
    let length = i64::try_from(row.length_us).map_err(|_| Damaged)?;
    let started = row.identity.as_ref().and_then(|identity| identity.started_us);
    let since = row.totals.and_then(|totals| totals.since_us);
    let all = [Some(row.server_us), Some(length), started, since];
    all.into_iter().flatten().try_for_each(|us| past(us).map(drop))?;
    sessions::can_be(row)
}

/// The row behind the bytes.
pub fn decode(at_us: i64, packed: &[u8]) -> Result<Row, Damaged> {
    let body = unpack(packed)?;
    let mut reader = Reader(&body);
    let what = match reader.byte()? {
        0 => What::Server(Box::new(get_server(&mut reader)?)),
        1 => What::Interval(Box::new(get_interval(&mut reader)?)),
        2 => What::Missed(Missed { message: reader.text()?, hint: reader.optional_text()? }),
        _ => return Err(Damaged),
    };
    if reader.0.is_empty() { Ok(Row { at_us, what }) } else { Err(Damaged) }
}

/// Sessions at work by origin in a few bytes: a window holds tens of thousands of these.
pub(crate) fn pack_busy(busy: &[(u32, u32)]) -> Box<[u8]> {
    let mut body = Writer::default();
    if !busy.is_empty() {
        sessions::put_busy(&mut body, busy);
    }
    body.0.into_boxed_slice()
}

/// The other way.
pub(crate) fn unpack_busy(packed: &[u8]) -> Vec<(u32, u32)> {
    sessions::get_busy(&mut Reader(packed)).unwrap_or_default()
}

fn pack(body: &[u8]) -> Vec<u8> {
    if body.len() < WORTH_COMPRESSING {
        return [&[PLAIN], body].concat();
    }
    let mut packed = vec![COMPRESSED];
    let mut length = Writer::default();
    length.unsigned(body.len() as u64);
    packed.extend_from_slice(&length.0);
    let head = packed.len();
    packed.resize(head + body.len(), 0);
    let (status, _, written) = COMPRESSOR.with_borrow_mut(|compressor| {
        compressor.reset();
        compress(compressor, body, &mut packed[head..], TDEFLFlush::Finish)
    });
    if status != TDEFLStatus::Done {
        // It did not become shorter.
        return [&[PLAIN], body].concat();
    }
    packed.truncate(head + written);
    packed
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, Damaged> {
    let (kind, rest) = packed.split_first().ok_or(Damaged)?;
    match *kind {
        PLAIN => Ok(rest.to_vec()),
        COMPRESSED => {
            let mut reader = Reader(rest);
            let length = usize::try_from(reader.unsigned()?).map_err(|_| Damaged)?;
            // Deflate makes nothing shorter than by a factor of 1,032.
            if length > LONGEST || length > reader.0.len().saturating_mul(1040) {
                return Err(Damaged);
            }
            let mut body = vec![0; length];
            let written = decompress_slice_iter_to_slice(&mut body, std::iter::once(reader.0), false, true);
            if written == Ok(length) { Ok(body) } else { Err(Damaged) }
        }
        _ => Err(Damaged),
    }
}

fn put_server(body: &mut Writer, note: &ServerNote) {
    body.byte(0);
    body.unsigned(note.interval_us);
    body.optional(note.limit);
    let answered = note.what_answered.as_ref().and_then(|answered| serde_json::to_string(answered).ok());
    body.optional_text(answered.as_deref());
}

fn get_server(reader: &mut Reader<'_>) -> Result<ServerNote, Damaged> {
    let (interval_us, limit) = (reader.unsigned()?, reader.optional()?);
    let answered = reader.optional_text()?;
    let what_answered = answered.map(|text| serde_json::from_str(&text)).transpose().map_err(|_| Damaged)?;
    Ok(ServerNote { interval_us, limit, what_answered })
}

fn put_interval(body: &mut Writer, row: &Interval) {
    body.byte(1);
    body.signed(row.server_us);
    body.unsigned(row.length_us);
    body.byte(row.cut.map_or(0, cut_code));
    for counter in Counter::ALL {
        body.optional(row.changes.get(counter));
    }
    for gauge in [row.sessions, row.active, row.waiting] {
        body.optional(gauge);
    }
    body.byte(u8::from(row.seen));
    body.byte(u8::from(row.identity.is_some()));
    if let Some(identity) = &row.identity {
        body.text(&identity.name);
        body.flag(Some(identity.started_us.is_some()));
        body.signed(identity.started_us.unwrap_or_default());
        body.text(&identity.origin);
    }
    body.byte(u8::from(row.totals.is_some()));
    if let Some(totals) = &row.totals {
        put_totals(body, totals);
    }
    put_missing(body, row.missing.as_deref());
    put_origins(body, &row.origins);
    sessions::put(body, row);
}

fn get_interval(reader: &mut Reader<'_>) -> Result<Interval, Damaged> {
    let server_us = past(reader.signed()?)?;
    let length_us = Some(reader.unsigned()?).filter(|us| *us <= LATEST_US as u64).ok_or(Damaged)?;
    let mut row = Interval { server_us, length_us, ..Interval::default() };
    row.cut = cut_of(reader.byte()?)?;
    let mut changes = Changes::default();
    for counter in Counter::ALL {
        changes.set(counter, reader.optional()?);
    }
    row.changes = changes;
    (row.sessions, row.active, row.waiting) = (reader.optional()?, reader.optional()?, reader.optional()?);
    row.seen = reader.byte()? != 0;
    if reader.byte()? != 0 {
        let name = reader.text()?;
        let known = reader.flag()?.ok_or(Damaged)?;
        let started_us = Some(past(reader.signed()?)?).filter(|_| known);
        row.identity = Some(ServerIdentity { name, started_us, origin: reader.text()? });
    }
    if reader.byte()? != 0 {
        row.totals = Some(get_totals(reader)?);
    }
    row.missing = get_missing(reader)?;
    row.origins = get_origins(reader)?;
    sessions::get(reader, &mut row)?;
    Ok(row)
}

/// A moment that may be.
pub(crate) fn past(us: i64) -> Result<i64, Damaged> {
    if us.unsigned_abs() <= LATEST_US.unsigned_abs() { Ok(us) } else { Err(Damaged) }
}

fn put_totals(body: &mut Writer, totals: &WatchCounters) {
    body.flag(Some(totals.since_us.is_some()));
    body.signed(totals.since_us.unwrap_or_default());
    for counter in Counter::ALL {
        body.optional(counter.of(totals));
    }
    for gauge in [totals.sessions, totals.active, totals.waiting, totals.peak_sessions] {
        body.optional(gauge);
    }
}

fn get_totals(reader: &mut Reader<'_>) -> Result<WatchCounters, Damaged> {
    let known = reader.flag()?.ok_or(Damaged)?;
    let since_us = Some(past(reader.signed()?)?).filter(|_| known);
    let mut totals = WatchCounters { since_us, ..WatchCounters::default() };
    for counter in Counter::ALL {
        *counter.place(&mut totals) = reader.optional()?;
    }
    totals.sessions = reader.optional()?;
    totals.active = reader.optional()?;
    totals.waiting = reader.optional()?;
    totals.peak_sessions = reader.optional()?;
    Ok(totals)
}

fn put_missing(body: &mut Writer, missing: Option<&[Gap]>) {
    body.optional(missing.map(|gaps| gaps.len() as u64));
    for gap in missing.unwrap_or_default() {
        body.text(&gap.what);
        body.text(&gap.why);
        body.optional_text(gap.next_step.as_deref());
    }
}

fn get_missing(reader: &mut Reader<'_>) -> Result<Option<Vec<Gap>>, Damaged> {
    let Some(count) = reader.optional()? else { return Ok(None) };
    let gap = |_| Ok(Gap { what: reader.text()?, why: reader.text()?, next_step: reader.optional_text()? });
    (0..count).map(gap).collect::<Result<Vec<_>, _>>().map(Some)
}

fn put_origins(body: &mut Writer, origins: &[(u32, Origin)]) {
    body.unsigned(origins.len() as u64);
    for (id, origin) in origins {
        body.unsigned(u64::from(*id));
        for text in [&origin.application, &origin.host, &origin.user, &origin.database] {
            body.text(text);
        }
        body.optional_text(origin.authentication.as_deref());
        body.flag(origin.encrypted);
        body.byte(APART.iter().position(|apart| *apart == origin.apart).unwrap_or_default() as u8);
    }
}

const APART: [Option<&str>; 4] = [None, Some("replication"), Some("server-agent"), Some("own")];

fn get_origins(reader: &mut Reader<'_>) -> Result<Vec<(u32, Origin)>, Damaged> {
    let count = reader.length()?;
    let origin = |_| {
        let id = u32::try_from(reader.unsigned()?).map_err(|_| Damaged)?;
        let origin = Origin {
            application: reader.text()?,
            host: reader.text()?,
            user: reader.text()?,
            database: reader.text()?,
            authentication: reader.optional_text()?,
            encrypted: reader.flag()?,
            apart: *APART.get(usize::from(reader.byte()?)).ok_or(Damaged)?,
        };
        Ok((id, origin))
    };
    (0..count).map(origin).collect()
}

const CUTS: [Cut; 7] = [
    Cut::First,
    Cut::Restarted,
    Cut::CountersReset,
    Cut::AnotherServer,
    Cut::ClockStep,
    Cut::Unreachable,
    Cut::NotSampled,
];

fn cut_code(cut: Cut) -> u8 {
    CUTS.iter().position(|c| *c == cut).map_or(0, |place| place as u8 + 1)
}

fn cut_of(code: u8) -> Result<Option<Cut>, Damaged> {
    match code {
        0 => Ok(None),
        code => CUTS.get(usize::from(code) - 1).copied().map(Some).ok_or(Damaged),
    }
}
