//! One worker thread in one slice: a current-thread runtime with many operations in flight.
//!
//! Everything here is local to the thread. What several threads share is the stop flag, the watchdog's counters and one
//! progress counter each.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use peaje_engine::{Connector, Failure, ThreadCpu, Trace};
use peaje_host::Host;
use peaje_model::{Mode, Phase, PoolSettings};
use tokio::task::LocalSet;

use crate::pacer::Pacer;
use crate::pooled::{Pool, PoolLog};
use crate::recorder::{LoginPart, Operation, Recorder};
use crate::schedule::Schedule;
use crate::stop::{Stop, Watchdog};

/// How much one thread does in one slice. Whatever is `None` does not limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quota {
    /// Operations of each worker.
    pub(crate) per_worker: Option<u64>,
    /// Operations of the thread.
    pub(crate) per_thread: Option<u64>,
    /// Time from the start of the slice in which operations may become due.
    pub(crate) time: Option<Duration>,
}

/// Counters that the screen reads while the slice goes on.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) completed: AtomicU64,
    pub(crate) failed: AtomicU64,
}

/// What one thread is to do.
pub(crate) struct Job<C: Connector> {
    pub(crate) connector: C,
    pub(crate) mode: Mode,
    pub(crate) pool: Option<PoolSettings>,
    pub(crate) has_query: bool,
    pub(crate) quota: Quota,
    /// Workers of a closed loop, or operations in flight at most.
    pub(crate) workers: u32,
    pub(crate) schedule: Option<Schedule>,
    pub(crate) first_attempt: u64,
    pub(crate) attempt_stride: u64,
    pub(crate) login_timeout: Duration,
    pub(crate) stop: Stop,
    pub(crate) watchdog: Arc<Watchdog>,
    pub(crate) progress: Arc<Progress>,
    /// Ends the slice early: a warm-up that has settled.
    pub(crate) enough: Arc<AtomicBool>,
    pub(crate) origin: Instant,
    pub(crate) host: Arc<dyn Host>,
}

/// What it did.
pub(crate) struct Done {
    pub(crate) recorder: Recorder,
    /// CPU of this thread.
    pub(crate) cpu: Duration,
    /// How long it was runnable and waited for a core.
    pub(crate) run_delay: Option<Duration>,
    /// From the start of the slice to the end of the thread's last operation.
    pub(crate) elapsed: Duration,
}

/// Runs one thread's part of a slice to its end, or until the run is aborted.
pub(crate) fn run<C: Connector>(mut job: Job<C>) -> std::io::Result<Done> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let (cpu, delay) = (ThreadCpu::now(), job.host.own_thread_run_delay());
    let schedule = job.schedule.take();
    let stop = job.stop.clone();
    let thread = Rc::new(Thread {
        attempt: Cell::new(job.first_attempt),
        left: Cell::new(job.quota.per_thread.unwrap_or(u64::MAX)),
        recorder: RefCell::default(),
        last_end: Cell::new(job.origin),
        pool: RefCell::default(),
        job,
    });
    let work = thread.clone();
    local.block_on(&runtime, async move {
        tokio::select! {
            biased;
            () = stop.aborted() => {}
            () = work.work(schedule) => {}
        }
    });
    // Dropping the tasks aborts what is still in flight and closes its sockets.
    drop(local);
    let run_delay = thread.job.host.own_thread_run_delay().zip(delay).map(|(now, then)| now.saturating_sub(then));
    Ok(Done {
        cpu: ThreadCpu::now().since(cpu),
        run_delay,
        elapsed: thread.last_end.get() - thread.job.origin,
        recorder: thread.recorder.take(),
    })
}

struct Thread<C: Connector> {
    job: Job<C>,
    attempt: Cell<u64>,
    left: Cell<u64>,
    recorder: RefCell<Recorder>,
    last_end: Cell<Instant>,
    pool: RefCell<Option<Rc<Pool<C>>>>,
}

/// What a worker keeps between its operations.
struct Slot<C: Connector> {
    session: Option<C::Session>,
    failures: u32,
}

impl<C: Connector> Slot<C> {
    fn new() -> Self {
        Self { session: None, failures: 0 }
    }
}

impl<C: Connector> Thread<C> {
    async fn work(self: Rc<Self>, schedule: Option<Schedule>) {
        if self.job.mode == Mode::Pooled
            && let Err(failure) = self.open_pool().await
        {
            self.job.watchdog.failure(&failure);
            return;
        }
        match schedule {
            None => self.closed_loop().await,
            Some(schedule) => self.clone().open_loop(schedule).await,
        }
        let pool = self.pool.borrow_mut().take();
        if let Some(pool) = pool.and_then(|p| Rc::try_unwrap(p).ok()) {
            let log = pool.shut_down(self.job.login_timeout).await;
            self.take_pool_log(&log);
        }
    }

    async fn open_pool(&self) -> Result<(), Failure> {
        let settings = self.job.pool.unwrap_or(PoolSettings {
            min: 0,
            max: self.job.workers,
            idle_timeout_s: None,
            lifetime_s: None,
        });
        let pool =
            Pool::build(self.job.connector.clone(), settings, self.job.login_timeout, self.job.first_attempt).await?;
        *self.pool.borrow_mut() = Some(Rc::new(pool));
        Ok(())
    }

    async fn closed_loop(self: &Rc<Self>) {
        let mut workers = Vec::with_capacity(self.job.workers as usize);
        for _ in 0..self.job.workers {
            workers.push(tokio::task::spawn_local(self.clone().closed_worker()));
        }
        for worker in workers {
            if let Err(error) = worker.await
                && error.is_panic()
            {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    }

    async fn closed_worker(self: Rc<Self>) {
        let mut slot = Slot::new();
        let mut done = 0;
        while self.may_start(done) {
            self.left.set(self.left.get() - 1);
            done += 1;
            self.operate(None, &mut slot).await;
            if slot.failures > 0 {
                tokio::time::sleep(backoff(slot.failures)).await;
            }
        }
        self.leave(slot).await;
    }

    fn may_start(&self, done_by_worker: u64) -> bool {
        let quota = self.job.quota;
        self.left.get() > 0
            && quota.per_worker.is_none_or(|most| done_by_worker < most)
            && quota.time.is_none_or(|time| self.job.origin.elapsed() < time)
            && !self.job.stop.is_draining()
            && !self.job.enough.load(Ordering::Relaxed)
    }

    async fn open_loop(self: Rc<Self>, schedule: Schedule) {
        let Ok(pacer) = Pacer::new() else {
            let failure = Failure::new(peaje_model::OutcomeKind::Generator, "no timer could be made on this machine");
            self.job.watchdog.failure(&failure);
            return;
        };
        let queue = Rc::new(Queue::new(self.job.workers));
        let mut ran_out = RanOut::Operations;
        for offset in schedule {
            if self.job.quota.time.is_some_and(|time| offset >= time) {
                ran_out = RanOut::Time;
                break;
            }
            if self.left.get() == 0 || self.job.enough.load(Ordering::Relaxed) {
                break;
            }
            let due = self.job.origin + offset;
            let waited = tokio::select! {
                biased;
                () = self.job.stop.stopped() => { ran_out = RanOut::Time; break; }
                waited = pacer.wait_until(due) => waited,
            };
            if waited.is_err() {
                break;
            }
            self.left.set(self.left.get() - 1);
            self.arrive(&queue, due);
        }
        if ran_out == RanOut::Time {
            if let Some(time) = self.job.quota.time
                && !self.job.stop.is_draining()
            {
                let _ = pacer.wait_until(self.job.origin + time).await;
            }
            self.recorder.borrow_mut().skip(queue.give_up());
        }
        queue.idle().await;
        for slot in queue.take_slots() {
            self.leave(slot).await;
        }
    }

    /// An operation is due: it starts now if there is room, else it queues.
    fn arrive(self: &Rc<Self>, queue: &Rc<Queue<C>>, due: Instant) {
        match queue.enter(due) {
            Entry::Now(slot) => {
                let (thread, queue) = (self.clone(), queue.clone());
                tokio::task::spawn_local(async move { thread.serve(queue, slot, due).await });
            }
            Entry::Queued => {}
            Entry::Full => self.recorder.borrow_mut().skip(1),
        }
    }

    /// Runs the operation and then those that queue, as long as there are any.
    async fn serve(self: Rc<Self>, queue: Rc<Queue<C>>, mut slot: Slot<C>, due: Instant) {
        let mut next = Some(due);
        while let Some(due) = next {
            self.operate(Some(due), &mut slot).await;
            let (waiting, given_up) =
                if self.job.stop.is_draining() { (None, queue.give_up()) } else { queue.next(self.job.login_timeout) };
            self.recorder.borrow_mut().skip(given_up);
            next = waiting;
        }
        queue.leave(slot);
    }

    async fn operate(&self, scheduled: Option<Instant>, slot: &mut Slot<C>) {
        let started = Instant::now();
        self.recorder.borrow_mut().start(started.saturating_duration_since(self.job.origin));
        let operation = match self.job.mode {
            Mode::Unpooled => self.unpooled(scheduled).await,
            Mode::Pooled => self.pooled(scheduled).await,
            Mode::Persistent => self.persistent(scheduled, slot).await,
        };
        self.last_end.set(self.last_end.get().max(operation.ended));
        match &operation.result {
            Ok(()) => {
                slot.failures = 0;
                self.job.watchdog.success();
                self.job.progress.completed.fetch_add(1, Ordering::Relaxed);
            }
            Err(failure) => {
                slot.failures += 1;
                self.job.watchdog.failure(failure);
                self.job.progress.failed.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.recorder.borrow_mut().end(&operation, self.job.origin);
    }

    fn next_attempt(&self) -> u64 {
        let attempt = self.attempt.get();
        self.attempt.set(attempt + self.job.attempt_stride);
        attempt
    }

    async fn log_in(&self, trace: &mut Trace) -> Result<C::Session, Failure> {
        let limit = self.job.login_timeout;
        let attempt = self.next_attempt();
        match tokio::time::timeout(limit, self.job.connector.log_in(attempt, trace)).await {
            Ok(result) => result.map_err(|f| f.phase(trace.current())),
            Err(_) => Err(Failure::timed_out(limit, trace.current())),
        }
    }

    async fn unpooled(&self, scheduled: Option<Instant>) -> Operation {
        let mut trace = Trace::start();
        let mut query = None;
        let result = match self.log_in(&mut trace).await {
            Err(failure) => Err(failure),
            Ok(session) => {
                let result = self.query_and_close(session, &mut trace).await;
                trace.stop();
                if self.job.has_query {
                    query = Some(trace.laps()[Phase::FirstQuery]);
                }
                let part = if result.is_ok() { LoginPart::Whole } else { LoginPart::Opening };
                self.recorder.borrow_mut().login(&trace, part);
                result
            }
        };
        let ended = trace.stop();
        Operation { scheduled, started: trace.started(), ended, query, pool: None, result }
    }

    async fn query_and_close(&self, mut session: C::Session, trace: &mut Trace) -> Result<(), Failure> {
        let connector = &self.job.connector;
        let queried = if self.job.has_query {
            trace.enter(Phase::FirstQuery);
            connector.query(&mut session, trace).await.map_err(|f| f.phase(Some(Phase::FirstQuery)))
        } else {
            Ok(())
        };
        trace.enter(Phase::Close);
        let closed = self.close(session, trace).await;
        queried.and(closed)
    }

    async fn close(&self, session: C::Session, trace: &mut Trace) -> Result<(), Failure> {
        let limit = self.job.login_timeout;
        match tokio::time::timeout(limit, self.job.connector.close(session, trace)).await {
            Ok(result) => result.map_err(|f| f.phase(Some(Phase::Close))),
            Err(_) => Err(Failure::timed_out(limit, Some(Phase::Close))),
        }
    }

    async fn pooled(&self, scheduled: Option<Instant>) -> Operation {
        let started = Instant::now();
        let Some(pool) = self.pool.borrow().clone() else {
            let failure = Failure::new(peaje_model::OutcomeKind::Generator, "the pool is gone");
            return Operation { scheduled, started, ended: started, query: None, pool: None, result: Err(failure) };
        };
        let taken = pool.connections.get().await;
        let got = Instant::now();
        let log = pool.take_log();
        self.take_pool_log(&log);
        let mut connection = match taken {
            Ok(connection) => connection,
            Err(error) => {
                let failure = match error {
                    bb8::RunError::User(failure) => failure,
                    bb8::RunError::TimedOut => Failure::timed_out(self.job.login_timeout, None)
                        .hint("the pool handed out no connection in time: raise --pool-max or lower --concurrency"),
                };
                return Operation { scheduled, started, ended: got, query: None, pool: None, result: Err(failure) };
            }
        };
        let mut trace = Trace::start();
        let result = if self.job.has_query {
            connection.query(&self.job.connector, &mut trace).await.map_err(|f| f.phase(Some(Phase::FirstQuery)))
        } else {
            Ok(())
        };
        let answered = Instant::now();
        drop(connection);
        let ended = Instant::now();
        self.recorder.borrow_mut().crypto += trace.crypto();
        Operation {
            scheduled,
            started,
            ended,
            query: self.job.has_query.then(|| answered - got),
            pool: Some((got - started, ended - answered)),
            result,
        }
    }

    fn take_pool_log(&self, log: &PoolLog) {
        let mut recorder = self.recorder.borrow_mut();
        for trace in &log.logins {
            recorder.login(trace, LoginPart::Opening);
        }
        for trace in &log.closes {
            recorder.close(trace);
        }
    }

    async fn persistent(&self, scheduled: Option<Instant>, slot: &mut Slot<C>) -> Operation {
        let started = Instant::now();
        let mut trace = Trace::start();
        let result = match slot.session.take() {
            Some(session) => Ok(session),
            None => self.log_in(&mut trace).await,
        };
        let logged_in = trace.stop();
        let (query, result) = match result {
            Err(failure) => (None, Err(failure)),
            Ok(mut session) => {
                if trace.auth.is_some() || !trace.total().is_zero() {
                    self.recorder.borrow_mut().login(&trace, LoginPart::Opening);
                }
                let mut trace = Trace::start();
                let result = if self.job.has_query {
                    self.job
                        .connector
                        .query(&mut session, &mut trace)
                        .await
                        .map_err(|f| f.phase(Some(Phase::FirstQuery)))
                } else {
                    Ok(())
                };
                self.recorder.borrow_mut().crypto += trace.crypto();
                if result.as_ref().err().is_none_or(|f| f.kind == peaje_model::OutcomeKind::Rejected) {
                    slot.session = Some(session);
                }
                (self.job.has_query.then(|| logged_in.elapsed()), result)
            }
        };
        Operation { scheduled, started, ended: Instant::now(), query, pool: None, result }
    }

    /// Closes the session that a worker has kept.
    async fn leave(&self, slot: Slot<C>) {
        if let Some(session) = slot.session {
            let mut trace = Trace::start();
            trace.enter(Phase::Close);
            if self.close(session, &mut trace).await.is_ok() {
                trace.stop();
                self.recorder.borrow_mut().close(&trace);
            }
        }
    }
}

/// A worker that fails waits, longer each time: a server in trouble is not hammered.
fn backoff(failures: u32) -> Duration {
    const LONGEST: Duration = Duration::from_millis(500);
    Duration::from_millis(5).saturating_mul(1 << failures.min(7)).min(LONGEST)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RanOut {
    Operations,
    Time,
}

/// Operations that are due, and the room for them.
struct Queue<C: Connector> {
    state: RefCell<QueueState<C>>,
    idle: tokio::sync::Notify,
}

struct QueueState<C: Connector> {
    /// Instants at which waiting operations were due, oldest first.
    waiting: VecDeque<Instant>,
    /// Slots that no operation uses.
    free: Vec<Slot<C>>,
    in_use: u32,
    most: u32,
}

enum Entry<C: Connector> {
    Now(Slot<C>),
    Queued,
    Full,
}

/// Operations that wait at most: what comes beyond is skipped, so that memory stays bounded.
const MOST_WAITING: usize = 1_000_000;

impl<C: Connector> Queue<C> {
    fn new(most: u32) -> Self {
        let state = QueueState { waiting: VecDeque::new(), free: Vec::new(), in_use: 0, most: most.max(1) };
        Self { state: RefCell::new(state), idle: tokio::sync::Notify::new() }
    }

    fn enter(&self, due: Instant) -> Entry<C> {
        let mut state = self.state.borrow_mut();
        if state.in_use < state.most {
            state.in_use += 1;
            return Entry::Now(state.free.pop().unwrap_or_else(Slot::new));
        }
        if state.waiting.len() >= MOST_WAITING {
            return Entry::Full;
        }
        state.waiting.push_back(due);
        Entry::Queued
    }

    /// The next operation that has not waited longer than a client would, and how many had.
    fn next(&self, patience: Duration) -> (Option<Instant>, u64) {
        let mut state = self.state.borrow_mut();
        let mut given_up = 0;
        while let Some(due) = state.waiting.pop_front() {
            if due.elapsed() <= patience {
                return (Some(due), given_up);
            }
            given_up += 1;
        }
        (None, given_up)
    }

    /// Forgets the operations that wait; returns how many.
    fn give_up(&self) -> u64 {
        let mut state = self.state.borrow_mut();
        let waiting = state.waiting.len() as u64;
        state.waiting.clear();
        waiting
    }

    fn leave(&self, slot: Slot<C>) {
        let mut state = self.state.borrow_mut();
        state.free.push(slot);
        state.in_use -= 1;
        if state.in_use == 0 {
            self.idle.notify_one();
        }
    }

    /// Waits until nothing is in flight.
    async fn idle(&self) {
        loop {
            if self.state.borrow().in_use == 0 {
                return;
            }
            self.idle.notified().await;
        }
    }

    fn take_slots(&self) -> Vec<Slot<C>> {
        std::mem::take(&mut self.state.borrow_mut().free)
    }
}
