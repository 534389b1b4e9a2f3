//! A run as text, JSON, CSV or one self-contained HTML page, in English or Spanish.
//!
//! Pure: a [`Run`] in, a string out. Every word a reader sees comes from the Fluent catalogues under `locales/`; every
//! figure from the module `units`. What is known about a series stays apart as operations and logins: with a pool an
//! operation is not a login, and no output calls it one.

mod catalogue;
mod checked;
mod findings;
mod html;
mod parts;
mod pieces;
mod plot;
mod predictions;
mod screen;
mod sections;
mod sessions;
mod spreadsheet;
mod tables;
mod text;
mod units;
mod watched;
mod words;

use peaje_model::Run;

pub use findings::{FindingSentence, catalogue_has, finding_sentence};
pub use html::html;
pub use peaje_diagnose::Language;
pub use pieces::pieces;
pub use screen::{Value, Words};
pub use sessions::StepTable;
pub use spreadsheet::csv;
pub use text::{Styling, TextOptions, text, text_after_steps};

/// The run file itself: pretty JSON with a newline at the end.
pub fn json(run: &Run) -> String {
    let mut json = serde_json::to_string_pretty(run).expect("a run has string keys and no failing serializer");
    json.push('\n');
    json
}
