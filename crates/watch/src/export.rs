//! One line per interval, as CSV or JSON. Columns only ever get added, at the end.
//!
//! Counters are given as they stood, cumulative, so that an exported file can be replayed; an empty field is unknown.

use std::collections::HashMap;
use std::fmt::Write;

use peaje_engine::WatchCounters;
use serde_json::{Map, Value, json};

use crate::moment::rfc3339;
use crate::row::{Counter, Cut, Interval, Row};

/// Follows the rows of several servers and writes their lines.
#[derive(Debug, Default)]
pub struct Exporter {
    /// The counters of each server as they stood.
    servers: HashMap<String, WatchCounters>,
}

/// What a line says.
struct Line<'a> {
    at_us: i64,
    row: &'a Interval,
    totals: WatchCounters,
    interval_s: Option<f64>,
}

impl Exporter {
    /// The first line of a CSV file.
    pub fn csv_header() -> String {
        let counters = Counter::ALL.map(Counter::column).join(",");
        format!(
            "server,time,t_s,interval_s,gap,sessions,active,waiting,{counters},logins_per_s,logouts_per_s,births,deaths"
        )
    }

    /// The CSV line of a row, without its end; `None` when the row is no interval.
    pub fn csv_line(&mut self, server: &str, row: &Row) -> Option<String> {
        let line = self.line(server, row)?;
        let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        let rate = |counter: Counter| line.rate(counter).map_or(String::new(), |rate| format!("{rate:.6}"));
        let mut text = String::new();
        let seconds = line.at_us as f64 / 1e6;
        let length = line.interval_s.map_or(String::new(), |length| format!("{length:.3}"));
        let _ = write!(text, "{},{},{seconds:.3},{length},{}", quoted(server), rfc3339(line.at_us), line.gap());
        for gauge in [line.row.sessions, line.row.active, line.row.waiting] {
            let _ = write!(text, ",{}", number(gauge));
        }
        for counter in Counter::ALL {
            let _ = write!(text, ",{}", number(counter.of(&line.totals)));
        }
        let (births, deaths) = (line.row.births.len(), line.row.deaths.len());
        let _ = write!(text, ",{},{},{births},{deaths}", rate(Counter::Logins), rate(Counter::Logouts));
        Some(text)
    }

    /// The JSON object of a row, on one line, without its end; `None` when the row is no interval.
    pub fn json_line(&mut self, server: &str, row: &Row) -> Option<String> {
        let line = self.line(server, row)?;
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
        put("server", json!(server));
        put("time", json!(rfc3339(line.at_us)));
        put("t_s", json!(line.at_us as f64 / 1e6));
        put("interval_s", json!(line.interval_s));
        put("gap", if line.gap().is_empty() { Value::Null } else { json!(line.gap()) });
        put("sessions", json!(line.row.sessions));
        put("active", json!(line.row.active));
        put("waiting", json!(line.row.waiting));
        for counter in Counter::ALL {
            put(counter.column(), json!(counter.of(&line.totals)));
        }
        put("logins_per_s", json!(line.rate(Counter::Logins)));
        put("logouts_per_s", json!(line.rate(Counter::Logouts)));
        put("births", json!(line.row.births.len()));
        put("deaths", json!(line.row.deaths.len()));
        Some(Value::Object(object).to_string())
    }

    fn line<'a>(&mut self, server: &str, row: &'a Row) -> Option<Line<'a>> {
        let interval = row.interval()?;
        let totals = self.servers.entry(server.to_owned()).or_default();
        if let Some(known) = interval.totals {
            *totals = known;
        } else {
            for counter in Counter::ALL {
                let place = counter.place(totals);
                *place = place.zip(interval.changes.get(counter)).map(|(was, change)| was.saturating_add(change));
            }
        }
        let interval_s = interval.cut.is_none().then_some(interval.length_us as f64 / 1e6);
        Some(Line { at_us: row.at_us, row: interval, totals: *totals, interval_s })
    }
}

impl Line<'_> {
    fn gap(&self) -> &'static str {
        self.row.cut.and_then(Cut::reason).unwrap_or_default()
    }

    fn rate(&self, counter: Counter) -> Option<f64> {
        let seconds = self.interval_s.filter(|seconds| *seconds > 0.0)?;
        self.row.changes.get(counter).map(|change| change as f64 / seconds)
    }
}

/// A field that may hold separators.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r', ';']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
