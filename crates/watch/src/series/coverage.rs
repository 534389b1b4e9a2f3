//! How many of the logins that the server counted were seen as sessions, and whose the others were.
//!
//! A session that lives for a tenth of the interval is seen once in ten times. So a session that was seen at one reading
//! only, at a young age, stands for many that were not seen; one that was seen twice stands for itself alone.

use std::collections::HashMap;

use crate::record::ServerRecord;
use crate::row::Counter;
use crate::series::frame::Frame;

/// From this coverage on nothing is apportioned: the rest is noise of the edges.
const NEARLY_ALL: f64 = 0.9;
/// No session stands for more than this many.
const MOST: f64 = 200.0;

/// How much was seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coverage {
    /// Of all logins of the instance; `None` without a counter or without logins.
    pub(crate) share: Option<f64>,
    /// Logins of the instance that were not seen, for each that was counted.
    pub(crate) unseen: f64,
    /// Which part of the unseen ones belongs to an origin.
    pub(crate) whose: HashMap<u32, f64>,
}

/// What was seen of a server within the window.
pub(crate) fn coverage(server: &ServerRecord, frame: &Frame) -> Coverage {
    let good = |row: &&crate::record::Figures| {
        let all_kept = row.from_us >= server.lives_since_us;
        row.cut.is_none() && row.seen && all_kept && row.change(Counter::Logins).is_some()
    };
    let rows: Vec<(i64, i64)> = frame.rows(server).filter(good).map(|row| (row.from_us, row.to_us)).collect();
    let counted: f64 = frame.rows(server).filter(good).filter_map(|row| row.change(Counter::Logins)).sum();
    let within = |at_us: i64| {
        let place = rows.partition_point(|(_, to_us)| *to_us < at_us);
        rows.get(place).is_some_and(|(from_us, _)| *from_us < at_us)
    };
    let client = |origin: u32| server.origins.get(&origin).is_none_or(|origin| origin.apart.is_none());
    let mut seen = 0.0;
    let mut whose: HashMap<u32, f64> = HashMap::new();
    for life in server.ended.iter().filter(|life| !life.found && client(life.origin) && within(life.opened_us)) {
        seen += 1.0;
        if life.once {
            // It was seen at the reading before its end was noticed, at half its life on average.
            let age_us = (life.closed_us - i64::from(life.within_us) / 2 - life.opened_us).max(1) as f64;
            let interval_us = f64::from(life.within_us).max(1.0);
            let stands_for = (interval_us / (2.0 * age_us)).clamp(1.0, MOST);
            *whose.entry(life.origin).or_default() += stands_for - 1.0;
        }
    }
    let open = server.open.values().filter(|open| !open.found && client(open.origin) && within(open.opened_us));
    seen += open.count() as f64;
    if counted <= 0.0 {
        return Coverage::default();
    }
    let share = (seen / counted).min(1.0);
    let unseen = if share >= NEARLY_ALL { 0.0 } else { 1.0 - share };
    let total: f64 = whose.values().sum();
    if total > 0.0 {
        for part in whose.values_mut() {
            *part /= total;
        }
    } else {
        whose.clear();
    }
    Coverage { share: Some(share), unseen, whose }
}
