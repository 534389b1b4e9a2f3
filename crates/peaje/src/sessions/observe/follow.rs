//! Reads a stream of samples on a thread of its own, while it is being written.
//!
//! A file is followed as it grows, so its last line may be half written at any moment: a line counts once its end is
//! there.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use peaje_model::MemorySample;

use super::samples::{By, Samples};
use crate::exit::hinted;
use crate::files;

/// How long the first sample may take.
const FIRST: Duration = Duration::from_secs(10);
/// How often a file is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long a sample that is newer than the instant asked for is waited for, at most.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A stream of samples from the server's machine.
pub(crate) struct Observed {
    name: String,
    by: By,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    samples: Mutex<Samples>,
    more: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Samples> {
        // Nothing panics while it is held; if it did, the samples would still be samples.
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observed {
    /// Opens the stream (`-` = standard input) and waits for its first sample.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let shared = Arc::new(Shared::default());
        let weak = Arc::downgrade(&shared);
        let (name, by) = if files::is_stdout(path) {
            follow("standard input", weak, || Ok(Source::Pipe(std::io::stdin())))?;
            ("standard input".to_owned(), By::Arrival)
        } else {
            let name = path.display().to_string();
            let regular = std::fs::metadata(path).map_err(|error| cannot_read(&name, &error))?.is_file();
            let path: PathBuf = path.to_owned();
            // Opening a named pipe waits for its writer.
            let open =
                move || File::open(&path).map(|file| if regular { Source::File(file) } else { Source::Pipe(file) });
            follow(&name, weak, open)?;
            (name, if regular { By::Clock } else { By::Arrival })
        };
        let observed = Self { name, by, shared };
        observed.wait(FIRST, |samples| samples.newest().is_some());
        let samples = observed.shared.lock();
        if samples.newest().is_none() {
            let why = samples.broken.clone().unwrap_or_else(|| {
                if samples.ended {
                    "it holds no sample".to_owned()
                } else {
                    format!("no sample came within {} s", FIRST.as_secs())
                }
            });
            return Err(observed.broken(&why));
        }
        drop(samples);
        Ok(observed)
    }

    /// The sample nearest to an instant of this machine's clock (microseconds since 1970). Waits until a later one has
    /// come, as long as samples usually take.
    pub(crate) fn at(&self, clock_us: i64) -> anyhow::Result<MemorySample> {
        let usual = self.shared.lock().interval_us().unwrap_or(1_000_000);
        let limit = Duration::from_micros(usual.unsigned_abs()).saturating_mul(2) + Duration::from_millis(500);
        self.wait(limit.min(LONGEST_WAIT), |samples| samples.newest() >= Some(clock_us));
        let samples = self.shared.lock();
        let (distance_us, sample) = samples.nearest(clock_us).ok_or_else(|| self.broken("it holds no sample"))?;
        if distance_us.saturating_abs() <= samples.reach_us() {
            return Ok(sample.clone());
        }
        let seconds = distance_us.unsigned_abs() as f64 / 1e6;
        let side = if distance_us < 0 { "before" } else { "after" };
        let why =
            samples.broken.clone().unwrap_or_else(|| format!("its nearest sample is {seconds:.0} s {side} the step"));
        Err(self.broken(&why))
    }

    /// What was taken for granted about clocks, as a sentence.
    pub(crate) fn assumption(&self) -> &'static str {
        match self.by {
            By::Arrival => {
                "samples of the server's machine are told by when they arrived here: what the pipe holds back is not seen"
            }
            By::Clock => {
                "samples of the server's machine are told by its own clock, which is taken to agree with this machine's"
            }
        }
    }

    fn wait(&self, limit: Duration, done: impl Fn(&Samples) -> bool) {
        let end = Instant::now() + limit;
        let mut samples = self.shared.lock();
        while !done(&samples) && !samples.ended && samples.broken.is_none() {
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else { return };
            samples = self.shared.more.wait_timeout(samples, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn broken(&self, why: &str) -> anyhow::Error {
        hinted(
            format!("--observed-by {}: {why}", self.name),
            "let `peaje sessions --observe --server-pid PID` run on the server's machine, and compare the clocks",
        )
    }
}

fn cannot_read(name: &str, error: &std::io::Error) -> anyhow::Error {
    hinted(
        format!("cannot read {name}: {error}"),
        "give --observed-by the file into which `peaje sessions --observe` prints, or `-` for standard input",
    )
}

/// Where lines come from.
enum Source<R> {
    /// Its end is the end.
    Pipe(R),
    /// It may grow.
    File(File),
}

/// Starts the reading thread. It ends with its source, or when nobody wants the samples any more.
fn follow<R: Read + 'static>(
    name: &str,
    shared: Weak<Shared>,
    open: impl FnOnce() -> std::io::Result<Source<R>> + Send + 'static,
) -> anyhow::Result<()> {
    let read = move || {
        let outcome = open().and_then(|source| match source {
            Source::Pipe(pipe) => pump(BufReader::new(pipe), &shared, By::Arrival),
            Source::File(file) => pump(BufReader::new(file), &shared, By::Clock),
        });
        let Some(shared) = shared.upgrade() else { return };
        let mut samples = shared.lock();
        samples.ended = true;
        if let Err(error) = outcome {
            samples.broken = Some(error.to_string());
        }
        shared.more.notify_all();
    };
    std::thread::Builder::new().name("observed".to_owned()).spawn(read).map_err(|error| cannot_read(name, &error))?;
    Ok(())
}

/// Hands on whole lines; what has no end yet is kept.
fn pump(mut reader: impl BufRead, shared: &Weak<Shared>, by: By) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        match reader.read_until(b'\n', &mut line) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let Some(shared) = shared.upgrade() else { return Ok(()) };
        if line.last() == Some(&b'\n') {
            let text = String::from_utf8_lossy(&line);
            shared.lock().take(&text, Timestamp::now().as_microsecond(), by);
            shared.more.notify_all();
            line.clear();
        } else if by == By::Arrival {
            return Ok(());
        } else {
            std::thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn line(clock_us: i64) -> String {
        serde_json::to_string(&MemorySample { clock_us, ..MemorySample::default() }).expect("plain data")
    }

    #[test]
    fn a_file_is_followed_and_half_a_line_waits_for_its_other_half() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let start = Timestamp::now().as_microsecond();
        let (whole, later) = (line(start), line(start + 400_000));
        write!(file, "{whole}\n{}", &later[..20]).expect("there is room");
        let observed = Observed::open(file.path()).expect("there is a sample");
        assert!(observed.assumption().contains("its own clock"));
        assert_eq!(observed.at(start).expect("near").clock_us, start);
        writeln!(file, "{}", &later[20..]).expect("there is room");
        assert_eq!(observed.at(start + 400_000).expect("it has come").clock_us, start + 400_000);
        let error = observed.at(start + 60_000_000).expect_err("too far").to_string();
        assert!(error.contains("60 s before the step"), "{error}");
        writeln!(file, "Killed").expect("there is room");
        let error = observed.at(start + 60_000_000).expect_err("no sample").to_string();
        assert!(error.contains("line 3 is no sample"), "{error}");
        assert_eq!(observed.at(start + 1_000).expect("what came before it was well").clock_us, start);
    }

    #[test]
    fn a_pipe_counts_by_arrival_and_may_end_in_the_middle() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("coreutils");
        assert!(made.success());
        let writer = {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut pipe = File::create(path).expect("the reader comes");
                // A clock of another century.
                write!(pipe, "{}\n{}", line(5), &line(6)[..15]).expect("it is read");
            })
        };
        let observed = Observed::open(&path).expect("there is a sample");
        writer.join().expect("it ends");
        assert!(observed.assumption().contains("arrived"));
        assert_eq!(observed.at(Timestamp::now().as_microsecond()).expect("it has just arrived").clock_us, 5);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let error = Observed::open(Path::new("/nowhere/samples")).err().expect("there is none").to_string();
        assert!(error.contains("/nowhere/samples"), "{error}");
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        writeln!(file, "\nsome text").expect("there is room");
        let error = Observed::open(file.path()).err().expect("no sample").to_string();
        assert!(error.contains("line 2 is no sample"), "{error}");
    }
}
