//! Where the time of an operation goes, for bars, plots and sentences alike.
//!
//! Which parts there are depends on the mode: an unpooled operation is made of login phases, a pooled one of waiting
//! for the pool, the query and giving back, a persistent one of its query and its
//! part of opening the session. The logins a pool makes are not
//! mixed into its operations.

use peaje_model::{Mode, Phase, Series};

use crate::{catalogue::Catalogue, words};

/// One part of an operation's mean time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// Its letter, the same in every output.
    pub(crate) letter: char,
    /// Its name in the reader's language.
    pub(crate) name: String,
    /// Mean, microseconds.
    pub(crate) mean_us: f64,
    /// Part of the whole, 0 to 1.
    pub(crate) share: f64,
    /// Which colour: an index into the palettes of text and plots.
    pub(crate) colour: usize,
}

impl Part {
    /// Whether it is worth a word: a literal address is "resolved" in a microsecond too.
    pub(crate) fn matters(&self) -> bool {
        self.share >= 0.0005
    }
}

/// Every part that can occur: letter, colour index.
const WAIT: (char, usize) = ('W', 9);
const QUERY: (char, usize) = ('Q', 7);
const OPEN: (char, usize) = ('O', 10);
const GIVE_BACK: (char, usize) = ('G', 11);

/// The parts of a series' operation that took time, in the order in which they happen; empty without figures.
pub(crate) fn of(cat: &Catalogue, series: &Series) -> Vec<Part> {
    let raw = match series.mode {
        Mode::Unpooled => login_parts(cat, series),
        Mode::Pooled => pool_parts(cat, series),
        Mode::Persistent => kept_parts(cat, series),
    };
    with_shares(raw)
}

/// The sum of the parts, microseconds; `None` without figures.
pub(crate) fn total_us(parts: &[Part]) -> Option<f64> {
    (!parts.is_empty()).then(|| parts.iter().map(|p| p.mean_us).sum())
}

fn login_parts(cat: &Catalogue, series: &Series) -> Vec<Part> {
    Phase::ALL
        .into_iter()
        .filter_map(|phase| {
            let mean = series.phases_us.get(&phase)?.mean;
            part((words::letter(phase), phase.index()), words::phase(cat, phase), mean)
        })
        .collect()
}

/// Each worker's first operation opens its session: what the mean holds besides the query.
fn kept_parts(cat: &Catalogue, series: &Series) -> Vec<Part> {
    let query = series.query_us.mean;
    let opening = series.service_us.mean.zip(query).map(|(all, query)| all - query);
    [part(OPEN, cat.word("part-open"), opening), part(QUERY, cat.word("part-query"), query)]
        .into_iter()
        .flatten()
        .collect()
}

fn pool_parts(cat: &Catalogue, series: &Series) -> Vec<Part> {
    let Some(pool) = series.pool_us else { return Vec::new() };
    [
        part(WAIT, cat.word("part-wait"), pool.wait.mean),
        part(QUERY, cat.word("part-query"), pool.query.mean),
        part(GIVE_BACK, cat.word("part-give-back"), pool.give_back.mean),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn part((letter, colour): (char, usize), name: String, mean: Option<f64>) -> Option<Part> {
    let mean_us = mean.filter(|m| m.is_finite() && *m > 0.0)?;
    Some(Part { letter, name, mean_us, share: 0.0, colour })
}

fn with_shares(mut parts: Vec<Part>) -> Vec<Part> {
    let total: f64 = parts.iter().map(|p| p.mean_us).sum();
    for part in &mut parts {
        part.share = part.mean_us / total;
    }
    parts
}
