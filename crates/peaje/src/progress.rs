//! The progress line: on a terminal, on stderr, never in the way.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use peaje_lab::Event;

use crate::printer::Printer;

const STEPS: u64 = 1000;

/// Draws what the experiment tells.
pub(crate) struct Progress {
    bar: ProgressBar,
    labels: Vec<String>,
    stage: RefCell<String>,
    started: Instant,
}

impl Progress {
    pub(crate) fn new(labels: Vec<String>, printer: Printer) -> Self {
        let target = if printer.draws_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}").expect("the template is constant");
        bar.set_style(style);
        Self { bar, labels, stage: RefCell::default(), started: Instant::now() }
    }

    pub(crate) fn show(&self, event: &Event) {
        match event {
            Event::Stage { series, warm_up } => {
                let label = self.labels.get(*series).map_or("", String::as_str);
                *self.stage.borrow_mut() = if *warm_up { format!("{label} (warm-up)") } else { label.to_owned() };
            }
            Event::Progress { done, rate_per_s, failed } => {
                self.bar.set_position((done * STEPS as f64) as u64);
                let failed = if *failed > 0 { format!(", {failed} failed") } else { String::new() };
                let left = left(self.started.elapsed(), *done);
                let stage = self.stage.borrow();
                self.bar.set_message(format!("{stage}: {rate_per_s:.0}/s{failed}{left}"));
            }
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn left(elapsed: Duration, done: f64) -> String {
    if done < 0.02 {
        return String::new();
    }
    let left_s = elapsed.as_secs_f64() * (1.0 - done) / done;
    format!(", {left_s:.0} s left")
}
