//! One thread's sessions, and what can be asked of them. Everything here is local to the thread, except the bell.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{OutcomeKind, Phase};
use tokio::task::JoinSet;

use super::bell::Bell;
use super::drops::Drops;
use super::gauge::{Counters, Gauge};
use super::order::Order;
use super::report::Report;
use super::shelf::{Item, Shelf};
use super::{HoldNumbers, active::Active};
use crate::operation;
use crate::stop::{Stop, StopRule, Watchdog};

/// Looks at sessions that rang, between two turns of the other tasks.
const LOOKS_IN_A_ROW: usize = 64;

/// What a thread is made with.
pub(super) struct Parts<C: Connector> {
    pub(super) connector: C,
    pub(super) warm: Vec<C>,
    pub(super) numbers: HoldNumbers,
    /// Numbers of this thread's logins: the first, and the step to the next. All threads together leave no number out.
    pub(super) first_attempt: u64,
    pub(super) attempt_stride: u64,
    pub(super) stop: Stop,
    pub(super) counters: Arc<Counters>,
    /// All counts, where no other process has some: the end of the last session is told by them.
    pub(super) gauge: Option<Gauge>,
}

/// The sessions of one thread.
pub(super) struct Holder<C: Connector> {
    pub(super) parts: Parts<C>,
    pub(super) shelf: RefCell<Shelf<C::Session>>,
    pub(super) drops: RefCell<Drops>,
    pub(super) active: RefCell<Option<Active>>,
    bell: Arc<Bell>,
    attempt: Cell<u64>,
}

impl<C: Connector> Holder<C> {
    pub(super) fn new(parts: Parts<C>) -> Self {
        Self {
            attempt: Cell::new(parts.first_attempt),
            shelf: RefCell::default(),
            drops: RefCell::default(),
            active: RefCell::default(),
            bell: Arc::default(),
            parts,
        }
    }

    /// Carries out one order. An interruption ends it; sessions in use come back to their places.
    pub(super) async fn obey(self: &Rc<Self>, order: Order) -> Report {
        let mut report = match order {
            Order::Open { sessions, concurrency } => self.open(sessions, concurrency).await,
            Order::Warm { concurrency } => self.warm(concurrency).await,
            Order::Logins { count } => self.probe_logins(count).await,
            Order::Queries { count } => self.probe_queries(count).await,
            Order::Work { sessions } => self.begin_work(sessions),
            Order::Rest => self.end_work().await,
            Order::Churn { per_s, seconds, concurrency } => self.churn(per_s, seconds, concurrency).await,
            Order::Close { concurrency, limit_s } => self.close_all(concurrency, limit_s).await,
            Order::Look => Report::default(),
        };
        report.held = self.shelf.borrow().held();
        report.drops = self.drops.borrow_mut().take();
        report
    }

    /// Looks after idle sessions for ever.
    pub(super) async fn watch(self: Rc<Self>) {
        loop {
            for some in self.bell.rung().await.chunks(LOOKS_IN_A_ROW) {
                for &index in some {
                    self.look_at(index);
                }
                tokio::task::yield_now().await;
            }
        }
    }

    fn look_at(&self, index: u32) {
        let waker = self.bell.cord(index);
        let ended = match self.shelf.borrow_mut().get(index) {
            Some(item) => self.parts.connector.poll_ended(&mut item.session, &mut Context::from_waker(&waker)),
            None => Poll::Pending,
        };
        if let Poll::Ready(failure) = ended {
            self.lose(index, &failure);
        }
    }

    /// The server has ended the session of this place.
    pub(super) fn lose(&self, index: u32, failure: &Failure) {
        self.drops.borrow_mut().add(failure);
        self.shelf.borrow_mut().free(index);
        self.parts.counters.drop_one();
        if let Some(sessions) = self.parts.gauge.as_ref().and_then(Gauge::all_dropped) {
            self.parts.stop.stop(all_dropped(sessions));
        }
    }

    /// Puts a new session in its place.
    pub(super) fn keep(&self, mut session: C::Session, warm: bool) {
        self.parts.connector.settle(&mut session);
        let index = self.shelf.borrow_mut().add(Item { session, warm });
        self.parts.counters.hold();
        self.bell.ring(index);
    }

    /// A session for use, until the loan is dropped: the next in turn.
    pub(super) fn lend_next(self: &Rc<Self>) -> Option<Loan<C>> {
        let (index, item) = self.shelf.borrow_mut().take_next()?;
        Some(Loan { holder: self.clone(), index, item: Some(item) })
    }

    /// The same, but the first from a place on of which this holds.
    pub(super) fn lend_first(
        self: &Rc<Self>,
        from: u32,
        wanted: impl Fn(&Item<C::Session>) -> bool,
    ) -> Option<Loan<C>> {
        let (index, item) = self.shelf.borrow_mut().take_first(from, wanted)?;
        Some(Loan { holder: self.clone(), index, item: Some(item) })
    }

    /// A watchdog for one order: what was long ago says nothing of a server that was only held.
    pub(super) fn watchdog(&self, concurrency: u32) -> Watchdog {
        // A full server is the end of a ladder, whoever started it.
        let guards = crate::Guards { production: true, expect_rejects: self.parts.numbers.expect_rejects };
        Watchdog::new(self.parts.stop.clone(), guards, concurrency)
    }

    /// One login, within its time. The trace is left open.
    pub(super) async fn log_in(&self, trace: &mut Trace) -> Result<C::Session, Failure> {
        let attempt = self.attempt.get();
        self.attempt.set(attempt + self.parts.attempt_stride);
        let limit = self.parts.numbers.login_timeout();
        let result = match tokio::time::timeout(limit, self.parts.connector.log_in(attempt, trace)).await {
            Ok(result) => result.map_err(|failure| failure.phase(trace.current())),
            Err(_) => Err(Failure::timed_out(limit, trace.current())),
        };
        self.parts.counters.login(result.is_ok());
        result
    }

    /// One close, within the time of a login.
    pub(super) async fn close(&self, session: C::Session) -> Result<Duration, Failure> {
        let mut trace = Trace::start();
        trace.enter(Phase::Close);
        let limit = self.parts.numbers.login_timeout();
        let closed = tokio::time::timeout(limit, self.parts.connector.close(session, &mut trace)).await;
        trace.stop();
        closed.unwrap_or_else(|_| Err(Failure::timed_out(limit, Some(Phase::Close)))).map(|()| trace.total())
    }

    /// One statement. A failure that is not the statement's own ends the session.
    pub(super) async fn query(&self, connector: &C, session: &mut C::Session) -> Result<Duration, Failure> {
        let mut trace = Trace::start();
        trace.enter(Phase::FirstQuery);
        let answered = operation::query(connector, session, self.parts.numbers.login_timeout(), &mut trace).await;
        trace.stop();
        answered.map(|()| trace.total())
    }

    /// All warm statements in turn; the time of all together.
    pub(super) async fn warm_up(&self, session: &mut C::Session) -> Result<Duration, Failure> {
        let mut took = Duration::ZERO;
        for connector in &self.parts.warm {
            took += self.query(connector, session).await?;
        }
        Ok(took)
    }

    /// A failure of a login: no more of them when this machine cannot, or when more would do harm.
    pub(super) fn note_failure(&self, watchdog: &Watchdog, failure: &Failure) {
        if failure.kind == OutcomeKind::Generator {
            let hint = failure.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
            self.parts.stop.stop(StopRule::Generator(failure.words() + &hint));
        }
        watchdog.failure(failure);
    }

    /// Runs tasks of this thread side by side until all have ended, or the run is aborted.
    pub(super) async fn side_by_side<F: Future<Output = ()> + 'static>(&self, tasks: impl Iterator<Item = F>) {
        let mut running = JoinSet::new();
        for task in tasks {
            running.spawn_local(task);
        }
        tokio::select! {
            biased;
            () = self.parts.stop.aborted() => {}
            () = join(&mut running) => {}
        }
        running.shutdown().await;
    }
}

/// Waits for all; a panic of one goes on here.
pub(super) async fn join(running: &mut JoinSet<()>) {
    while let Some(ended) = running.join_next().await {
        if let Err(error) = ended
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

/// The rule when not one session is left.
pub(super) fn all_dropped(sessions: u64) -> StopRule {
    StopRule::ServerGone(format!("the server has ended every session, {sessions} in all"))
}

/// A session in use. Dropped, it goes back to its place.
pub(super) struct Loan<C: Connector> {
    holder: Rc<Holder<C>>,
    pub(super) index: u32,
    item: Option<Item<C::Session>>,
}

impl<C: Connector> Loan<C> {
    pub(super) fn item(&mut self) -> &mut Item<C::Session> {
        self.item.as_mut().expect("it is there until it is taken, which takes this too")
    }

    /// The server has ended it, or it is of no use any more.
    pub(super) fn lost(mut self, failure: &Failure) {
        self.item = None;
        self.holder.lose(self.index, failure);
    }

    /// The session, for good: its place becomes free.
    pub(super) fn take(mut self) -> C::Session {
        let item = self.item.take().expect("it is there until it is taken, which takes this too");
        self.holder.shelf.borrow_mut().free(self.index);
        self.holder.parts.counters.let_go();
        item.session
    }

    /// After a failed query: back to its place if only the statement was bad.
    pub(super) fn after(self, failure: &Failure) {
        if failure.kind != OutcomeKind::Rejected {
            self.lost(failure);
        }
    }
}

impl<C: Connector> Drop for Loan<C> {
    fn drop(&mut self) {
        if let Some(mut item) = self.item.take() {
            self.holder.parts.connector.settle(&mut item.session);
            self.holder.shelf.borrow_mut().put_back(self.index, item);
            self.holder.bell.ring(self.index);
        }
    }
}
