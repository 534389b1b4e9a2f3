//! `--intervals-csv` and `--intervals-jsonl`: each interval as a line, while it comes.
//!
//! Each place has a thread of its own, so that a disk or a reader that sleeps holds up no reading. What waits is bounded;
//! a line that finds no room is missing from then on, which is told at once, and the command does not end with 0.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use anyhow::Context;
use peaje_watch::{Exporter, Row};

use super::args::RecordingArgs;
use crate::exit::hinted;
use crate::files;
use crate::printer::Printer;

/// Lines that may wait: a day of one server, some minutes of fifty at one second.
const MOST_WAITING: usize = 10_000;

/// A place for lines.
struct Lines {
    /// `None` when nobody reads them any more.
    writer: Option<Writer>,
    exporter: Exporter,
    line: fn(&mut Exporter, &str, &Row) -> Option<String>,
    name: String,
    missing: u64,
}

struct Writer {
    lines: SyncSender<String>,
    thread: JoinHandle<anyhow::Result<()>>,
}

/// The places that were asked for.
pub(super) struct Rows {
    places: Vec<Lines>,
    printer: Printer,
}

impl Rows {
    pub(super) fn open(args: &RecordingArgs, printer: Printer) -> anyhow::Result<Self> {
        let mut places = Vec::new();
        if let Some(path) = &args.intervals_csv {
            let mut lines = Lines::open(path, Exporter::csv_line)?;
            lines.offer(Exporter::csv_header())?;
            places.push(lines);
        }
        if let Some(path) = &args.intervals_jsonl {
            places.push(Lines::open(path, Exporter::json_line)?);
        }
        Ok(Self { places, printer })
    }

    /// Whether one of them is standard output.
    pub(super) fn take_stdout(args: &RecordingArgs) -> bool {
        [&args.intervals_csv, &args.intervals_jsonl].into_iter().flatten().any(|path| files::is_stdout(path))
    }

    /// Hands a row over; never waits.
    pub(super) fn write(&mut self, server: &str, row: &Row) -> anyhow::Result<()> {
        let alias = self.printer.redact(|redactor| redactor.text(server));
        let server = alias.as_deref().unwrap_or(server);
        for lines in &mut self.places {
            if let Some(line) = (lines.line)(&mut lines.exporter, server, row) {
                lines.offer(line)?;
            }
        }
        Ok(())
    }

    /// What the viewer has to know of them.
    pub(super) fn notes(&self) -> Vec<String> {
        self.places.iter().filter_map(Lines::lack).collect()
    }

    /// Waits until everything is written.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        self.places.into_iter().try_for_each(Lines::finish)
    }
}

impl Lines {
    fn open(path: &Path, line: fn(&mut Exporter, &str, &Row) -> Option<String>) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let out: Box<dyn Write + Send> = if files::is_stdout(path) {
            Box::new(std::io::stdout())
        } else {
            files::check_place(path)?;
            Box::new(BufWriter::new(File::create(path).with_context(|| format!("cannot write {name}"))?))
        };
        Self::start(out, line, name, MOST_WAITING)
    }

    fn start(
        mut out: Box<dyn Write + Send>,
        line: fn(&mut Exporter, &str, &Row) -> Option<String>,
        name: String,
        most_waiting: usize,
    ) -> anyhow::Result<Self> {
        let (lines, coming) = sync_channel::<String>(most_waiting);
        let place = name.clone();
        let write = move || {
            coming.into_iter().try_for_each(|line| put(&mut *out, &line)).or_else(|error| match error.kind() {
                // A reader that has gone away is no error.
                std::io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(error).with_context(|| format!("cannot write {place}")),
            })
        };
        let thread = std::thread::Builder::new().name("intervals".to_owned()).spawn(write)?;
        Ok(Self { writer: Some(Writer { lines, thread }), exporter: Exporter::default(), line, name, missing: 0 })
    }

    fn offer(&mut self, line: String) -> anyhow::Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        match writer.lines.try_send(line) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => {
                self.missing += 1;
                Ok(())
            }
            Err(TrySendError::Disconnected(_)) => self.writer.take().map_or(Ok(()), Writer::finish),
        }
    }

    fn lack(&self) -> Option<String> {
        let Self { missing, name, .. } = self;
        (*missing > 0)
            .then(|| format!("{name}: {missing} intervals are missing in it, because nobody took them in time"))
    }

    fn finish(mut self) -> anyhow::Result<()> {
        let lack = self.lack();
        self.writer.take().map_or(Ok(()), Writer::finish)?;
        lack.map_or(Ok(()), |lack| Err(hinted(lack, "write to a file, or let the reader read on")))
    }
}

impl Writer {
    fn finish(self) -> anyhow::Result<()> {
        drop(self.lines);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// A line is whole in its place before the next one comes: whoever follows the file sees it at once.
fn put(out: &mut dyn Write, line: &str) -> std::io::Result<()> {
    writeln!(out, "{}", line.trim_end_matches('\n'))?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A reader that takes a byte of each line only when it is told to.
    struct Slow {
        go_on: Receiver<()>,
        taken: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            // Once nobody tells it any more, it takes everything.
            let _ = self.go_on.recv();
            self.taken.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Lines, Sender<()>, Arc<Mutex<Vec<u8>>>) {
        let (go, go_on) = channel();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let out = Box::new(Slow { go_on, taken: taken.clone() });
        (Lines::start(out, Exporter::csv_line, "-".to_owned(), 3).expect("a thread"), go, taken)
    }

    #[test]
    fn what_finds_no_room_is_told_and_fails_the_command() {
        let (mut lines, go, taken) = slow();
        for n in 0..50 {
            lines.offer(format!("line {n}")).expect("a reader that sleeps is no error");
        }
        let lack = lines.lack().expect("three wait, one is being written");
        assert!((46..=47).contains(&lines.missing) && lack.contains("intervals are missing"), "{lack}");
        drop(go);
        let error = lines.finish().expect_err("it is incomplete");
        assert!(error.to_string().contains("intervals are missing"), "{error}");
        let text = String::from_utf8(taken.lock().expect("no panic").clone()).expect("UTF-8");
        assert!(text.starts_with("line 0\nline 1\nline 2\n"), "what waited is written: {text}");
    }

    #[test]
    fn a_reader_that_keeps_up_gets_everything() {
        let (mut lines, go, taken) = slow();
        drop(go);
        for n in 0..3 {
            lines.offer(format!("line {n}")).expect("written");
        }
        lines.finish().expect("nothing is missing");
        assert_eq!(*taken.lock().expect("no panic"), b"line 0\nline 1\nline 2\n");
    }

    #[test]
    fn a_full_disk_ends_it_with_its_reason_and_a_reader_that_left_does_not() {
        struct Broken(std::io::ErrorKind);
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        for (kind, fails) in [(std::io::ErrorKind::StorageFull, true), (std::io::ErrorKind::BrokenPipe, false)] {
            let mut lines =
                Lines::start(Box::new(Broken(kind)), Exporter::csv_line, "i.csv".to_owned(), 3).expect("a thread");
            let offered = lines.offer("line".to_owned());
            assert_eq!(offered.and_then(|()| lines.finish()).is_err(), fails, "{kind:?}");
        }
    }
}
