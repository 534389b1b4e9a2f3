//! The probe: logins and queries, strictly one after the other.

use std::rc::Rc;

use peaje_engine::Connector;

use super::holder::Holder;
use super::opening::{Logins, Using, back_off};
use super::report::Report;

impl<C: Connector> Holder<C> {
    /// Logs in and out again, so many times.
    pub(super) async fn probe_logins(self: &Rc<Self>, count: u64) -> Report {
        let logins = Rc::new(Logins::new(count, self.watchdog(1)));
        let (holder, mine) = (self.clone(), logins.clone());
        let probe = async move {
            let mut failures = 0;
            while mine.may_start(&holder) {
                if let Some(session) = mine.one(&holder).await {
                    // Its time is not the probe's.
                    drop(holder.close(session).await);
                } else {
                    failures += 1;
                    back_off(failures).await;
                }
            }
        };
        self.side_by_side(std::iter::once(probe)).await;
        logins.report()
    }

    /// Queries sessions in turn, so many times.
    pub(super) async fn probe_queries(self: &Rc<Self>, count: u64) -> Report {
        let using = Rc::new(Using::default());
        let (holder, mine) = (self.clone(), using.clone());
        let probe = async move {
            for _ in 0..count {
                if holder.parts.stop.is_draining() {
                    return;
                }
                let Some(mut loan) = holder.lend_next() else { return };
                match holder.query(&holder.parts.connector, &mut loan.item().session).await {
                    Ok(took) => mine.done(took),
                    Err(failure) => {
                        mine.failed(&failure);
                        loan.after(&failure);
                    }
                }
            }
        };
        self.side_by_side(std::iter::once(probe)).await;
        using.report()
    }
}
