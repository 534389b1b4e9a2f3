//! Sessions closed and opened again at a rate, among those that stay.
//!
//! A newcomer would begin the next one when the last has ended. A slow server would then be asked less often, and would
//! look faster than it is: here each one is due at its instant.

use std::rc::Rc;
use std::time::{Duration, Instant};

use peaje_engine::Connector;
use tokio::task::JoinSet;

use super::holder::{Holder, join};
use super::opening::Logins;
use super::report::Report;

impl<C: Connector> Holder<C> {
    /// Closes and opens again, for so long. What cannot begin because too many are under way is left out.
    pub(super) async fn churn(self: &Rc<Self>, per_s: f64, seconds: f64, concurrency: u32) -> Report {
        let most = (per_s * seconds).ceil().clamp(0.0, 1e9) as u64;
        let logins = Rc::new(Logins::new(most, self.watchdog(concurrency)));
        let mut running = JoinSet::new();
        let start = Instant::now();
        for number in 0..most {
            let due = start + Duration::from_secs_f64(number as f64 / per_s);
            tokio::select! {
                biased;
                () = self.parts.stop.stopped() => break,
                () = tokio::time::sleep_until(due.into()) => {}
            }
            while running.try_join_next().is_some() {}
            if start.elapsed().as_secs_f64() >= seconds {
                break;
            }
            if running.len() < concurrency.max(1) as usize {
                running.spawn_local(self.clone().replace_one(logins.clone()));
            }
        }
        tokio::select! {
            biased;
            () = self.parts.stop.aborted() => {}
            () = join(&mut running) => {}
        }
        running.shutdown().await;
        logins.report()
    }

    async fn replace_one(self: Rc<Self>, logins: Rc<Logins>) {
        let Some(loan) = self.lend_next() else { return };
        // A session that cannot say goodbye is gone as well.
        drop(self.close(loan.take()).await);
        if !logins.may_start(&self) {
            return;
        }
        if let Some(mut session) = logins.one(&self).await {
            let worked = self.warm_up(&mut session).await.is_ok();
            self.keep(session, worked);
        }
    }
}
