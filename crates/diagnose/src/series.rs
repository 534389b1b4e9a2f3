//! One series as diagnoses look at it, with its place in the run file.
//!
//! "Mean login" is the sum of the phases' means, which the run file defines to add up to the whole login, query and
//! close included; "until ready" leaves the query and the close out, because that is what an application waits for when
//! it connects. They are means of *logins*: in a pooled series they say nothing of an operation.

use std::ops::Deref;

use peaje_model::{Arrival, BoundVerdict, Evidence, OutcomeKind, Param, Phase, Series, TlsSeen};

use crate::draft::{saw, saw_count, saw_us};
use crate::view::{US_PER_S, ratio};

/// A series and where it stands in the run file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'r> {
    index: usize,
    series: &'r Series,
}

impl Deref for At<'_> {
    type Target = Series;

    fn deref(&self) -> &Series {
        self.series
    }
}

impl<'r> At<'r> {
    /// The series at this place of `login.series`.
    pub(crate) fn new(index: usize, series: &'r Series) -> Self {
        Self { index, series }
    }
}

impl At<'_> {
    /// JSON pointer to something within this series.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/login/series/{}/{rest}", self.index)
    }

    /// Mean of a phase, microseconds.
    pub(crate) fn phase(&self, phase: Phase) -> Option<f64> {
        self.phases_us.get(&phase)?.mean
    }

    /// Mean login, microseconds: all phases.
    pub(crate) fn mean_login(&self) -> Option<f64> {
        self.sum_of_phases(|_| true)
    }

    /// Mean login until the session is ready for a query, microseconds.
    pub(crate) fn until_ready(&self) -> Option<f64> {
        self.sum_of_phases(is_before_ready)
    }

    /// Mean login without its query, microseconds: what a connection costs around the query, its close included.
    pub(crate) fn login_without_query(&self) -> Option<f64> {
        self.sum_of_phases(|phase| phase != Phase::FirstQuery)
    }

    fn sum_of_phases(&self, wanted: impl Fn(Phase) -> bool) -> Option<f64> {
        let means = Phase::ALL.into_iter().filter(|phase| wanted(*phase)).filter_map(|phase| self.phase(phase));
        let sum: f64 = means.sum();
        (sum > 0.0).then_some(sum)
    }

    /// The longest phase before the session is ready, with its mean.
    pub(crate) fn longest_phase(&self) -> Option<(Phase, f64)> {
        let phases = Phase::ALL.into_iter().filter(|phase| is_before_ready(*phase));
        phases.filter_map(|phase| Some((phase, self.phase(phase)?))).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The phases' means, as evidence.
    pub(crate) fn saw_phases(&self) -> Vec<Evidence> {
        let saw_phase = |phase: Phase| saw_us(self.path(&format!("phases_us/{phase}/mean")), self.phase(phase));
        Phase::ALL.into_iter().filter_map(saw_phase).collect()
    }

    /// The number of logins, as evidence.
    pub(crate) fn saw_logins(&self) -> Option<Evidence> {
        saw_count(self.path("logins"), self.logins)
    }

    /// The number of completed operations, as evidence.
    pub(crate) fn saw_completed(&self) -> Option<Evidence> {
        saw_count(self.path("counts/completed"), self.counts.completed)
    }

    /// The mean operation, as evidence.
    pub(crate) fn saw_service(&self) -> Option<Evidence> {
        saw_us(self.path("service_us/mean"), self.service_us.mean)
    }

    /// The rate, as evidence.
    pub(crate) fn saw_rate(&self) -> Option<Evidence> {
        saw(self.path("throughput_per_s/value"), self.throughput_per_s.value.map(Param::PerS))
    }

    /// Logins that filled the pool, when its means say more of the filling than of the use: operations waited for the
    /// pool more than half of their time.
    pub(crate) fn filling_logins(&self) -> Option<u64> {
        let wait_us = self.pool_us.as_ref()?.wait.mean?;
        (self.logins > 0 && wait_us > self.service_us.mean? / 2.0).then_some(self.logins)
    }

    /// The mean wait for the pool, as evidence, when [`At::filling_logins`] speaks of it.
    pub(crate) fn saw_filling(&self) -> Option<Evidence> {
        self.filling_logins()?;
        saw_us(self.path("pool_us/wait/mean"), self.pool_us.as_ref()?.wait.mean)
    }

    /// Completed operations per second, when the loop is closed: in an open loop the rate is what was offered.
    pub(crate) fn reached_per_s(&self) -> Option<f64> {
        self.throughput_per_s.value.filter(|_| self.is_closed_loop())
    }

    /// Logins per second over the whole series.
    pub(crate) fn logins_per_s(&self) -> Option<f64> {
        ratio(self.logins as f64, self.elapsed_s)
    }

    /// What [`At::logins_per_s`] is made of, as evidence.
    pub(crate) fn saw_logins_per_s(&self) -> Vec<Evidence> {
        let elapsed = saw_us(self.path("elapsed_s"), self.elapsed_s * US_PER_S);
        self.saw_logins().into_iter().chain(elapsed).collect()
    }

    /// Server CPU for each login, microseconds.
    pub(crate) fn server_cpu_us(&self) -> Option<f64> {
        self.server.as_ref()?.cpu_us_per_login
    }

    /// Server CPU for each login, as evidence.
    pub(crate) fn saw_server_cpu(&self) -> Option<Evidence> {
        saw_us(self.path("server/cpu_us_per_login"), self.server_cpu_us())
    }

    /// Operations that ended in a certain way.
    pub(crate) fn outcomes(&self, kind: OutcomeKind) -> u64 {
        self.series.outcomes.iter().filter(|outcome| outcome.kind == kind).map(|outcome| outcome.count).sum()
    }

    /// The counts of operations that ended in a certain way, as evidence.
    pub(crate) fn saw_outcomes(&self, kind: OutcomeKind) -> Vec<Evidence> {
        let of_kind = self.series.outcomes.iter().enumerate().filter(|(_, outcome)| outcome.kind == kind);
        of_kind.filter_map(|(i, outcome)| saw_count(self.path(&format!("outcomes/{i}/count")), outcome.count)).collect()
    }

    /// Whether peaje itself was the bottleneck: rates are lower bounds, and times hold peaje's own waits.
    pub(crate) fn is_generator_bound(&self) -> bool {
        self.bound.verdict == BoundVerdict::Generator
    }

    /// Whether each worker starts its next operation when the last one has ended.
    pub(crate) fn is_closed_loop(&self) -> bool {
        self.settings.arrival == Arrival::Closed
    }

    /// Whether any login of the series used TLS.
    pub(crate) fn has_tls(&self) -> bool {
        self.tls_seen.iter().any(|seen| seen.count > 0)
    }

    /// The TLS that most full handshakes had, and its place in `tls_seen`.
    pub(crate) fn usual_full_handshake(&self) -> Option<(usize, &TlsSeen)> {
        let full = self.series.tls_seen.iter().enumerate().filter(|(_, seen)| !seen.resumed && seen.count > 0);
        full.max_by_key(|(_, seen)| seen.count)
    }
}

/// Whether a phase belongs to the time until the session is ready for a query.
fn is_before_ready(phase: Phase) -> bool {
    !matches!(phase, Phase::FirstQuery | Phase::Close)
}
