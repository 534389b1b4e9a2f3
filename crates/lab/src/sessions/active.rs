//! Sessions that work in a loop while others are probed.

use std::cell::Cell;
use std::rc::Rc;

use peaje_engine::Connector;
use tokio::task::JoinSet;

use super::holder::{Holder, join};
use super::opening::Using;
use super::report::Report;

/// Sessions at work.
pub(super) struct Active {
    running: JoinSet<()>,
    using: Rc<Using>,
    enough: Rc<Cell<bool>>,
}

impl<C: Connector> Holder<C> {
    /// Lets so many sessions work, until [`Holder::end_work`].
    pub(super) fn begin_work(self: &Rc<Self>, sessions: u64) -> Report {
        let mut active = Active { running: JoinSet::new(), using: Rc::default(), enough: Rc::default() };
        for _ in 0..sessions {
            let Some(mut loan) = self.lend_next() else { break };
            let (holder, using, enough) = (self.clone(), active.using.clone(), active.enough.clone());
            active.running.spawn_local(async move {
                while !enough.get() && !holder.parts.stop.is_draining() {
                    match holder.query(&holder.parts.connector, &mut loan.item().session).await {
                        Ok(took) => using.done(took),
                        Err(failure) => {
                            using.failed(&failure);
                            loan.after(&failure);
                            return;
                        }
                    }
                }
            });
        }
        *self.active.borrow_mut() = Some(active);
        Report::default()
    }

    /// The working sessions end their queries and go back to their places.
    pub(super) async fn end_work(self: &Rc<Self>) -> Report {
        let Some(mut active) = self.active.borrow_mut().take() else { return Report::default() };
        active.enough.set(true);
        tokio::select! {
            biased;
            () = self.parts.stop.aborted() => {}
            () = join(&mut active.running) => {}
        }
        active.running.shutdown().await;
        active.using.report()
    }
}
