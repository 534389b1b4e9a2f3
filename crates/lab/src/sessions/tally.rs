//! The logins of a thread in a form that travels and merges: what a [`Recorder`] holds of them.

use std::collections::BTreeMap;

use peaje_model::{
    AuthSeen, Counts, LatencySummary, OutcomeCount, OutcomeKind, Phase, PhaseSummary, TlsSeen, phase_summary,
};
use serde::{Deserialize, Serialize};

use super::times::Times;
use crate::recorder::Recorder;
use crate::summary::{auth_seen, tls_seen};

/// Logins.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    counts: Counts,
    logins: u64,
    login: Times,
    phases: Vec<(Phase, Times, u64)>,
    least_connect_ns: Option<u64>,
    outcomes: Vec<Outcome>,
    tls: Vec<TlsSeen>,
    auth: Vec<AuthSeen>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outcome {
    kind: OutcomeKind,
    code: Option<String>,
    count: u64,
    message: Option<String>,
    took: Times,
}

impl From<&Recorder> for Tally {
    fn from(recorder: &Recorder) -> Self {
        let phases = recorder.phases.iter().map(|(phase, times)| {
            let round_trips = recorder.round_trips[phase];
            (phase, Times(times.clone()), round_trips)
        });
        let outcomes = recorder.outcomes.iter().map(|((kind, code), ended)| Outcome {
            kind: *kind,
            code: code.clone(),
            count: ended.count,
            message: ended.message.clone(),
            took: Times(ended.took.clone()),
        });
        Self {
            counts: recorder.counts(),
            logins: recorder.logins,
            login: Times(recorder.service.clone()),
            phases: phases.filter(|(_, times, trips)| times.0.sum_ns() > 0 || *trips > 0).collect(),
            least_connect_ns: recorder.least_connect.map(|d| d.as_nanos() as u64),
            outcomes: outcomes.collect(),
            tls: recorder.tls.iter().map(|(tls, count)| tls_seen(tls, *count)).collect(),
            auth: recorder.auth.iter().map(|(auth, count)| auth_seen(auth, *count)).collect(),
        }
    }
}

impl Tally {
    pub(super) fn merge(&mut self, other: Self) {
        let (own, more) = (&mut self.counts, other.counts);
        own.scheduled += more.scheduled;
        own.completed += more.completed;
        own.failed += more.failed;
        own.skipped += more.skipped;
        own.in_flight += more.in_flight;
        self.logins += other.logins;
        self.login.0.merge(&other.login.0);
        for (phase, times, round_trips) in other.phases {
            match self.phases.iter_mut().find(|(known, ..)| *known == phase) {
                Some(known) => {
                    known.1.0.merge(&times.0);
                    known.2 += round_trips;
                }
                None => self.phases.push((phase, times, round_trips)),
            }
        }
        self.least_connect_ns = self.least_connect_ns.into_iter().chain(other.least_connect_ns).min();
        other.outcomes.into_iter().for_each(|outcome| self.add_outcome(outcome));
        let same_tls =
            |a: &TlsSeen, b: &TlsSeen| TlsSeen { count: 0, ..a.clone() } == TlsSeen { count: 0, ..b.clone() };
        let same_auth =
            |a: &AuthSeen, b: &AuthSeen| AuthSeen { count: 0, ..a.clone() } == AuthSeen { count: 0, ..b.clone() };
        merge_list(&mut self.tls, other.tls, same_tls, |own, more| own.count += more.count);
        merge_list(&mut self.auth, other.auth, same_auth, |own, more| own.count += more.count);
    }

    fn add_outcome(&mut self, outcome: Outcome) {
        match self.outcomes.iter_mut().find(|own| own.kind == outcome.kind && own.code == outcome.code) {
            Some(own) => {
                own.count += outcome.count;
                own.took.0.merge(&outcome.took.0);
                own.message = own.message.take().or(outcome.message);
            }
            None => self.outcomes.push(outcome),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    pub(super) fn logins(&self) -> u64 {
        self.logins
    }

    pub(super) fn login_us(&self) -> LatencySummary {
        (&self.login.0).into()
    }

    pub(super) fn login_histogram(&self) -> String {
        self.login.0.to_base64()
    }

    pub(super) fn rtt_us(&self) -> Option<f64> {
        self.least_connect_ns.map(|ns| ns as f64 / 1e3)
    }

    pub(super) fn phases_us(&self) -> BTreeMap<Phase, PhaseSummary> {
        let total_ns = self.phases.iter().map(|(_, times, _)| times.0.sum_ns()).sum();
        self.phases.iter().map(|(phase, times, trips)| (*phase, phase_summary(&times.0, total_ns, *trips))).collect()
    }

    pub(super) fn outcomes(&self) -> Vec<OutcomeCount> {
        let told = |own: &Outcome| OutcomeCount {
            kind: own.kind,
            code: own.code.clone(),
            count: own.count,
            message: own.message.clone(),
            latency_us: (&own.took.0).into(),
        };
        let mut list: Vec<OutcomeCount> = self.outcomes.iter().map(told).collect();
        if self.counts.in_flight > 0 {
            list.push(OutcomeCount {
                kind: OutcomeKind::Aborted,
                code: None,
                count: self.counts.in_flight,
                message: None,
                latency_us: LatencySummary::default(),
            });
        }
        list
    }

    pub(super) fn tls_seen(&self) -> Vec<TlsSeen> {
        self.tls.clone()
    }

    pub(super) fn auth_seen(&self) -> Vec<AuthSeen> {
        self.auth.clone()
    }
}

fn merge_list<T>(own: &mut Vec<T>, more: Vec<T>, same: impl Fn(&T, &T) -> bool, add: impl Fn(&mut T, T)) {
    for entry in more {
        match own.iter_mut().find(|known| same(known, &entry)) {
            Some(known) => add(known, entry),
            None => own.push(entry),
        }
    }
}
