//! A bare series from a CSV file: what a monitor exported, or what a DBA wrote down with a script.
//!
//! Counters are cumulative, as servers have them; a fall is a reset. A column that is missing makes what needs it
//! unknown, never 0. Semicolons, tabs, decimal commas, a byte order mark and CRLF are taken as they come.

mod error;

use std::collections::BTreeMap;
use std::time::Duration;

use csv::{ReaderBuilder, StringRecord};
use peaje_engine::{ServerIdentity, WatchCounters, WatchReading};
use peaje_model::GroupKind;

use error::{broken, shortened};

pub use error::CsvError;

use crate::differ::{Cadence, Differ, Moment, Resume};
use crate::record::Record;
use crate::row::Counter;

/// Times beyond this many seconds (over 3,000 years) are a mistake.
const LATEST_S: f64 = 1e11;
/// The largest whole number that a float holds exactly.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Time,
    Server,
    Application,
    Sessions,
    Active,
    Waiting,
    Cumulative(Counter),
}

impl Column {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "t_s" => Self::Time,
            "server" => Self::Server,
            "app" => Self::Application,
            "sessions" => Self::Sessions,
            "active" => Self::Active,
            "waiting" => Self::Waiting,
            _ => Self::Cumulative(Counter::ALL.into_iter().find(|counter| counter.column() == name)?),
        })
    }

    fn is_figure(self) -> bool {
        !matches!(self, Self::Time | Self::Server | Self::Application)
    }
}

/// One line.
#[derive(Debug, Clone, Copy)]
struct Line {
    t_us: i64,
    counters: WatchCounters,
}

/// The lines of each server and application; no application is the instance.
type Groups = BTreeMap<(Option<String>, Option<String>), Vec<Line>>;

/// The record of a CSV file. `name` is the server's where the file has no column `server`.
pub fn replay_csv(name: &str, text: &[u8], window: Duration) -> Result<Record, CsvError> {
    let groups = read(text)?;
    let lines: usize = groups.values().map(Vec::len).sum();
    if lines < 2 {
        return Err(CsvError::TooShort { lines });
    }
    let mut record = Record::new(window);
    for ((server, application), mut lines) in groups {
        let label = server.unwrap_or_else(|| name.to_owned());
        let place = match &application {
            Some(application) => record.group(&label, application, GroupKind::Application),
            None => record.server(&label),
        };
        derive(&mut lines);
        push(&mut record, place, &label, &lines, window);
    }
    Ok(record)
}

fn push(record: &mut Record, place: usize, label: &str, lines: &[Line], window: Duration) {
    let window_us = i64::try_from(window.as_micros()).unwrap_or(i64::MAX / 4);
    let mut differ = Differ::new(Cadence::of(usual_gap_us(lines), window_us), Resume::default());
    for line in lines {
        let reading = WatchReading {
            identity: ServerIdentity { name: label.to_owned(), started_us: None, origin: String::new() },
            server_clock_us: line.t_us,
            counters: line.counters,
            sessions: None,
            gaps: Vec::new(),
        };
        record.push(place, &differ.reading(Moment::exact(line.t_us), &reading));
    }
}

/// The median distance of two lines.
fn usual_gap_us(lines: &[Line]) -> i64 {
    let mut gaps: Vec<i64> = lines.windows(2).map(|pair| pair[1].t_us - pair[0].t_us).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied().unwrap_or(1)
}

/// Of logins, logouts and open sessions, any two tell the third.
fn derive(lines: &mut [Line]) {
    let spare = lines.iter().filter_map(|line| {
        let (logins, sessions) = (line.counters.logins_total?, line.counters.sessions?);
        Some(sessions.saturating_sub(logins))
    });
    let spare = spare.max().unwrap_or_default();
    for Line { counters, .. } in lines {
        match (counters.logins_total, counters.logouts_total, counters.sessions) {
            (Some(logins), None, Some(sessions)) => {
                counters.logouts_total = Some(logins.saturating_add(spare).saturating_sub(sessions));
            }
            (None, Some(logouts), Some(sessions)) => counters.logins_total = logouts.checked_add(sessions),
            _ => {}
        }
    }
}

fn read(text: &[u8]) -> Result<Groups, CsvError> {
    let text = std::str::from_utf8(text).map_err(|_| CsvError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    lines(text).map_err(|error| error.numbered(text))
}

/// The lines. Errors name the place in the text, for the number of a line is counted only when it is wanted.
fn lines(text: &str) -> Result<Groups, CsvError> {
    let first = text.lines().next().unwrap_or_default();
    let delimiter = [b';', b'\t'].into_iter().find(|byte| first.as_bytes().contains(byte)).unwrap_or(b',');
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut records = reader.records();
    let header = records.next().ok_or(CsvError::Empty)?.map_err(|error| broken(&error))?;
    let header = head(&header)?;
    let mut groups = Groups::new();
    for record in records {
        let record = record.map_err(|error| broken(&error))?;
        let number = record.position().map_or(0, csv::Position::byte);
        if record.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let (key, line) = line(&header, &record, number, delimiter)?;
        let lines = groups.entry(key.clone()).or_default();
        if lines.last().is_some_and(|last| last.t_us >= line.t_us) {
            let of = key.1.map_or(String::new(), |app| format!(" of {}", shortened(&app)));
            return Err(CsvError::Backwards { line: number, of });
        }
        lines.push(line);
    }
    Ok(groups)
}

type Header = Vec<Option<(Column, String)>>;

fn head(record: &StringRecord) -> Result<Header, CsvError> {
    if record.iter().all(|field| field.trim().is_empty()) {
        return Err(CsvError::Empty);
    }
    let mut header: Header = Vec::new();
    for field in record {
        let name = field.trim().to_ascii_lowercase();
        let column = Column::named(&name);
        if column.is_some_and(|column| header.iter().flatten().any(|(known, _)| *known == column)) {
            return Err(CsvError::Twice { column: name });
        }
        header.push(column.map(|column| (column, name)));
    }
    if !header.iter().flatten().any(|(column, _)| *column == Column::Time) {
        let found = record.iter().map(|name| shortened(name.trim())).collect::<Vec<_>>().join(", ");
        return Err(CsvError::NoTime { found: found.chars().take(500).collect() });
    }
    if header.iter().flatten().any(|(column, _)| column.is_figure()) { Ok(header) } else { Err(CsvError::NoFigure) }
}

type Key = (Option<String>, Option<String>);

fn line(header: &Header, record: &StringRecord, number: u64, delimiter: u8) -> Result<(Key, Line), CsvError> {
    if record.len() != header.len() {
        let (found, expected) = (record.len() as u64, header.len() as u64);
        return Err(CsvError::Fields { line: number, found, expected });
    }
    let mut key = (None, None);
    let mut time_s = None;
    let mut counters = WatchCounters::default();
    for (field, column) in record.iter().map(str::trim).zip(header) {
        let Some((column, name)) = column else { continue };
        let wrong = |what| CsvError::NoNumber { line: number, column: name.clone(), text: shortened(field), what };
        match column {
            Column::Server => key.0 = Some(field.to_owned()).filter(|text| !text.is_empty()),
            Column::Application => key.1 = Some(field.to_owned()).filter(|text| !text.is_empty()),
            Column::Time => {
                let seconds = float(field, delimiter).filter(|seconds| seconds.abs() <= LATEST_S);
                time_s = Some(seconds.ok_or_else(|| wrong("time in seconds"))?);
            }
            figure => {
                let place = match figure {
                    Column::Sessions => &mut counters.sessions,
                    Column::Active => &mut counters.active,
                    Column::Waiting => &mut counters.waiting,
                    Column::Cumulative(counter) => counter.place(&mut counters),
                    Column::Time | Column::Server | Column::Application => continue,
                };
                *place = count(field, delimiter).map_err(|()| wrong("count (a number that is not negative)"))?;
            }
        }
    }
    // The header names the column, so every line has the field.
    let t_us = (time_s.unwrap_or_default() * 1e6).round() as i64;
    Ok((key, Line { t_us, counters }))
}

fn float(field: &str, delimiter: u8) -> Option<f64> {
    let number = if delimiter == b',' { field.parse() } else { field.replace(',', ".").parse() };
    number.ok().filter(|number: &f64| number.is_finite())
}

/// Nothing, or a word for it, is unknown.
fn count(field: &str, delimiter: u8) -> Result<Option<u64>, ()> {
    if field.is_empty() || ["null", "nan", "na", "n/a", "-"].iter().any(|word| field.eq_ignore_ascii_case(word)) {
        return Ok(None);
    }
    if let Ok(whole) = field.parse() {
        return Ok(Some(whole));
    }
    let number = float(field, delimiter).filter(|number| (0.0..LARGEST).contains(number)).ok_or(())?;
    Ok(Some(number.round() as u64))
}
