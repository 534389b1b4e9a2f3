//! `peaje report RUN`: views of a saved run, without the database.

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use peaje_model::{Run, SCHEMA};

use crate::args::ReportArgs;
use crate::exit::{Status, hinted};
use crate::files;
use crate::printer::Printer;
use crate::reports;

/// Larger than any run file; what is longer is not one.
const LARGEST: u64 = 256 * 1024 * 1024;

pub(crate) fn run(args: &ReportArgs, printer: Printer) -> anyhow::Result<Status> {
    let mut run = load(&args.run)?;
    if args.diagnose {
        run.findings = peaje_diagnose::diagnose(&run);
    }
    reports::write(&mut run, &args.output, printer)?;
    // What the run found decides only when it is asked to: an old interruption is no failure of the report.
    Ok(match reports::status(&run, &args.output) {
        Status::NotHealthy => Status::NotHealthy,
        _ => Status::Done,
    })
}

/// A saved run; `-` = standard input.
pub(crate) fn load(path: &Path) -> anyhow::Result<Run> {
    parse(&read(path)?)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let place = path.display();
    let read = if files::is_stdout(path) {
        std::io::stdin().take(LARGEST).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes))
    };
    read.map_err(|e| hinted(format!("cannot read {place}: {e}"), "give a run file that `peaje … --json FILE` wrote"))?;
    Ok(bytes)
}

fn parse(bytes: &[u8]) -> anyhow::Result<Run> {
    let written = "give a run file that `peaje … --json FILE` wrote";
    let text =
        std::str::from_utf8(bytes).map_err(|e| hinted(format!("this is no run file: not UTF-8 ({e})"), written))?;
    let value: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| {
        let cut = if e.is_eof() { "it ends too early (was the disk full?)" } else { "it is not JSON" };
        hinted(format!("this is no run file: {cut}: {e}"), written)
    })?;
    match value.get("schema").and_then(|s| s.as_str()) {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(hinted(
                format!("the run file says `{other}`, and this version reads `{SCHEMA}`"),
                "use the version of peaje that wrote it",
            ));
        }
        None => return Err(hinted("this is no run file: it has no `schema`", written)),
    }
    serde_json::from_value(value).context("the run file does not follow its schema")
}
