//! Watches servers: one task for each, all in the runtime that spawned them.
//!
//! A reading is taken at a random moment of every interval, so that clients on a grid (a job at each full minute) are not
//! always met or always missed. Readings of one server never overlap. Everything they find goes the one way: row, record,
//! recording, snapshot. Time is tokio's, so tests run on virtual time.

mod moments;
mod sampler;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use peaje_diagnose::churn::GroupSeries;
use peaje_engine::{Failure, WatchReading, Watcher, Watching};
use peaje_model::WatchResult;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::db::{RecordError, Recorder};
use crate::differ::{Cadence, Differ, Moment};
use crate::live::Live;
use crate::record::Record;
use crate::result::{Known, Part, conclude, nothing};
use crate::row::{Row, ServerNote, What};
use crate::series::frame::Frame;
use crate::series::{Analysis, series};
use crate::snapshot::{ServerSnapshot, Snapshot};

/// Logs in to a server.
pub type Reconnect = Box<dyn FnMut() -> Watching<'static, Result<Box<dyn Watcher>, Failure>> + Send>;

/// A server to watch.
pub struct ServerPlan {
    /// Its name in everything that is said (`host:port`).
    pub label: String,
    /// A session that is open already.
    pub watcher: Option<Box<dyn Watcher>>,
    /// Opens one.
    pub reconnect: Reconnect,
}

impl std::fmt::Debug for ServerPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerPlan").field("label", &self.label).finish_non_exhaustive()
    }
}

/// What to watch, and how often.
#[derive(Debug)]
pub struct CollectorPlan {
    /// The servers.
    pub servers: Vec<ServerPlan>,
    /// Time between two readings on average; each is taken at a random moment of its interval.
    pub interval: Duration,
    /// A server that does not answer within this is lost.
    pub read_timeout: Duration,
    /// The window of verdicts, of the clock on the wall.
    pub window: Duration,
    /// Now, microseconds since 1970.
    pub started_us: i64,
    /// Seed of the random moments.
    pub seed: u64,
}

/// A running watch.
#[derive(Debug)]
pub struct Collector {
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Collector {
    /// Starts watching. Must be called within a tokio runtime; one thread is enough. With a recorder, give the record it
    /// read ([`Recorder::record`]); otherwise an empty one.
    pub fn spawn(plan: CollectorPlan, record: Record, recorder: Option<Recorder>) -> Self {
        let CollectorPlan { servers, interval, read_timeout, window, started_us, seed } = plan;
        // A watch that goes on with a recording never goes back behind its end.
        let started_us = record.end_us().map_or(started_us, |end_us| started_us.max(end_us + 1));
        let interval = interval.max(Duration::from_millis(1));
        let shared = Arc::new(Shared::new(record, recorder, started_us, interval));
        let us = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 4);
        let cadence = Cadence::of(us(interval), us(window));
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for (number, server) in servers.into_iter().enumerate() {
            let (place, differ) = shared.add(&server.label, cadence);
            let rng = StdRng::seed_from_u64(seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let moments = moments::Moments::new(interval, shared.origin, rng);
            let sampler = sampler::Sampler {
                shared: Arc::clone(&shared),
                place,
                differ,
                moments,
                read_timeout,
                note: ServerNote::default(),
                stopped: stopped.clone(),
            };
            tasks.spawn(sampler.run(server.watcher, server.reconnect));
        }
        Self { shared, stop, tasks }
    }

    /// The snapshots: the newest is always there, and waiting for the next disturbs nobody.
    pub fn snapshots(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.shared.snapshots.subscribe()
    }

    /// The rows from here on, in order, each with its server's label: for lines that are written as they come.
    pub fn rows(&self) -> mpsc::UnboundedReceiver<(String, Row)> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.shared.core().followers.push(sender);
        receiver
    }

    /// What can be asked from another thread.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// What the last window says. Judging takes CPU: see [`Self::handle`].
    pub fn result(&self, analysis: &Analysis) -> WatchResult {
        self.shared.result(analysis)
    }

    /// Says goodbye to the servers, writes what waits to be written, and gives the record back. An error speaks of the
    /// recording: what was written before is safe.
    pub async fn stop(mut self) -> (Record, Result<(), RecordError>) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
        let (record, recorder) = {
            let mut core = self.shared.core();
            (core.record.clone(), core.recorder.take())
        };
        let closed = recorder.map_or(Ok(()), Recorder::close);
        (record, closed)
    }
}

/// Asks a running watch, from any thread.
#[derive(Debug, Clone)]
pub struct Handle(Arc<Shared>);

impl Handle {
    /// What the last window says.
    pub fn result(&self, analysis: &Analysis) -> WatchResult {
        self.0.result(analysis)
    }

    /// The series behind it.
    pub fn series(&self, analysis: &Analysis) -> Vec<GroupSeries> {
        series(&self.0.core().record, analysis)
    }

    /// Looks at the record. Readings wait meanwhile, so look briefly.
    pub fn record<T>(&self, look: impl FnOnce(&Record) -> T) -> T {
        look(&self.0.core().record)
    }
}

/// What the tasks share.
#[derive(Debug)]
struct Shared {
    core: Mutex<Core>,
    snapshots: watch::Sender<Arc<Snapshot>>,
    origin: Instant,
    started_us: i64,
}

#[derive(Debug)]
struct Core {
    record: Record,
    lives: Vec<(usize, Live)>,
    recorder: Option<Recorder>,
    /// Who follows the rows.
    followers: Vec<mpsc::UnboundedSender<(String, Row)>>,
}

impl Shared {
    fn new(record: Record, recorder: Option<Recorder>, started_us: i64, interval: Duration) -> Self {
        let first = Snapshot {
            at_us: started_us,
            interval_s: interval.as_secs_f64(),
            servers: Vec::new(),
            recording: recorder.as_ref().map(Recorder::state),
        };
        Self {
            core: Mutex::new(Core { record, lives: Vec::new(), recorder, followers: Vec::new() }),
            snapshots: watch::Sender::new(Arc::new(first)),
            origin: Instant::now(),
            started_us,
        }
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        // A thread that broke down while it held the lock has not left half a row: each is one push.
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A server's place, and what its readings are compared with.
    fn add(&self, label: &str, cadence: Cadence) -> (usize, Differ) {
        let mut core = self.core();
        let place = core.record.server(label);
        let differ = Differ::new(cadence, core.record.servers[place].resume());
        let live = Live::new(label, self.started_us);
        let snapshot = live.share();
        core.lives.push((place, live));
        self.snapshots.send_modify(|all| Arc::make_mut(all).servers.push(snapshot));
        (place, differ)
    }

    fn at_us(&self, at: Instant) -> i64 {
        let elapsed = at.saturating_duration_since(self.origin).as_micros();
        self.started_us.saturating_add(i64::try_from(elapsed).unwrap_or(i64::MAX))
    }

    /// A reading: row, snapshot, record, recording.
    fn reading(&self, place: usize, moment: Moment, reading: &WatchReading, differ: &mut Differ) {
        let at_us = moment.at_us;
        let row = differ.reading(moment, reading);
        let mut core = self.core();
        let Core { record, lives, .. } = &mut *core;
        if let (Some((_, live)), What::Interval(interval)) = (lives.iter_mut().find(|(of, _)| *of == place), &row.what)
        {
            live.reading(at_us, interval, reading, &record.servers[place]);
        }
        core.push(place, row);
        self.publish(&core, place, at_us);
    }

    /// Anything else that happened, and what the snapshot says of it.
    fn row(&self, place: usize, row: Row, edit: impl FnOnce(&mut ServerSnapshot)) {
        let (at_us, missed) = (row.at_us, matches!(row.what, What::Missed(_)));
        let mut core = self.core();
        if let Some((_, live)) = core.lives.iter_mut().find(|(of, _)| *of == place) {
            if missed {
                live.missed(at_us);
            }
            edit(live.edit());
        }
        core.push(place, row);
        self.publish(&core, place, at_us);
    }

    fn publish(&self, core: &Core, place: usize, at_us: i64) {
        let Some(number) = core.lives.iter().position(|(of, _)| *of == place) else { return };
        let snapshot = core.lives[number].1.share();
        let recording = core.recorder.as_ref().map(Recorder::state);
        self.snapshots.send_modify(|all| {
            let mut next = Snapshot::clone(all);
            next.at_us = next.at_us.max(at_us);
            next.recording = recording;
            next.servers[number] = snapshot;
            *all = Arc::new(next);
        });
    }

    fn result(&self, analysis: &Analysis) -> WatchResult {
        let Some(frame) = Frame::of(&self.core().record, analysis) else { return nothing(analysis) };
        let known: Vec<Known> = self.core().record.servers.iter().map(Known::of).collect();
        // One server at a time, so that no reading waits for long; the judging needs no lock.
        let parts = (0..known.len()).map(|place| Part::of(&self.core().record.servers[place], &frame));
        conclude(known, parts, &frame, analysis)
    }
}

impl Core {
    fn push(&mut self, place: usize, row: Row) {
        self.record.push(place, &row);
        let label = &self.record.servers[place].label;
        self.followers.retain(|follower| follower.send((label.clone(), row.clone())).is_ok());
        if let Some(recorder) = &mut self.recorder {
            recorder.offer(&self.record.servers[place], row);
        }
    }
}
