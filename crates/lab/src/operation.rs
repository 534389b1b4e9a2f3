//! One operation in each mode: obtain a connection, run the query, close it or give it back.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{Mode, OutcomeKind, Phase};

use crate::kept::Kept;
use crate::pooled::PoolLog;
use crate::queue::Slot;
use crate::recorder::{LoginPart, Operation};
use crate::worker::Thread;

/// Login timeouts that a query may take.
const QUERY_PATIENCE: u32 = 4;

fn query_timed_out(limit: Duration) -> Failure {
    Failure::new(OutcomeKind::TimedOut, format!("the query was not answered within {} s", limit.as_secs_f64()))
        .hint("look at what the query waits for; a longer --login-timeout gives queries more time too")
        .phase(Some(Phase::FirstQuery))
}

/// A query may take longer than a login, but a server that never answers must not hold the run.
pub(crate) async fn query<C: Connector>(
    connector: &C,
    session: &mut C::Session,
    login_timeout: Duration,
    trace: &mut Trace,
) -> Result<(), Failure> {
    let limit = login_timeout * QUERY_PATIENCE;
    match tokio::time::timeout(limit, connector.query(session, trace)).await {
        Ok(result) => result.map_err(|f| f.phase(Some(Phase::FirstQuery))),
        Err(_) => Err(query_timed_out(limit)),
    }
}

impl<C: Connector> Thread<C> {
    /// Runs one operation and records it.
    pub(crate) async fn operate(&self, scheduled: Option<Instant>, slot: &mut Slot<C>) {
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
                self.recorder.borrow_mut().logged_in();
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

    async fn query_and_close(&self, session: C::Session, trace: &mut Trace) -> Result<(), Failure> {
        let mut kept = self.behind.keep(session);
        let queried = if self.job.has_query {
            trace.enter(Phase::FirstQuery);
            self.query(kept.session(), trace).await
        } else {
            Ok(())
        };
        trace.enter(Phase::Close);
        let closed = self.close(kept.take(), trace).await;
        queried.and(closed)
    }

    async fn query(&self, session: &mut C::Session, trace: &mut Trace) -> Result<(), Failure> {
        query(&self.job.connector, session, self.job.login_timeout, trace).await
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
            let failure = Failure::new(OutcomeKind::Generator, "the pool is gone");
            return Operation { scheduled, started, ended: started, query: None, pool: None, result: Err(failure) };
        };
        let taken = pool.take().await;
        let got = Instant::now();
        let mut connection = match taken {
            Ok(connection) => connection,
            Err(failure) => {
                return Operation { scheduled, started, ended: got, query: None, pool: None, result: Err(failure) };
            }
        };
        let mut trace = Trace::start();
        let result = match connection.session() {
            Some(session) if self.job.has_query => self.query(session, &mut trace).await,
            Some(_) => Ok(()),
            None => Err(Failure::new(OutcomeKind::Reset, "the pooled session is broken")),
        };
        if result.as_ref().is_err_and(|f| f.kind != OutcomeKind::Rejected) {
            connection.give_up();
        }
        let answered = Instant::now();
        drop(connection);
        let ended = Instant::now();
        self.recorder.borrow_mut().crypto += trace.crypto();
        self.take_pool_log(&pool.take_log());
        Operation {
            scheduled,
            started,
            ended,
            query: self.job.has_query.then(|| answered - got),
            pool: Some((got - started, ended - answered)),
            result,
        }
    }

    pub(crate) fn take_pool_log(&self, log: &PoolLog) {
        let mut recorder = self.recorder.borrow_mut();
        for trace in &log.logins {
            recorder.logged_in();
            recorder.login(trace, LoginPart::Opening);
        }
        for trace in &log.closes {
            recorder.close(trace);
        }
    }

    async fn persistent(&self, scheduled: Option<Instant>, slot: &mut Slot<C>) -> Operation {
        let started = Instant::now();
        let mut trace = Trace::start();
        let mut kept = match slot.session.take() {
            Some(kept) => kept,
            None => match self.log_in(&mut trace).await {
                Ok(session) => {
                    trace.stop();
                    let mut recorder = self.recorder.borrow_mut();
                    recorder.logged_in();
                    recorder.login(&trace, LoginPart::Opening);
                    self.behind.keep(session)
                }
                Err(failure) => {
                    let ended = trace.stop();
                    return Operation { scheduled, started, ended, query: None, pool: None, result: Err(failure) };
                }
            },
        };
        let logged_in = Instant::now();
        let mut trace = Trace::start();
        let result = if self.job.has_query { self.query(kept.session(), &mut trace).await } else { Ok(()) };
        let ended = Instant::now();
        self.recorder.borrow_mut().crypto += trace.crypto();
        if result.as_ref().err().is_none_or(|f| f.kind == OutcomeKind::Rejected) {
            slot.session = Some(kept);
        } else {
            // It is broken.
            drop(kept.take());
        }
        Operation {
            scheduled,
            started,
            ended,
            query: self.job.has_query.then(|| ended - logged_in),
            pool: None,
            result,
        }
    }

    /// Closes the session that a worker has kept.
    pub(crate) async fn leave(&self, slot: Slot<C>) {
        if let Some(session) = slot.session.map(Kept::take) {
            let mut trace = Trace::start();
            trace.enter(Phase::Close);
            if self.close(session, &mut trace).await.is_ok() {
                trace.stop();
                self.recorder.borrow_mut().close(&trace);
            }
        }
    }
}
