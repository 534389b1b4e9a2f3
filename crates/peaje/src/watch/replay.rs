//! `peaje watch --replay FILE`: the verdicts of a recording or of a bare series, without the database.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use peaje_model::Ended;
use peaje_watch::{Record, replay_csv, replay_db, result};

use super::{WatchArgs, judging, outcome};
use crate::exit::{Status, hinted};
use crate::files;
use crate::printer::Printer;
use crate::reports;

/// What a recording begins with; anything else is read as a series.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// Larger than any series one writes by hand or exports; what is longer is not one.
const LARGEST: u64 = 256 * 1024 * 1024;

pub(super) fn run(file: &Path, args: &WatchArgs, printer: Printer) -> anyhow::Result<Status> {
    let analysis = judging::analysis(args)?;
    let record = read(file, args)?;
    let servers = record.servers();
    let what_answered = servers.first().and_then(|server| record.what_answered(server));
    let around = outcome::Around {
        target: outcome::recorded(&file.display().to_string(), &servers, what_answered),
        what_answered: what_answered.cloned(),
        shown: &[],
        started_at: outcome::moment(record.begin_us().unwrap_or_default()),
        finished_at: outcome::moment(record.end_us().unwrap_or_default()),
        ended: Ended::Completed,
        gaps: Vec::new(),
    };
    let mut run = outcome::judged(outcome::draft(args, &analysis, around), result(&record, &analysis));
    reports::write(&mut run, &args.output, printer)?;
    Ok(reports::status(&run, &args.output))
}

fn read(file: &Path, args: &WatchArgs) -> anyhow::Result<Record> {
    let window = args.sampling.window;
    let name = file.display().to_string();
    let unreadable = |error: std::io::Error| {
        hinted(format!("cannot read {name}: {error}"), "give a recording (peaje watch --record FILE) or a CSV file")
    };
    if files::is_stdout(file) {
        let mut text = Vec::new();
        std::io::stdin().take(LARGEST).read_to_end(&mut text).map_err(unreadable)?;
        return series("standard input", &text, window);
    }
    let mut opened = std::fs::File::open(file).map_err(unreadable)?;
    let mut head = Vec::new();
    opened.by_ref().take(SQLITE.len() as u64).read_to_end(&mut head).map_err(unreadable)?;
    if head == SQLITE {
        return replay_db(file, window).map_err(|error| {
            hinted(error.to_string(), "give a whole recording, as peaje watch --record FILE wrote it")
        });
    }
    opened.take(LARGEST).read_to_end(&mut head).map_err(unreadable)?;
    let label = file.file_stem().map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
    series(&label, &head, window)
}

fn series(name: &str, text: &[u8], window: Duration) -> anyhow::Result<Record> {
    let next = "give a recording (peaje watch --record FILE), or mend the file: a header with t_s, then a line of numbers for each reading";
    replay_csv(name, text, window).map_err(|error| hinted(error.to_string(), next))
}
