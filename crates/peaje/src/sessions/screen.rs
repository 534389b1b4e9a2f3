//! What a person sees while the ladder is climbed: a row of the table as each step ends, and on a terminal how far the
//! step is. Rows are results and go where the report goes; the line of progress is talk.

use std::cell::Cell;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use peaje_model::SessionsResult;
use peaje_report::StepTable;

use crate::printer::Printer;

/// Where rows go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// Standard output.
    Result,
    /// Standard error, because a document goes to standard output.
    Talk,
}

/// Draws.
pub(super) struct Screen {
    table: StepTable,
    printer: Printer,
    rows: Rows,
    bar: ProgressBar,
    /// Whether the line of progress is there.
    drawn: Cell<bool>,
}

impl Screen {
    /// Time between two drawings.
    pub(super) const TICK: Duration = Duration::from_millis(100);

    pub(super) fn new(table: StepTable, printer: Printer, rows: Rows) -> Self {
        let target = if printer.draws_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}").expect("the template is constant"));
        Self { table, printer, rows, bar, drawn: Cell::new(false) }
    }

    /// A target begins.
    pub(super) fn begin(&self, result: &SessionsResult) {
        let answered = result.answered.as_ref().map(|words| format!(" ({words})")).unwrap_or_default();
        self.line(&format!("{}{answered}", result.label));
        self.line(&self.table.header());
    }

    /// So many of the step's sessions are open.
    pub(super) fn tick(&self, wanted: u64, held: u64) {
        self.bar.set_length(wanted);
        self.bar.set_position(held);
        self.bar.set_message("sessions open");
        self.drawn.set(true);
    }

    /// The last step has been measured.
    pub(super) fn step(&self, result: &SessionsResult) {
        if let Some(step) = result.steps.last() {
            self.line(&self.table.row(step));
        }
    }

    /// The target is done.
    pub(super) fn end(&self) {
        self.clear();
        self.line("");
    }

    fn clear(&self) {
        if self.drawn.replace(false) {
            // A finished bar draws nothing more: this one goes on.
            self.bar.suspend(|| {});
            self.bar.reset();
        }
    }

    fn line(&self, text: &str) {
        self.bar.suspend(|| match self.rows {
            // A reader that has gone shows when the report is written.
            Rows::Result => {
                let shown = self.printer.redact(|redactor| redactor.text(text));
                let _ = self.printer.result(&format!("{}\n", shown.as_deref().unwrap_or(text)));
            }
            Rows::Talk => self.printer.say(text),
        });
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
