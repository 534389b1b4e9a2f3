//! What the threads of a scan share: folders that wait, and who waits for them.
//!
//! Each thread keeps the folders that it met for itself, the newest first, which bounds memory by the depth of the tree;
//! it gives the older half away when somebody is hungry. One folder alone never makes a second thread.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, available_parallelism};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::place::{Opener, Place};
use super::tally::Tally;
use super::worker::{Reading, Worker};
use super::{Options, Progress, Threads, Visit};

/// Something to read.
#[derive(Debug)]
pub(super) enum Item {
    /// A folder from its start.
    Fresh(Place),
    /// A folder that was laid aside because too many folders in it wait.
    Rest(Box<Reading>),
}

pub(super) struct Shared<'a> {
    pub(super) options: &'a Options,
    pub(super) opener: Opener,
    cores: usize,
    /// So many threads read at most, unless they come to wait for a disk.
    pub(super) most_threads: usize,
    pub(super) stop: &'a AtomicBool,
    pub(super) visit: Option<&'a dyn Visit>,
    /// Whether whoever is told of the entries has failed.
    pub(super) deaf: AtomicBool,
    /// Device and inode of the roots: each is counted where it is named, not where it is met.
    pub(super) roots: Vec<(u64, u64)>,
    /// Device and inode of files with several names.
    pub(super) links: Mutex<HashSet<(u64, u64)>>,
    pub(super) files: AtomicU64,
    pub(super) folders: AtomicU64,
    /// How many items somebody would take at once.
    hungry: AtomicUsize,
    state: Mutex<State>,
    ready: Condvar,
    finished: Condvar,
}

#[derive(Default)]
struct State {
    items: Vec<Item>,
    workers: usize,
    idle: usize,
    most: usize,
    over: bool,
    tally: Tally,
    returned: usize,
}

const TICK: Duration = Duration::from_millis(100);

impl<'a> Shared<'a> {
    pub(super) fn new(
        options: &'a Options,
        opener: Opener,
        stop: &'a AtomicBool,
        visit: Option<&'a dyn Visit>,
    ) -> Self {
        // Asked once: the answer comes out of several files.
        let cores = available_parallelism().map_or(1, usize::from);
        let most = match options.threads {
            Threads::Adaptive => cores,
            Threads::Exactly(most) => most.get(),
        };
        let state = State { most, ..State::default() };
        Self {
            options,
            opener,
            cores,
            most_threads: most,
            stop,
            visit,
            deaf: AtomicBool::new(false),
            roots: Vec::new(),
            links: Mutex::default(),
            files: AtomicU64::new(0),
            folders: AtomicU64::new(0),
            hungry: AtomicUsize::new(0),
            state: Mutex::new(state),
            ready: Condvar::new(),
            finished: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads everything; the caller's thread looks on. Returns what was found and how many threads it took.
    pub(super) fn run(&self, items: Vec<Item>, tell: &mut dyn FnMut(Progress)) -> (Tally, usize) {
        std::thread::scope(|scope| {
            let mut state = self.lock();
            state.items = items;
            state.items.reverse();
            self.grow(&mut state, scope);
            self.look_on(state, scope, tell);
        });
        let mut state = self.lock();
        (std::mem::take(&mut state.tally), state.workers)
    }

    fn grow<'s>(&'s self, state: &mut State, scope: &'s Scope<'s, '_>) {
        state.workers += 1;
        let spawned = Builder::new().spawn_scoped(scope, move || {
            let _leave = Leave(self);
            let tally = Worker::new(self).run(scope);
            let mut state = self.lock();
            state.tally.absorb(tally, self.options);
            state.returned += 1;
        });
        if spawned.is_err() {
            // No more threads on this machine: those that are there do it, or this one when there is none.
            state.workers -= 1;
            state.most = state.workers.max(1);
        }
        self.weigh(state);
    }

    fn weigh(&self, state: &State) {
        let room = state.most.saturating_sub(state.workers);
        self.hungry.store((state.idle + room).saturating_sub(state.items.len()), Relaxed);
    }

    fn look_on<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        scope: &'s Scope<'s, '_>,
        tell: &mut dyn FnMut(Progress),
    ) {
        let started = Instant::now();
        let (mut last, mut last_files, mut last_cpu) = (started, 0, process_cpu());
        if state.workers == 0 {
            drop(state);
            let tally = Worker::new(self).run(scope);
            self.lock().tally.absorb(tally, self.options);
            return;
        }
        while !(state.over && state.returned >= state.workers) {
            state = self.finished.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
            let (now, cpu) = (Instant::now(), process_cpu());
            let passed = now - last;
            if passed < TICK || state.over {
                continue;
            }
            let files = self.files.load(Relaxed);
            if self.options.threads == Threads::Adaptive {
                self.adapt(&mut state, cpu.saturating_sub(last_cpu).div_duration_f64(passed));
            }
            drop(state);
            tell(Progress {
                files,
                folders: self.folders.load(Relaxed),
                elapsed: now - started,
                files_per_s: (files - last_files) as f64 / passed.as_secs_f64(),
            });
            (last, last_files, last_cpu) = (now, files, cpu);
            state = self.lock();
        }
    }

    /// More threads than processors are of use only while most of them wait for a disk or a network.
    fn adapt(&self, state: &mut State, processors_used: f64) {
        let busy = state.workers - state.idle;
        if state.workers == state.most && busy == state.workers && processors_used < 0.5 * busy as f64 {
            state.most = (state.most + self.cores.div_ceil(2)).min(4 * self.cores);
        }
        self.weigh(state);
    }

    /// What a thread reads next: its newest, or what another one gave away. `None` when all is read, or when it is to stop;
    /// then its own are those that nobody reads.
    pub(super) fn next(&self, own: &mut Vec<Item>) -> Option<Item> {
        if self.stop.load(Relaxed) {
            self.give_up(own);
            return None;
        }
        if let Some(item) = own.pop() {
            return Some(item);
        }
        let mut state = self.lock();
        loop {
            if state.over {
                return None;
            }
            if !state.items.is_empty() {
                // A share, so that not each folder costs a lock.
                let share = (state.items.len() / (2 * state.workers)).max(1);
                let at = state.items.len() - share;
                own.extend(state.items.drain(at..));
                self.weigh(&state);
                return own.pop();
            }
            state.idle += 1;
            if state.idle == state.workers {
                state.over = true;
                self.ready.notify_all();
                self.finished.notify_all();
                return None;
            }
            self.weigh(&state);
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// The end before the end: what waits is the caller's, to be accounted for.
    fn give_up(&self, own: &mut Vec<Item>) {
        let mut state = self.lock();
        own.append(&mut state.items);
        state.over = true;
        self.ready.notify_all();
        self.finished.notify_all();
    }

    /// Gives the older half away if somebody is hungry.
    pub(super) fn share<'s>(&'s self, own: &mut Vec<Item>, scope: &'s Scope<'s, '_>) {
        if own.len() < 2 || self.hungry.load(Relaxed) == 0 {
            return;
        }
        let mut state = self.lock();
        let half = own.len() / 2;
        state.items.extend(own.drain(..half));
        if state.idle == 0 && state.workers < state.most {
            self.grow(&mut state, scope);
        } else {
            self.weigh(&state);
        }
        drop(state);
        self.ready.notify_all();
    }
}

/// A thread that panics must not leave the others waiting for it.
struct Leave<'s, 'a>(&'s Shared<'a>);

impl Drop for Leave<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.lock();
            state.over = true;
            state.returned += 1;
            self.0.ready.notify_all();
        }
        self.0.finished.notify_all();
    }
}

fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
