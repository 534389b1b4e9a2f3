//! One worker thread in one slice: a current-thread runtime with many operations in flight.
//!
//! Everything here is local to the thread. What several threads share is the stop flag, the watchdog's counters and one
//! progress counter each.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use peaje_engine::{Connector, Failure, ThreadCpu};
use peaje_host::Host;
use peaje_model::{Mode, OutcomeKind, PoolSettings};
use tokio::task::LocalSet;

use crate::kept::{Behind, GOODBYE_LIMIT};
use crate::pacer::Pacer;
use crate::pooled::Pool;
use crate::queue::{Entry, Queue, Slot};
use crate::recorder::Recorder;
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
        behind: Behind::default(),
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
    // Dropping the tasks aborts what is still in flight; a login that was not done yet ends with its socket.
    drop(local);
    if thread.recorder.borrow().counts().in_flight > 0 {
        // A stall at the end belongs to the time measured, although nothing ended in it.
        thread.last_end.set(Instant::now());
    }
    let cpu = ThreadCpu::now().since(cpu);
    runtime.block_on(thread.say_goodbye());
    // A look-up that hangs in the resolver must not hold the run up.
    runtime.shutdown_background();
    let run_delay = thread.job.host.own_thread_run_delay().zip(delay).map(|(now, then)| now.saturating_sub(then));
    Ok(Done { cpu, run_delay, elapsed: thread.last_end.get() - thread.job.origin, recorder: thread.recorder.take() })
}

/// What the tasks of one thread share.
pub(crate) struct Thread<C: Connector> {
    pub(crate) job: Job<C>,
    pub(crate) attempt: Cell<u64>,
    left: Cell<u64>,
    pub(crate) recorder: RefCell<Recorder>,
    pub(crate) last_end: Cell<Instant>,
    pub(crate) pool: RefCell<Option<Rc<Pool<C>>>>,
    pub(crate) behind: Behind<C>,
}

impl<C: Connector> Thread<C> {
    async fn work(self: Rc<Self>, schedule: Option<Schedule>) {
        if self.job.mode == Mode::Pooled {
            self.open_pool();
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

    /// After an interruption: to the sessions of the pool, and to those in use. Else there are none left.
    async fn say_goodbye(&self) {
        let pool = self.pool.borrow_mut().take().and_then(|pool| Rc::try_unwrap(pool).ok());
        let of_pool = async {
            if let Some(pool) = pool {
                let log = pool.shut_down(GOODBYE_LIMIT).await;
                self.take_pool_log(&log);
            }
        };
        tokio::join!(of_pool, self.behind.say_goodbye(&self.job.connector));
    }

    fn open_pool(&self) {
        let settings = self.job.pool.unwrap_or(PoolSettings {
            min: 0,
            max: self.job.workers,
            idle_timeout_s: None,
            lifetime_s: None,
        });
        let connector = self.job.connector.clone();
        let pool = Pool::build(connector, settings, self.job.login_timeout, self.job.first_attempt);
        *self.pool.borrow_mut() = Some(Rc::new(pool));
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
            let failure = Failure::new(OutcomeKind::Generator, "no timer could be made on this machine");
            self.job.watchdog.failure(&failure);
            return;
        };
        let queue = Rc::new(Queue::new(self.job.workers));
        let mut ran_out = RanOut::Operations;
        let mut late_in_a_row = 0;
        let mut schedule = schedule;
        while let Some(offset) = schedule.next() {
            if self.job.quota.time.is_some_and(|time| offset >= time) {
                ran_out = RanOut::Time;
                break;
            }
            if self.left.get() == 0 || self.job.enough.load(Ordering::Relaxed) {
                break;
            }
            let due = self.job.origin + offset;
            late_in_a_row = if due <= Instant::now() { late_in_a_row + 1 } else { 0 };
            if late_in_a_row == LATE_BURST {
                // Arrivals faster than this loop must not keep the operations, or the end, from their turn.
                late_in_a_row = 0;
                tokio::task::yield_now().await;
                if let Some(time) = self.job.quota.time.filter(|time| self.job.origin.elapsed() >= *time) {
                    self.skip_the_rest(&mut schedule, time);
                    ran_out = RanOut::Time;
                    break;
                }
            }
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

    /// The time is over while arrivals of the past are still to be handed out: this one and those up to the end are
    /// counted as skipped, without walking through billions of them.
    fn skip_the_rest(&self, schedule: &mut Schedule, time: Duration) {
        let due = (1 + schedule.due_before(time)).min(self.left.get());
        self.left.set(self.left.get() - due);
        self.recorder.borrow_mut().skip(due);
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
}

/// A worker that fails waits, longer each time: a server in trouble is not hammered.
fn backoff(failures: u32) -> Duration {
    const LONGEST: Duration = Duration::from_millis(500);
    Duration::from_millis(5).saturating_mul(1 << failures.min(7)).min(LONGEST)
}

/// Late arrivals handed out before operations get their turn.
const LATE_BURST: u32 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RanOut {
    Operations,
    Time,
}
