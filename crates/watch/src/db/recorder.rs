//! Writes rows as they come, on a thread of its own: a slow disk slows no reading.
//!
//! What waits is bounded. When too much waits, rows are given up, and the recording goes on with a whole picture of each
//! server once there is room; the time in between is a gap that says so. What was committed is never touched.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{Connection, params};

use crate::codec;
use crate::db::error::{RecordError, Why, waits};
use crate::db::file::{WriterLock, open_to_write, server_id};
use crate::db::keep::Retention;
use crate::db::{replay, retention};
use crate::record::{Record, ServerRecord};
use crate::row::{Picture, Row, What};
use crate::snapshot::RecordingState;

/// Rows that may wait for the disk.
const MOST_WAITING: usize = 10_000;
/// Rows of this long are written together.
const BATCH: Duration = Duration::from_millis(500);
/// A write that failed is tried again after this.
const RETRY: Duration = Duration::from_secs(5);
/// Old rows are looked for this often.
const CLEAN_EVERY: Duration = Duration::from_secs(600);

/// How to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordingPlan {
    /// The window of verdicts, of the clock on the wall: the record of the file's end covers it.
    pub window: Duration,
    /// What is kept for how long.
    pub keep: Retention,
}

/// A recording that is open for writing.
#[derive(Debug)]
pub struct Recorder {
    record: Record,
    rows: Option<SyncSender<Job>>,
    writer: Option<JoinHandle<Result<(), RecordError>>>,
    shared: Arc<Shared>,
    /// Servers whose rows were given up.
    broken: HashSet<String>,
}

#[derive(Debug)]
struct Job {
    server: String,
    row: Row,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<RecordingState>,
    waiting: AtomicU64,
    lost: AtomicU64,
    closing: AtomicBool,
}

impl Recorder {
    /// Opens a recording, or makes one, and reads what it holds of its last window.
    pub fn open(path: &Path, plan: RecordingPlan) -> Result<Self, RecordError> {
        Self::open_with(path, plan, None)
    }

    /// The same with a limit of pages, which acts as a full disk does.
    #[doc(hidden)]
    pub fn open_with(path: &Path, plan: RecordingPlan, most_pages: Option<u32>) -> Result<Self, RecordError> {
        let (db, lock) = open_to_write(path)?;
        let record = replay::replay_db(path, plan.window)?;
        if let Some(pages) = most_pages {
            db.pragma_update(None, "max_page_count", pages).map_err(|error| RecordError::sqlite(path, error))?;
        }
        let shared = Arc::new(Shared {
            state: Mutex::new(RecordingState::Recording { rows: 0 }),
            waiting: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            closing: AtomicBool::new(false),
        });
        let (rows, jobs) = sync_channel(MOST_WAITING);
        let writer = Writer {
            db,
            _lock: lock,
            path: path.to_owned(),
            plan,
            shared: Arc::clone(&shared),
            ids: HashMap::new(),
            written: 0,
        };
        let writer = std::thread::Builder::new()
            .name("peaje-recorder".to_owned())
            .spawn(move || writer.run(&jobs))
            .map_err(|error| RecordError::io(path, error))?;
        Ok(Self { record, rows: Some(rows), writer: Some(writer), shared, broken: HashSet::new() })
    }

    /// What the file held of its last window when it was opened.
    pub fn record(&self) -> Record {
        self.record.clone()
    }

    /// How it is doing.
    pub fn state(&self) -> RecordingState {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match state {
            RecordingState::Waiting { since_us, message, .. } => RecordingState::Waiting {
                since_us,
                message,
                rows_waiting: self.shared.waiting.load(Ordering::Relaxed),
                rows_lost: self.shared.lost.load(Ordering::Relaxed),
            },
            state => state,
        }
    }

    /// Hands over a row of a server that the record holds already. Never waits.
    pub(crate) fn offer(&mut self, server: &ServerRecord, row: Row) {
        if !self.broken.contains(&server.label) {
            if !self.send(&server.label, row) {
                self.broken.insert(server.label.clone());
            }
            return;
        }
        // There were rows that nobody wrote: go on with everything there is to know, which includes this row.
        if server.whole_row().is_some_and(|whole| self.send(&server.label, whole)) {
            self.broken.remove(&server.label);
        }
    }

    fn send(&self, server: &str, row: Row) -> bool {
        let Some(rows) = &self.rows else { return false };
        self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        match rows.try_send(Job { server: server.to_owned(), row }) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.shared.waiting.fetch_sub(1, Ordering::Relaxed);
                self.shared.lost.fetch_add(1, Ordering::Relaxed);
                false
            }
        }
    }

    /// Writes what waits and closes the file.
    pub fn close(mut self) -> Result<(), RecordError> {
        self.shared.closing.store(true, Ordering::Relaxed);
        self.rows = None;
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(()),
        }
    }
}

/// The thread that writes.
struct Writer {
    db: Connection,
    // Dropped after the connection.
    _lock: WriterLock,
    path: PathBuf,
    plan: RecordingPlan,
    shared: Arc<Shared>,
    ids: HashMap<String, i64>,
    written: u64,
}

impl Writer {
    fn run(mut self, jobs: &Receiver<Job>) -> Result<(), RecordError> {
        let mut cleaned = None;
        let mut failed = None;
        while let Ok(first) = jobs.recv() {
            let batch = collect(first, jobs, &self.shared);
            if failed.is_some() {
                // Nobody is told more than once; the watch goes on.
                self.shared.waiting.fetch_sub(batch.len() as u64, Ordering::Relaxed);
                continue;
            }
            match self.write_until_done(&batch) {
                Ok(()) => {}
                Err(error) => {
                    self.tell(RecordingState::Failed { message: error.to_string() });
                    failed = Some(error);
                    continue;
                }
            }
            if cleaned.is_none_or(|at: Instant| at.elapsed() >= CLEAN_EVERY) {
                cleaned = Some(Instant::now());
                // What cannot be removed now is removed next time.
                let _ = retention::clean(&mut self.db, &self.plan);
            }
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Writes a batch, however long it takes. A full disk is waited for, unless the watch ends; what still fits is
    /// written before.
    fn write_until_done(&mut self, batch: &[Job]) -> Result<(), RecordError> {
        let mut rest = batch;
        let mut at_once = batch.len();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(at_once.clamp(1, rest.len()));
            let error = match self.write(now) {
                Ok(()) => {
                    self.written += now.len() as u64;
                    self.shared.waiting.fetch_sub(now.len() as u64, Ordering::Relaxed);
                    self.tell(RecordingState::Recording { rows: self.written });
                    rest = later;
                    continue;
                }
                Err(error) => error,
            };
            self.ids.clear();
            if !error.sqlite_error_code().is_some_and(waits) {
                return Err(RecordError::sqlite(&self.path, error));
            }
            if now.len() > 1 {
                at_once = now.len() / 2;
                continue;
            }
            self.wait(Why::of(&error).waiting());
            if self.shared.closing.load(Ordering::Relaxed) {
                let rows = self.shared.waiting.load(Ordering::Relaxed);
                return Err(RecordError::RowsLeft { path: self.path.clone(), rows, what: Why::of(&error).what() });
            }
        }
        Ok(())
    }

    fn write(&mut self, batch: &[Job]) -> Result<(), rusqlite::Error> {
        let transaction = self.db.transaction()?;
        {
            let sql = "INSERT INTO row (server, at_us, whole, width, body) VALUES (?1, ?2, ?3, 1, ?4)";
            let mut insert = transaction.prepare(sql)?;
            for Job { server, row } in batch {
                let Ok(body) = codec::encode(row) else {
                    // Nobody could read the recording again.
                    self.shared.lost.fetch_add(1, Ordering::Relaxed);
                    continue;
                };
                let id = if let Some(id) = self.ids.get(server) {
                    *id
                } else {
                    let id = server_id(&transaction, server)?;
                    self.ids.insert(server.clone(), id);
                    id
                };
                insert.execute(params![id, row.at_us, whole(row), body])?;
            }
        }
        transaction.commit()
    }

    fn wait(&self, message: String) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let since_us = match &*state {
            RecordingState::Waiting { since_us, .. } => *since_us,
            _ => SystemTime::UNIX_EPOCH.elapsed().map_or(0, |now| i64::try_from(now.as_micros()).unwrap_or_default()),
        };
        *state = RecordingState::Waiting { since_us, message, rows_waiting: 0, rows_lost: 0 };
        drop(state);
        let end = Instant::now() + RETRY;
        while Instant::now() < end && !self.shared.closing.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn tell(&self, state: RecordingState) {
        *self.shared.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// What came within half a second is written together.
fn collect(first: Job, jobs: &Receiver<Job>, shared: &Shared) -> Vec<Job> {
    let end = Instant::now() + BATCH;
    let mut batch = vec![first];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left = if shared.closing.load(Ordering::Relaxed) { Duration::ZERO } else { left };
        match jobs.recv_timeout(left) {
            Ok(job) => batch.push(job),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return batch,
        }
        if batch.len() >= MOST_WAITING {
            return batch;
        }
    }
}

/// The `whole` column of a row.
fn whole(row: &Row) -> u8 {
    match &row.what {
        What::Interval(interval) => u8::from(matches!(interval.picture, Some(Picture::Whole(_)))),
        What::Server(_) => 2,
        What::Missed(_) => 0,
    }
}
