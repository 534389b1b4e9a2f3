//! The real pool of pooled series, over peaje's own login.
//!
//! The pool opens sessions when it likes, so its logins are recorded here, apart from the operations that wait for
//! them. A session that the pool drops is closed as the settings want, by a task beside the load.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{OutcomeKind, Phase, PoolSettings};
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
    log: Arc<Mutex<PoolLog>>,
    failures: mpsc::UnboundedSender<Failure>,
    closer: mpsc::UnboundedSender<C::Session>,
}

/// A session in the pool; dropped, it goes to the closing task.
pub(crate) struct Pooled<C: Connector> {
    session: Option<C::Session>,
    closer: mpsc::UnboundedSender<C::Session>,
}

impl<C: Connector> Pooled<C> {
    /// The session; `None` when it is broken.
    pub(crate) fn session(&mut self) -> Option<&mut C::Session> {
        self.session.as_mut()
    }

    /// The session is broken: it goes to nobody, and its socket closes.
    pub(crate) fn give_up(&mut self) {
        self.session = None;
    }
}

impl<C: Connector> Drop for Pooled<C> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            // The receiver is gone when the goodbyes of an aborted run took too long: the socket then closes by itself.
            let _ = self.closer.send(session);
        }
    }
}

impl<C: Connector> bb8::ManageConnection for Manager<C> {
    type Connection = Pooled<C>;
    type Error = Failure;

    async fn connect(&self) -> Result<Pooled<C>, Failure> {
        let attempt = self.attempt.fetch_add(1, Ordering::Relaxed);
        let mut trace = Trace::start();
        let result = tokio::time::timeout(self.login_timeout, self.connector.log_in(attempt, &mut trace)).await;
        let result = result.unwrap_or_else(|_| Err(Failure::timed_out(self.login_timeout, trace.current())));
        let session = result.map_err(|failure| failure.phase(trace.current())).inspect_err(|failure| {
            // The pool itself keeps the reason to itself and lets its callers wait for the timeout.
            let _ = self.failures.send(failure.clone());
        })?;
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
    connections: bb8::Pool<Manager<C>>,
    log: Arc<Mutex<PoolLog>>,
    failed: tokio::sync::Mutex<mpsc::UnboundedReceiver<Failure>>,
    closing: tokio::task::JoinHandle<()>,
}

impl<C: Connector> Pool<C> {
    /// An empty pool; sessions come when they are needed, `min` of them at once.
    pub(crate) fn build(connector: C, settings: PoolSettings, login_timeout: Duration, first_attempt: u64) -> Self {
        let log = Arc::new(Mutex::new(PoolLog::default()));
        let (closer, to_close) = mpsc::unbounded_channel();
        let (failures, failed) = mpsc::unbounded_channel();
        let closing = tokio::spawn(close_all(connector.clone(), to_close, log.clone(), login_timeout));
        let manager = Manager {
            connector,
            login_timeout,
            attempt: AtomicU64::new(first_attempt),
            log: log.clone(),
            failures,
            closer,
        };
        let connections = bb8::Pool::builder()
            .min_idle((settings.min > 0).then_some(settings.min.min(settings.max.max(1))))
            .max_size(settings.max.max(1))
            // The connection used last is the next to be used: the others grow idle, so that the pool can shrink.
            .queue_strategy(bb8::QueueStrategy::Lifo)
            .idle_timeout(settings.idle_timeout_s.map(Duration::from_secs_f64))
            .max_lifetime(settings.lifetime_s.map(Duration::from_secs_f64))
            .reaper_rate(reaper_rate(settings))
            .connection_timeout(login_timeout)
            .retry_connection(false)
            .test_on_check_out(false)
            .build_unchecked(manager);
        Self { connections, log, failed: tokio::sync::Mutex::new(failed), closing }
    }

    /// Takes a connection. Each login of the pool that fails fails one operation that waits for one.
    pub(crate) async fn take(&self) -> Result<bb8::PooledConnection<'_, Manager<C>>, Failure> {
        let failed = async { self.failed.lock().await.recv().await };
        tokio::select! {
            biased;
            taken = self.connections.get() => taken.map_err(|error| match error {
                bb8::RunError::User(failure) => failure,
                bb8::RunError::TimedOut => Failure::new(
                    OutcomeKind::TimedOut,
                    "the pool handed out no connection within the login timeout",
                )
                .hint("raise --pool-max or lower --concurrency"),
            }),
            Some(failure) = failed => Err(failure),
        }
    }

    /// Takes what was logged.
    pub(crate) fn take_log(&self) -> PoolLog {
        std::mem::take(&mut *lock(&self.log))
    }

    /// Closes every session and returns the last of the log.
    pub(crate) async fn shut_down(self, limit: Duration) -> PoolLog {
        let Self { connections, log, failed: _, closing } = self;
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
