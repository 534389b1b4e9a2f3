//! The task of one server: log in, read at each moment, log in again when the session is lost.

use std::sync::Arc;
use std::time::Duration;

use peaje_engine::{Failure, WatchReading, Watcher};
use peaje_model::OutcomeKind;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::codec::past;
use crate::collector::moments::Moments;
use crate::collector::{Reconnect, Shared};
use crate::differ::{Differ, Moment};
use crate::row::{Row, ServerNote, What};
use crate::snapshot::ServerState;

/// Readings between two looks at the server's limit.
const LIMIT_EVERY: u32 = 60;
/// A goodbye takes no longer.
const GOODBYE: Duration = Duration::from_secs(1);

pub(super) struct Sampler {
    pub(super) shared: Arc<Shared>,
    pub(super) place: usize,
    pub(super) differ: Differ,
    pub(super) moments: Moments,
    pub(super) read_timeout: Duration,
    pub(super) note: ServerNote,
    pub(super) stopped: watch::Receiver<bool>,
}

/// How a session ended.
enum End {
    Stopped,
    Lost(Failure),
}

impl Sampler {
    pub(super) async fn run(mut self, mut watcher: Option<Box<dyn Watcher>>, mut reconnect: Reconnect) {
        while !*self.stopped.borrow() {
            let end = match watcher.take() {
                Some(watcher) => self.session(watcher).await,
                None => match self.log_in(&mut reconnect).await {
                    Ok(Some(fresh)) => {
                        watcher = Some(fresh);
                        continue;
                    }
                    Ok(None) => End::Stopped,
                    Err(failure) => End::Lost(failure),
                },
            };
            let End::Lost(failure) = end else { return };
            // One rejected login is enough: an account locks after a few.
            if failure.kind == OutcomeKind::Rejected {
                self.give_up(&failure);
                return;
            }
            self.lost(&failure).await;
        }
    }

    async fn log_in(&mut self, reconnect: &mut Reconnect) -> Result<Option<Box<dyn Watcher>>, Failure> {
        let limit = self.read_timeout.max(Duration::from_secs(15));
        let login = reconnect();
        tokio::select! {
            done = timeout(limit, login) => match done {
                Ok(done) => done.map(Some),
                Err(_) => Err(Failure::timed_out(limit, None)),
            },
            () = stopped(&mut self.stopped) => Ok(None),
        }
    }

    /// Reads until the session is lost or the watch stops.
    async fn session(&mut self, mut watcher: Box<dyn Watcher>) -> End {
        let mut stop = self.stopped.clone();
        tokio::select! {
            () = self.look(&mut *watcher) => {}
            () = stopped(&mut stop) => return End::Stopped,
        }
        let mut readings = 0_u32;
        loop {
            let next = self.moments.next(Instant::now());
            tokio::select! {
                () = tokio::time::sleep_until(next) => {}
                () = stopped(&mut self.stopped) => {
                    let _ = timeout(GOODBYE, watcher.close()).await;
                    return End::Stopped;
                }
            }
            let read = tokio::select! {
                read = self.read(&mut *watcher) => read,
                () = stopped(&mut stop) => return End::Stopped,
            };
            let (moment, reading) = match read {
                Ok(read) => read,
                Err(failure) => return End::Lost(failure),
            };
            self.moments.succeeded();
            self.shared.reading(self.place, moment, &reading, &mut self.differ);
            readings += 1;
            if readings.is_multiple_of(LIMIT_EVERY) {
                tokio::select! {
                    () = self.look(&mut *watcher) => {}
                    () = stopped(&mut stop) => return End::Stopped,
                }
            }
        }
    }

    /// One reading, and its moment between question and answer.
    async fn read(&self, watcher: &mut dyn Watcher) -> Result<(Moment, WatchReading), Failure> {
        let asked = Instant::now();
        let Ok(reading) = timeout(self.read_timeout, watcher.read()).await else {
            let words = format!("no answer to a reading within {} s", self.read_timeout.as_secs_f64());
            return Err(Failure::new(OutcomeKind::TimedOut, words));
        };
        let reading = plausible(reading?)?;
        let (asked_us, answered_us) = (self.shared.at_us(asked), self.now_us());
        Ok((self.differ.moment(asked_us, answered_us, reading.server_clock_us), reading))
    }

    /// What answered, and its limit. Neither is worth losing a session for.
    async fn look(&mut self, watcher: &mut dyn Watcher) {
        let mut note = self.note.clone();
        note.interval_us = self.moments.interval().as_micros() as u64;
        if let Ok(Ok(answered)) = timeout(self.read_timeout, watcher.what_answered()).await {
            note.what_answered = Some(answered);
        }
        if let Ok(Ok(limits)) = timeout(self.read_timeout, watcher.limits()).await {
            note.limit = Some(limits.limit);
        }
        if note == self.note {
            return;
        }
        self.note = note.clone();
        let row = Row { at_us: self.now_us(), what: What::Server(Box::new(note.clone())) };
        self.shared.row(self.place, row, |snapshot| {
            snapshot.limit = note.limit;
            snapshot.what_answered = note.what_answered;
        });
    }

    /// Says that the server is lost, and waits before the next login.
    async fn lost(&mut self, failure: &Failure) {
        let refused = failure.kind == OutcomeKind::Rejected;
        let pause = self.moments.pause(refused);
        let at_us = self.now_us();
        let next_try_us = at_us + pause.as_micros() as i64;
        let row = self.differ.missed(at_us, failure);
        let (message, hint) = (failure.words(), failure.hint.clone());
        self.shared.row(self.place, row, |snapshot| {
            let since_us = match snapshot.state {
                ServerState::Lost { since_us, .. } => since_us,
                _ => at_us,
            };
            snapshot.state = ServerState::Lost { since_us, message, hint, next_try_us };
        });
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stopped(&mut self.stopped) => {}
        }
    }

    fn give_up(&mut self, failure: &Failure) {
        let row = self.differ.missed(self.now_us(), failure);
        let (message, hint) = (failure.words(), failure.hint.clone());
        self.shared.row(self.place, row, |snapshot| snapshot.state = ServerState::GivenUp { message, hint });
    }

    fn now_us(&self) -> i64 {
        self.shared.at_us(Instant::now())
    }
}

async fn stopped(stopped: &mut watch::Receiver<bool>) {
    // An error says that the collector is gone, which is a stop as well.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// A reading whose moments can be kept. A server that tells a time thousands of years away is not read; single times
/// that cannot be are not known.
fn plausible(mut reading: WatchReading) -> Result<WatchReading, Failure> {
    let can_be = |us: i64| past(us).is_ok();
    if !can_be(reading.server_clock_us) {
        let words = format!("the server's clock says what cannot be: {} µs since 1970", reading.server_clock_us);
        return Err(Failure::new(OutcomeKind::Protocol, words));
    }
    let known = |us: Option<i64>| us.filter(|us| can_be(*us));
    reading.counters.since_us = known(reading.counters.since_us);
    reading.identity.started_us = known(reading.identity.started_us);
    for session in reading.sessions.iter_mut().flatten() {
        if !can_be(session.opened_us) {
            session.opened_us = 0;
        }
        session.since_us = known(session.since_us);
    }
    Ok(reading)
}
