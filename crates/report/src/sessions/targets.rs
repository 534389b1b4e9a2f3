//! Several targets of one command side by side, a row each.

use peaje_model::{Interval, SessionsResult};

use super::{said, targets};
use crate::{
    catalogue::Catalogue,
    tables::Table,
    units::{ABSENT, Units},
};

const TITLES: [&str; 8] = [
    "col-target",
    "col-per-session",
    "col-held",
    "col-open-time",
    "col-knee",
    "col-first-wall",
    "col-fixed",
    "col-of-machine",
];

/// The table; what answered stands behind the label where it is known.
pub(super) fn table(cat: &Catalogue, result: &SessionsResult) -> Table {
    Table {
        header: TITLES.iter().map(|title| cat.word(title)).collect(),
        rows: targets(result).map(|target| row(cat, target)).collect(),
    }
}

fn row(cat: &Catalogue, target: &SessionsResult) -> Vec<String> {
    let units = cat.units;
    let bytes = |interval: Option<Interval>| units.or_absent(interval.and_then(|i| i.value), Units::bytes);
    let own = target.bytes_per_session.pss.or(target.bytes_per_session.private).or(target.bytes_per_session.views);
    let seconds: f64 = target.steps.iter().map(|step| step.seconds).sum();
    let wall = target.first_wall.map(|wall| said::one_wall(cat, &wall));
    let name = match &target.answered {
        Some(answered) => format!("{} ({answered})", target.label),
        None => target.label.clone(),
    };
    vec![
        name,
        bytes(own),
        units.count(target.steps.iter().map(|step| step.sessions).max().unwrap_or(0)),
        units.elapsed(seconds),
        target.knee.map_or_else(|| ABSENT.to_owned(), |knee| units.fixed(knee.sessions, 0)),
        wall.unwrap_or_else(|| ABSENT.to_owned()),
        bytes(target.fixed_bytes),
        bytes(target.bytes_per_session.host),
    ]
}
