//! `--intervals-csv` and `--intervals-jsonl`: each interval as a line, while it comes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use peaje_watch::{Exporter, Row};

use super::args::RecordingArgs;
use crate::files;

/// A place for lines.
struct Lines {
    out: Box<dyn Write>,
    exporter: Exporter,
    line: fn(&mut Exporter, &str, &Row) -> Option<String>,
    name: String,
}

/// The places that were asked for.
pub(super) struct Rows(Vec<Lines>);

impl Rows {
    pub(super) fn open(args: &RecordingArgs) -> anyhow::Result<Self> {
        let mut places = Vec::new();
        if let Some(path) = &args.intervals_csv {
            let mut lines = Lines::open(path, Exporter::csv_line)?;
            lines.write(&Exporter::csv_header())?;
            places.push(lines);
        }
        if let Some(path) = &args.intervals_jsonl {
            places.push(Lines::open(path, Exporter::json_line)?);
        }
        Ok(Self(places))
    }

    /// Whether one of them is standard output.
    pub(super) fn take_stdout(args: &RecordingArgs) -> bool {
        [&args.intervals_csv, &args.intervals_jsonl].into_iter().flatten().any(|path| files::is_stdout(path))
    }

    pub(super) fn write(&mut self, server: &str, row: &Row) -> anyhow::Result<()> {
        for lines in &mut self.0 {
            if let Some(line) = (lines.line)(&mut lines.exporter, server, row) {
                lines.write(&line)?;
            }
        }
        Ok(())
    }
}

impl Lines {
    fn open(path: &Path, line: fn(&mut Exporter, &str, &Row) -> Option<String>) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let out: Box<dyn Write> = if files::is_stdout(path) {
            Box::new(std::io::stdout())
        } else {
            files::check_place(path)?;
            Box::new(BufWriter::new(File::create(path).with_context(|| format!("cannot write {name}"))?))
        };
        Ok(Self { out, exporter: Exporter::default(), line, name })
    }

    /// A line is whole on disk before the next one comes: whoever follows the file sees it at once.
    fn write(&mut self, line: &str) -> anyhow::Result<()> {
        let written = writeln!(self.out, "{}", line.trim_end_matches('\n')).and_then(|()| self.out.flush());
        match written {
            // A reader that has gone away is no error.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other.with_context(|| format!("cannot write {}", self.name)),
        }
    }
}
