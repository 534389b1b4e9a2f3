//! The end of the sessions: in the order of their places, some at a time, within a time if need be.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use peaje_engine::Connector;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::holder::{Holder, join};
use super::opening::Using;
use super::report::Report;
use crate::kept::GOODBYE_LIMIT;

/// Time for all goodbyes after an interruption. There may be thousands, and a person waits.
const INTERRUPTED_LIMIT: Duration = Duration::from_secs(5);
/// Goodbyes at a time when time is short.
const IN_A_HURRY: u32 = 256;

impl<C: Connector> Holder<C> {
    /// Closes every session. What has not left within the limit, or in some seconds after an interruption, is dropped.
    pub(super) async fn close_all(self: &Rc<Self>, concurrency: u32, limit_s: Option<f64>) -> Report {
        drop(self.end_work().await);
        let closing = Rc::new(Closing::default());
        let mut running = JoinSet::new();
        self.begin_closing(&mut running, &closing, concurrency);
        let mut deadline = limit_s.map(|s| Instant::now() + Duration::from_secs_f64(s.clamp(0.0, 1e6)));
        let mut in_a_hurry = false;
        loop {
            tokio::select! {
                biased;
                () = join(&mut running) => break,
                () = at(deadline) => break,
                // Those under way go on: others join them.
                () = self.parts.stop.aborted(), if !in_a_hurry => {
                    in_a_hurry = true;
                    let end = Instant::now() + INTERRUPTED_LIMIT;
                    deadline = Some(deadline.map_or(end, |deadline| deadline.min(end)));
                    self.begin_closing(&mut running, &closing, IN_A_HURRY);
                }
            }
        }
        running.shutdown().await;
        self.drop_rest(&closing);
        closing.report()
    }

    /// A goodbye to whatever is left, in a short time: nobody waits for the sessions any more.
    pub(super) async fn leave(self: &Rc<Self>) {
        drop(self.active.borrow_mut().take());
        let mut running = JoinSet::new();
        self.begin_closing(&mut running, &Rc::default(), IN_A_HURRY);
        let _ = tokio::time::timeout(GOODBYE_LIMIT, join(&mut running)).await;
    }

    fn begin_closing(self: &Rc<Self>, running: &mut JoinSet<()>, closing: &Rc<Closing>, concurrency: u32) {
        let tasks = u64::from(concurrency.max(1)).min(self.shelf.borrow().held());
        for _ in 0..tasks {
            running.spawn_local(self.clone().closer(closing.clone()));
        }
    }

    async fn closer(self: Rc<Self>, closing: Rc<Closing>) {
        while let Some(loan) = self.lend_first(closing.from.get(), |_| true) {
            closing.from.set(loan.index + 1);
            closing.begun.set(closing.begun.get() + 1);
            match self.close(loan.take()).await {
                Ok(took) => closing.using.done(took),
                Err(failure) => closing.using.failed(&failure),
            }
        }
    }

    fn drop_rest(self: &Rc<Self>, closing: &Closing) {
        while let Some(loan) = self.lend_next() {
            drop(loan.take());
            closing.begun.set(closing.begun.get() + 1);
        }
    }
}

/// Waits until then; `None` = for ever.
async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// What all closing tasks share.
#[derive(Default)]
struct Closing {
    using: Using,
    /// The first place that may still hold a session.
    from: Cell<u32>,
    begun: Cell<u64>,
}

impl Closing {
    /// What was begun and came to no end was cut off.
    fn report(&self) -> Report {
        let mut report = self.using.report();
        let ended = report.uses.times.0.count() + report.uses.failed;
        report.uses.cut_off = self.begun.get() - ended;
        report
    }
}
