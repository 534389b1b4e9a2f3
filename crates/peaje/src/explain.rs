//! `peaje explain CODE`: the page of a finding.

use std::fmt::Write as _;

use peaje_diagnose::DIAGNOSES;

use crate::args::ExplainArgs;
use crate::exit::{Status, hinted};
use crate::language;
use crate::printer::Printer;

pub(crate) fn run(args: &ExplainArgs, printer: Printer) -> anyhow::Result<Status> {
    let language = language::choose(args.lang);
    let text = match &args.code {
        Some(code) => {
            let diagnosis = DIAGNOSES.iter().find(|d| d.code == code.trim()).ok_or_else(|| unknown(code))?;
            diagnosis.page(language).to_owned()
        }
        None => list(language),
    };
    printer.result(&text)?;
    Ok(Status::Done)
}

/// Codes with the titles of their pages.
fn list(language: peaje_diagnose::Language) -> String {
    let width = DIAGNOSES.iter().map(|d| d.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    for diagnosis in DIAGNOSES {
        let title = diagnosis.page(language).lines().next().unwrap_or("").trim_start_matches('#').trim();
        let _ = writeln!(text, "{:width$}  {title}", diagnosis.code);
    }
    text
}

fn unknown(code: &str) -> anyhow::Error {
    let codes: Vec<&str> = DIAGNOSES.iter().map(|d| d.code).collect();
    hinted(format!("there is no finding `{code}`"), format!("one of: {}", codes.join(", ")))
}
