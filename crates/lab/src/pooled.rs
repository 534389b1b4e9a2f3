//! The real pool of pooled series, over peaje's own login.
//!
//! The pool opens sessions when it likes, so its logins are recorded here, apart from the operations that wait for
//! them. A session that the pool drops is closed as the settings want, by a task beside the load.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{Phase, PoolSettings};
use tokio::sync::mpsc;

/// What the pool did since it was last asked: logins that succeeded, and sessions closed.
#[derive(Debug, Default)]
pub(crate) struct PoolLog {
    pub(crate) logins: Vec<Trace>,
    pub(crate) closes: Vec<Trace>,
}

/// Opens sessions for the pool.
pub(crate) struct Manager<C: Connector> {
    connector: C,
    login_timeout: Duration,
    attempt: AtomicU64,
    stride: u64,
    log: Arc<Mutex<PoolLog>>,
    closer: mpsc::UnboundedSender<C::Session>,
}

/// A session in the pool; dropped, it goes to the closing task.
pub(crate) struct Pooled<C: Connector> {
    session: Option<C::Session>,
    closer: mpsc::UnboundedSender<C::Session>,
}

impl<C: Connector> Pooled<C> {
    /// Runs the query; a session whose query failed at the connection is not given back to anyone.
    pub(crate) async fn query(&mut self, connector: &C, trace: &mut Trace) -> Result<(), Failure> {
        let Some(session) = &mut self.session else {
            return Err(Failure::new(peaje_model::OutcomeKind::Reset, "the pooled session is broken"));
        };
        let result = connector.query(session, trace).await;
        if let Err(failure) = &result
            && failure.kind != peaje_model::OutcomeKind::Rejected
        {
            self.session = None;
        }
        result
    }
}

impl<C: Connector> Drop for Pooled<C> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            // The receiver is gone only when the run is being aborted: the socket then closes by itself.
            let _ = self.closer.send(session);
        }
    }
}

impl<C: Connector> bb8::ManageConnection for Manager<C> {
    type Connection = Pooled<C>;
    type Error = Failure;

    async fn connect(&self) -> Result<Pooled<C>, Failure> {
        let attempt = self.attempt.fetch_add(self.stride, Ordering::Relaxed);
        let mut trace = Trace::start();
        let result = tokio::time::timeout(self.login_timeout, self.connector.log_in(attempt, &mut trace)).await;
        let session = result.unwrap_or_else(|_| Err(Failure::timed_out(self.login_timeout, trace.current())))?;
        trace.stop();
        lock(&self.log).logins.push(trace);
        Ok(Pooled { session: Some(session), closer: self.closer.clone() })
    }

    async fn is_valid(&self, _: &mut Pooled<C>) -> Result<(), Failure> {
        Ok(())
    }

    fn has_broken(&self, pooled: &mut Pooled<C>) -> bool {
        pooled.session.is_none()
    }
}

/// A pool with its log and the task that closes what it drops.
pub(crate) struct Pool<C: Connector> {
    pub(crate) connections: bb8::Pool<Manager<C>>,
    log: Arc<Mutex<PoolLog>>,
    closing: tokio::task::JoinHandle<()>,
}

impl<C: Connector> Pool<C> {
    /// An empty pool; sessions come when they are needed, up to `min` at once.
    pub(crate) async fn build(
        connector: C,
        settings: PoolSettings,
        login_timeout: Duration,
        first_attempt: u64,
    ) -> Result<Self, Failure> {
        let log = Arc::new(Mutex::new(PoolLog::default()));
        let (closer, to_close) = mpsc::unbounded_channel();
        let closing = tokio::spawn(close_all(connector.clone(), to_close, log.clone(), login_timeout));
        let manager = Manager {
            connector,
            login_timeout,
            attempt: AtomicU64::new(first_attempt),
            stride: 1,
            log: log.clone(),
            closer,
        };
        let connections = bb8::Pool::builder()
            .min_idle((settings.min > 0).then_some(settings.min))
            .max_size(settings.max.max(1))
            .idle_timeout(settings.idle_timeout_s.map(Duration::from_secs_f64))
            .max_lifetime(settings.lifetime_s.map(Duration::from_secs_f64))
            .reaper_rate(reaper_rate(settings))
            .connection_timeout(login_timeout)
            .retry_connection(false)
            .test_on_check_out(false)
            .build(manager)
            .await?;
        Ok(Self { connections, log, closing })
    }

    /// Takes what was logged.
    pub(crate) fn take_log(&self) -> PoolLog {
        std::mem::take(&mut *lock(&self.log))
    }

    /// Closes every session and returns the last of the log.
    pub(crate) async fn shut_down(self, limit: Duration) -> PoolLog {
        let Self { connections, log, closing } = self;
        drop(connections);
        // Ends when the last session has been closed, because each holds a sender.
        let _ = tokio::time::timeout(limit, closing).await;
        std::mem::take(&mut *lock(&log))
    }
}

/// Often enough that the smaller of the two times is kept within a tenth.
fn reaper_rate(settings: PoolSettings) -> Duration {
    let least = settings.idle_timeout_s.into_iter().chain(settings.lifetime_s).fold(300.0_f64, f64::min);
    Duration::from_secs_f64((least / 10.0).clamp(0.05, 30.0))
}

async fn close_all<C: Connector>(
    connector: C,
    mut to_close: mpsc::UnboundedReceiver<C::Session>,
    log: Arc<Mutex<PoolLog>>,
    limit: Duration,
) {
    let mut running = tokio::task::JoinSet::new();
    while let Some(session) = to_close.recv().await {
        let connector = connector.clone();
        let log = log.clone();
        running.spawn(async move {
            let mut trace = Trace::start();
            trace.enter(Phase::Close);
            if let Ok(Ok(())) = tokio::time::timeout(limit, connector.close(session, &mut trace)).await {
                trace.stop();
                lock(&log).closes.push(trace);
            }
        });
        while running.try_join_next().is_some() {}
    }
    while running.join_next().await.is_some() {}
}

/// Nothing panics while it is held; if it did, the log would still be whole.
fn lock(log: &Mutex<PoolLog>) -> std::sync::MutexGuard<'_, PoolLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
