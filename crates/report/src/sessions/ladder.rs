//! The ladder as a table: a row for each step, as it comes or all at once.

use peaje_model::{SessionStep, SessionsResult};

use crate::{
    Language,
    catalogue::Catalogue,
    tables::Table,
    units::{ABSENT, Units},
};

/// A column: the id of its title, its width when rows come one by one, and its cell.
struct Column {
    title: &'static str,
    width: usize,
    cell: fn(Units, &SessionStep) -> String,
}

/// What matters least stands last: narrow terminals leave it out.
const COLUMNS: [Column; 10] = [
    Column { title: "col-held", width: 8, cell: |units, step| units.count(step.sessions) },
    Column { title: "col-step-time", width: 10, cell: |units, step| units.elapsed(step.seconds) },
    Column { title: "col-each", width: 9, cell: |units, step| units.or_absent(each_us(step), Units::time) },
    Column { title: "col-login-p50", width: 10, cell: |units, step| units.or_absent(step.login_us.p50, Units::time) },
    Column { title: "col-login-p99", width: 10, cell: |units, step| units.or_absent(step.login_us.p99, Units::time) },
    Column { title: "col-server-memory", width: 8, cell: |units, step| bytes(units, server(step)) },
    Column { title: "col-available", width: 10, cell: |units, step| bytes(units, step.memory_available_bytes) },
    Column { title: "col-fits", width: 7, cell: |units, step| units.or_absent(fits(step), |u, n| u.fixed(n, 0)) },
    Column { title: "col-processes", width: 9, cell: |units, step| count(units, step.processes) },
    Column { title: "col-threads", width: 7, cell: |units, step| count(units, step.threads) },
];

/// Columns between two columns.
const GAP: usize = 2;

/// Time of the step for each session that it opened, microseconds.
pub(crate) fn each_us(step: &SessionStep) -> Option<f64> {
    (step.opened > 0).then(|| step.seconds / step.opened as f64 * 1e6)
}

/// The server's memory in the account that was read.
pub(crate) fn server(step: &SessionStep) -> Option<u64> {
    step.pss_bytes.or(step.views_bytes)
}

fn fits(step: &SessionStep) -> Option<f64> {
    step.fit.map(|fit| fit.sessions.floor())
}

fn bytes(units: Units, bytes: Option<u64>) -> String {
    units.or_absent(bytes.map(|bytes| bytes as f64), Units::bytes)
}

fn count(units: Units, n: Option<u64>) -> String {
    n.map_or_else(|| ABSENT.to_owned(), |n| units.count(n))
}

/// All steps; columns that no step fills are left out.
pub(super) fn table(cat: &Catalogue, target: &SessionsResult) -> Table {
    let filled = |column: &&Column| target.steps.iter().any(|step| (column.cell)(cat.units, step) != ABSENT);
    let columns: Vec<&Column> = COLUMNS.iter().filter(filled).collect();
    Table {
        header: columns.iter().map(|column| cat.word(column.title)).collect(),
        rows: target
            .steps
            .iter()
            .map(|step| columns.iter().map(|column| (column.cell)(cat.units, step)).collect())
            .collect(),
    }
}

/// The ladder's table while it is climbed: columns of fixed width, so that a row can be written when its step is done.
pub struct StepTable {
    cat: Catalogue,
    /// Width of each column that is shown.
    widths: Vec<usize>,
}

impl StepTable {
    /// For a terminal of `width` columns; the last columns are left out where it does not hold them.
    pub fn new(language: Language, width: usize) -> Self {
        let cat = Catalogue::of(language);
        let wide = |column: &Column| column.width.max(cat.word(column.title).chars().count());
        let mut widths: Vec<usize> = COLUMNS.iter().map(wide).collect();
        while widths.len() > 3 && widths.iter().sum::<usize>() + GAP * (widths.len() - 1) > width {
            widths.pop();
        }
        Self { cat, widths }
    }

    /// The titles, one line without its end.
    pub fn header(&self) -> String {
        self.line(COLUMNS.iter().map(|column| self.cat.word(column.title)))
    }

    /// A step, one line without its end.
    pub fn row(&self, step: &SessionStep) -> String {
        self.line(COLUMNS.iter().map(|column| (column.cell)(self.cat.units, step)))
    }

    fn line(&self, cells: impl Iterator<Item = String>) -> String {
        let right = |(cell, width): (String, &usize)| {
            let fill = " ".repeat(width.saturating_sub(cell.chars().count()));
            format!("{fill}{cell}")
        };
        cells.zip(&self.widths).map(right).collect::<Vec<_>>().join(&" ".repeat(GAP))
    }
}

impl std::fmt::Debug for StepTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepTable").field("widths", &self.widths).finish_non_exhaustive()
    }
}
