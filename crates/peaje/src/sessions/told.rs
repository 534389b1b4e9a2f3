//! What the server itself tells on the observer's session, while other sessions come and go.
//!
//! A question that gets no answer in time leaves its session in an unknown state: it is asked nothing more.

use std::time::{Duration, Instant};

use peaje_engine::{Covers, Observer, SessionLimits};
use peaje_lab::{Others, Ours, StopRule};
use peaje_model::Gap;

use crate::consent::QUIET_IN_FLIGHT;

/// How long an answer may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
const GOODBYE: Duration = Duration::from_secs(2);
/// How long a server may need to notice a login that was given up.
const GIVEN_UP: Duration = Duration::from_secs(1);
/// Time between two looks whether the last session has left.
const LEFT_LOOK: Duration = Duration::from_millis(20);

fn blind() -> StopRule {
    let why = "the observing session stopped answering: how many sessions are free can no longer be read, and a load on a \
               server that others use does not go on blindly";
    StopRule::FreeSessions(why.to_owned())
}

/// The observer, and what is watched with it.
pub(super) struct Told {
    observer: Option<Box<dyn Observer>>,
    /// Other clients; `None` on servers without any.
    others: Option<Others>,
    /// Failures of ours before the load on others began to be watched.
    failed_before: u64,
    gaps: Vec<Gap>,
    own_before: u64,
    /// Whether the views speak of all sessions: asked until they say no.
    has_memory: bool,
}

impl Told {
    pub(super) fn new(observer: Option<Box<dyn Observer>>, production: bool) -> Self {
        let others = production.then(Others::default);
        Self { observer, others, failed_before: 0, gaps: Vec::new(), own_before: 0, has_memory: true }
    }

    /// Asks, and gives the observer up when it does not answer.
    async fn ask<T>(
        &mut self,
        what: &str,
        question: impl for<'a> AsyncFnOnce(&'a mut dyn Observer) -> Result<T, Gap>,
    ) -> Option<T> {
        let mut observer = self.observer.take()?;
        if let Ok(answer) = tokio::time::timeout(ANSWER_LIMIT, question(observer.as_mut())).await {
            self.observer = Some(observer);
            return answer.map_err(|gap| self.note(gap)).ok();
        }
        self.note(Gap {
            what: what.to_owned(),
            why: format!("the server did not answer within {} s", ANSWER_LIMIT.as_secs()),
            next_step: Some("look at the server: it may be overloaded".to_owned()),
        });
        None
    }

    fn note(&mut self, gap: Gap) {
        if !self.gaps.iter().any(|known| known.what == gap.what) {
            self.gaps.push(gap);
        }
    }

    /// Why the first question had no answer.
    pub(super) fn first_reason(&self) -> Option<&Gap> {
        self.gaps.first()
    }

    pub(super) fn take_gaps(&mut self) -> Vec<Gap> {
        std::mem::take(&mut self.gaps)
    }

    /// Room for sessions.
    pub(super) async fn limits(&mut self) -> Option<SessionLimits> {
        self.ask("connection limits", async |observer| observer.limits().await).await
    }

    /// Everybody's sessions, without the observer's own.
    pub(super) async fn sessions(&mut self) -> Option<u64> {
        self.limits().await.map(|limits| limits.in_use.saturating_sub(1))
    }

    /// What the server's views say that all sessions take, bytes (or with what else the server takes: the slope is the
    /// same); `None` where they do not speak of all.
    pub(super) async fn memory(&mut self) -> Option<u64> {
        if !self.has_memory {
            return None;
        }
        let told = self.ask("memory of sessions", async |observer| observer.session_memory().await).await;
        self.has_memory = told.as_ref().is_some_and(|told| told.covers != Covers::ThisSession);
        let told = told.filter(|_| self.has_memory)?;
        for gap in told.gaps {
            self.note(gap);
        }
        Some(told.bytes)
    }

    /// What is usual for the other clients, before the load; `failed` logins of ours have failed by then.
    pub(super) async fn meet_others(&mut self, failed: u64) {
        self.failed_before = failed;
        if let (Some(others), Some(observer)) = (&mut self.others, &mut self.observer) {
            others.meet(observer.as_mut(), &mut self.gaps).await;
        }
    }

    /// Whether it is time for another look at the other clients.
    pub(super) fn is_due(&self) -> bool {
        self.others.as_ref().is_some_and(Others::is_due)
    }

    /// Whether `wanted` sessions are no more than peaje takes, and no other client has come to harm. `failed`: logins of
    /// ours in the whole run.
    pub(super) async fn look_at_others(&mut self, wanted: u64, open: u64, failed: u64) -> Result<(), StopRule> {
        let Some(others) = &mut self.others else { return Ok(()) };
        let failed = failed.saturating_sub(self.failed_before);
        let Some(observer) = &mut self.observer else {
            // A few sessions one after the other need nobody to look; more are only begun where free ones can be read.
            return if wanted > u64::from(QUIET_IN_FLIGHT) { Err(blind()) } else { others.lose_sight() };
        };
        others.look(observer.as_mut(), Ours { sessions: wanted, failed, open }, &mut self.gaps).await
    }

    /// Sessions that the server takes for those of this run; where it cannot tell programs apart, those of its login.
    async fn own(&mut self) -> Option<u64> {
        let what = "sessions of this run";
        let counted = self.ask(what, async |observer| observer.counters().await).await;
        match counted {
            Some(counters) => Some(counters.own_sessions),
            None => self.ask(what, async |observer| observer.sample().await).await.map(|sample| sample.sessions),
        }
    }

    /// What counts as ours before the first session of ours.
    pub(super) async fn note_own(&mut self) {
        self.own_before = self.own().await.unwrap_or(0);
    }

    /// Waits until the server has ended the last session of this run; how many it still counts, if it tells.
    pub(super) async fn until_none_is_left(&mut self, limit: Duration) -> Option<u64> {
        let deadline = Instant::now() + limit;
        loop {
            let left = self.own().await?.saturating_sub(self.own_before);
            if left == 0 || Instant::now() >= deadline {
                return Some(left);
            }
            tokio::time::sleep(LEFT_LOOK).await;
        }
    }

    /// Everybody's sessions, once there are no more of them than `before`: logins that were given up in the middle are
    /// noticed by a server only after a while. Others may have come meanwhile, so that patience is short.
    pub(super) async fn sessions_again(&mut self, before: Option<u64>) -> Option<u64> {
        let deadline = Instant::now() + GIVEN_UP;
        loop {
            let now = self.sessions().await?;
            if before.is_none_or(|before| now <= before) || Instant::now() >= deadline {
                return Some(now);
            }
            tokio::time::sleep(LEFT_LOOK).await;
        }
    }

    /// Says goodbye.
    pub(super) async fn close(mut self) {
        if let Some(observer) = self.observer.take() {
            let _ = tokio::time::timeout(GOODBYE, observer.close()).await;
        }
    }
}
