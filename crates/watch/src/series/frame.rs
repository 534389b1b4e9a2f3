//! The window and its bins: which moments are in it, and which are known.

use peaje_diagnose::churn::Life;

use crate::record::{Figures, Lived, Record, ServerRecord, UNKNOWN};
use crate::row::State;
use crate::series::{Analysis, BIN_S};

/// A bin is known when this much of it is.
const KNOWN: f64 = 0.999;

/// The window of an analysis, cut into bins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) start_us: i64,
    pub(crate) end_us: i64,
    pub(crate) bin_us: f64,
    pub(crate) bins: usize,
    pub(crate) scale: f64,
}

impl Frame {
    /// The last window of a record; `None` when it is empty.
    pub(crate) fn of(record: &Record, analysis: &Analysis) -> Option<Self> {
        let end_us = record.end_us()?;
        let scale = analysis.judging.time_scale.max(1e-6);
        let bin_us = BIN_S * 1e6 / scale;
        let window_us = (analysis.window.as_micros() as f64).min(record.window_us as f64);
        let bins = ((window_us / bin_us) as usize).max(1);
        let start_us = end_us - (bins as f64 * bin_us) as i64;
        Some(Self { start_us, end_us, bin_us, bins, scale })
    }

    /// Seconds of analysis since the start of the window.
    pub(crate) fn seconds(&self, at_us: i64) -> f64 {
        (at_us - self.start_us) as f64 / 1e6 * self.scale
    }

    /// The bin a moment falls into.
    pub(crate) fn bin(&self, at_us: i64) -> Option<usize> {
        let bin = ((at_us - self.start_us) as f64 / self.bin_us).floor();
        (bin >= 0.0 && bin < self.bins as f64).then_some(bin as usize)
    }

    /// The last moment of a bin.
    pub(crate) fn bin_end_us(&self, bin: usize) -> f64 {
        self.start_us as f64 + (bin + 1) as f64 * self.bin_us
    }

    /// The bins that a stretch overlaps, each with the part of the stretch that lies in it.
    pub(crate) fn parts(&self, from_us: i64, to_us: i64) -> impl Iterator<Item = (usize, f64)> {
        let (from, to) = ((from_us - self.start_us) as f64 / self.bin_us, (to_us - self.start_us) as f64 / self.bin_us);
        let length = (to - from).max(f64::MIN_POSITIVE);
        let first = from.max(0.0).floor() as usize;
        let last = to.min(self.bins as f64).max(0.0).ceil() as usize;
        (first..last).map(move |bin| {
            let overlap = to.min((bin + 1) as f64) - from.max(bin as f64);
            (bin, (overlap / length).max(0.0))
        })
    }

    /// Which bins are covered by the rows that are good for something.
    pub(crate) fn known(&self, server: &ServerRecord, good: impl Fn(&Figures) -> bool) -> Vec<bool> {
        let mut covered = vec![0.0; self.bins];
        for row in self.rows(server).filter(|row| good(row)) {
            let bins_long = (row.to_us - row.from_us) as f64 / self.bin_us;
            self.parts(row.from_us, row.to_us).for_each(|(bin, part)| covered[bin] += part * bins_long);
        }
        covered.into_iter().map(|covered| covered >= KNOWN).collect()
    }

    /// The rows that end within the window.
    pub(crate) fn rows<'a>(&self, server: &'a ServerRecord) -> impl Iterator<Item = &'a Figures> {
        let start_us = self.start_us;
        server.rows.iter().filter(move |row| row.to_us > start_us)
    }

    /// A session that ended, as the analysis sees it.
    pub(crate) fn life(&self, life: &Lived, process: Option<u64>, pool: u64) -> Life {
        Life {
            opened_s: self.seconds(life.opened_us),
            closed_s: Some(self.seconds(life.closed_us)),
            closed_within_s: f64::from(life.within_us) / 1e6 * self.scale,
            idle_s: (life.idle_ms != UNKNOWN).then(|| f64::from(life.idle_ms) / 1e3 * self.scale),
            used: life.used,
            process,
            pool,
        }
    }

    /// A session that is open, as the analysis sees it.
    pub(crate) fn open(&self, opened_us: i64, idle: (State, i64), process: Option<u64>, pool: u64) -> Life {
        let (state, anchor_us) = idle;
        let idle_us = state.idle_since_us.map(|since| (self.end_us - since - anchor_us).max(0));
        Life {
            opened_s: self.seconds(opened_us),
            closed_s: None,
            closed_within_s: 0.0,
            idle_s: idle_us.map(|us| us as f64 / 1e6 * self.scale),
            used: state.used,
            process,
            pool,
        }
    }
}
