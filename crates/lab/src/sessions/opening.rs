//! Opening sessions, and their first work.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use peaje_engine::{Connector, Trace};

use super::holder::Holder;
use super::report::{Report, Uses};
use super::tally::Tally;
use super::times::Span;
use crate::recorder::{LoginPart, Operation, Recorder};
use crate::stop::Watchdog;

/// Logins of one order, shared by the tasks that make them.
pub(super) struct Logins {
    left: Cell<u64>,
    watchdog: Watchdog,
    recorder: RefCell<Recorder>,
    span: Cell<Span>,
    origin: Instant,
}

impl Logins {
    pub(super) fn new(count: u64, watchdog: Watchdog) -> Self {
        Self {
            left: Cell::new(count),
            watchdog,
            recorder: RefCell::default(),
            span: Cell::default(),
            origin: Instant::now(),
        }
    }

    /// One login is left to make, and may be made.
    pub(super) fn may_start<C: Connector>(&self, holder: &Holder<C>) -> bool {
        if self.left.get() == 0 || holder.parts.stop.is_draining() {
            return false;
        }
        self.left.set(self.left.get() - 1);
        true
    }

    /// One login, recorded. `None` = it failed.
    pub(super) async fn one<C: Connector>(&self, holder: &Holder<C>) -> Option<C::Session> {
        self.recorder.borrow_mut().start(self.origin.elapsed());
        let mut trace = Trace::start();
        let result = holder.log_in(&mut trace).await;
        let ended = trace.stop();
        let mut recorder = self.recorder.borrow_mut();
        let (session, result) = match result {
            Ok(session) => {
                recorder.logged_in();
                recorder.login(&trace, LoginPart::Opening);
                self.watchdog.success();
                (Some(session), Ok(()))
            }
            Err(failure) => {
                holder.note_failure(&self.watchdog, &failure);
                (None, Err(failure))
            }
        };
        let operation = Operation { scheduled: None, started: trace.started(), ended, query: None, pool: None, result };
        recorder.end(&operation, self.origin);
        let mut span = self.span.get();
        span.add(trace.started(), ended);
        self.span.set(span);
        session
    }

    /// What was recorded; logins that were not begun are skipped ones.
    pub(super) fn report(&self) -> Report {
        let mut recorder = self.recorder.borrow_mut();
        recorder.skip(self.left.take());
        Report { tally: Tally::from(&*recorder), span: self.span.get(), ..Report::default() }
    }
}

/// A server in trouble is not hammered.
pub(super) async fn back_off(failures: u32) {
    const LONGEST: Duration = Duration::from_millis(500);
    tokio::time::sleep(Duration::from_millis(5).saturating_mul(1 << failures.min(7)).min(LONGEST)).await;
}

/// What sessions did, shared by the tasks that let them.
#[derive(Default)]
pub(super) struct Using {
    uses: RefCell<Uses>,
    span: Cell<Span>,
}

impl Using {
    pub(super) fn done(&self, took: Duration) {
        self.uses.borrow_mut().times.0.record(took);
        let mut span = self.span.get();
        let now = Instant::now();
        span.add(now.checked_sub(took).unwrap_or(now), now);
        self.span.set(span);
    }

    pub(super) fn failed(&self, failure: &peaje_engine::Failure) {
        self.uses.borrow_mut().fail(failure);
    }

    pub(super) fn report(&self) -> Report {
        Report { uses: self.uses.take(), span: self.span.get(), ..Report::default() }
    }
}

impl<C: Connector> Holder<C> {
    /// Opens so many sessions.
    pub(super) async fn open(self: &Rc<Self>, sessions: u64, concurrency: u32) -> Report {
        let logins = Rc::new(Logins::new(sessions, self.watchdog(concurrency)));
        let tasks = u64::from(concurrency.max(1)).min(sessions);
        self.side_by_side((0..tasks).map(|_| self.clone().opener(logins.clone()))).await;
        logins.report()
    }

    async fn opener(self: Rc<Self>, logins: Rc<Logins>) {
        let mut failures = 0;
        while logins.may_start(&self) {
            if let Some(session) = logins.one(&self).await {
                self.keep(session, self.parts.warm.is_empty());
                failures = 0;
            } else {
                failures += 1;
                back_off(failures).await;
            }
        }
    }

    /// Runs the warm statements once in each session that has not had them.
    pub(super) async fn warm(self: &Rc<Self>, concurrency: u32) -> Report {
        let (using, from) = (Rc::new(Using::default()), Rc::new(Cell::new(0)));
        let tasks = u64::from(concurrency.max(1)).min(self.shelf.borrow().held());
        self.side_by_side((0..tasks).map(|_| self.clone().warmer(using.clone(), from.clone()))).await;
        using.report()
    }

    async fn warmer(self: Rc<Self>, using: Rc<Using>, from: Rc<Cell<u32>>) {
        while !self.parts.stop.is_draining() {
            let Some(mut loan) = self.lend_first(from.get(), |item| !item.warm) else { return };
            from.set(loan.index + 1);
            let warmed = self.warm_up(&mut loan.item().session).await;
            // Once means once, also where a statement was refused.
            loan.item().warm = true;
            match warmed {
                Ok(took) => using.done(took),
                Err(failure) => {
                    using.failed(&failure);
                    loan.after(&failure);
                }
            }
        }
    }
}
