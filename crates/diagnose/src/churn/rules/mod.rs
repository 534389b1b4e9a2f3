//! The rules, in the order in which they are asked: the first that answers explains a group.
//!
//! Each file is one rule with its thresholds. A leak and a storm of failed logins are asked apart, for they may stand
//! beside anything. A newcomer would add a rule for "many logins a second": how many are too many depends on how many
//! sessions there are, so the rules look at how long a session lives.

mod batch;
mod enough;
mod failed_logins;
mod idle_timeout;
mod interactive;
mod leak;
mod lifetime_wave;
mod max_too_small;
mod min_too_big;
mod no_pooling;
mod pool_below_min;
mod pool_per_user;
mod restart;
mod scripts;
mod slow_logins;
mod steady;

use peaje_model::{Grade, GroupKind, GroupStatistics, Pattern};

use crate::churn::{DeclaredPool, LoginCost};

pub(crate) use enough::{FULL_WINDOW_S, LOGINS_NEEDED};
pub(crate) use leak::ABANDONED;
pub(crate) use max_too_small::ALL_AT_WORK;
pub(crate) use min_too_big::HARDLY_USED;

/// Sessions that live this long at most are not pooled.
const SHORT_LIFE_S: f64 = 10.0;

/// Times an hour from which sessions are replaced too often for a maximum lifetime to explain it.
const OFTEN_PER_H: f64 = 4.0;

/// Swing of the open sessions up to which they count as constant.
const CONSTANT: f64 = 0.15;

/// Correlation of logouts with the logins that follow, from which sessions are replaced.
const REPLACED: f64 = 0.5;

/// Share of the sessions at work from which they work for their living, and no pool keeps them idle.
const WORKING: f64 = 0.3;

/// Dispersion of logins from which they come in bursts.
const IN_BURSTS: f64 = 2.5;

/// One group as the rules see it: seconds are seconds of analysis.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// What its sessions have in common.
    pub(crate) kind: GroupKind,
    /// Its statistics.
    pub(crate) figures: &'a GroupStatistics,
    /// Share of its logins whose session was seen.
    pub(crate) coverage: Option<f64>,
    /// Its pools as declared, in seconds of analysis.
    pub(crate) pools: Vec<DeclaredPool>,
    /// What one login costs, when somebody measured it (in seconds of the clock).
    pub(crate) login_cost: Option<LoginCost>,
    /// Failed logins that are usual within five minutes.
    pub(crate) usual_failures_in_5min: Option<f64>,
}

impl Case<'_> {
    /// The mean life, or what it is at most when no reading ever met a session: 3 / (readings × rate of logins), by the
    /// rule of three.
    fn life_at_most_s(&self) -> Option<f64> {
        let f = self.figures;
        if f.mean_sessions.is_some_and(|open| open <= 0.0) && f.logins > 0.0 && f.bins > 0 {
            return Some(3.0 / f.bins as f64 * f.window_s / f.logins);
        }
        f.mean_life_s
    }

    /// Whether sessions are replaced more often than a maximum lifetime explains.
    fn often_replaced(&self) -> bool {
        self.figures.replaced_per_h.is_some_and(|per_h| per_h >= OFTEN_PER_H)
    }

    /// Whether they are replaced so rarely that a maximum lifetime, or nothing at all, explains it: at most four times an
    /// hour by the upper end of the 95 % interval of the number of logins.
    fn seldom_replaced(&self) -> bool {
        let f = self.figures;
        let Some(open) = f.mean_sessions.filter(|open| *open > 0.0) else { return false };
        let at_most = f.logins + 2.0 * f.logins.sqrt() + if f.logins < 10.0 { 3.0 } else { 0.0 };
        at_most / open / (f.window_s / 3600.0) < OFTEN_PER_H
            || f.replaced_per_h.is_some_and(|per_h| per_h < OFTEN_PER_H)
    }

    /// The grade that a proof gives to a verdict on this group. What rests on apportioned logins is no better than what
    /// the instance shows.
    pub(crate) fn grade(&self, proof: Proof) -> Grade {
        match (proof, self.kind) {
            (Proof::Agreed, _) => Grade::Confirmed,
            (Proof::Series, GroupKind::Instance) => Grade::Suspected,
            (Proof::Series, _) if enough::mostly_unseen(self) => Grade::Suspected,
            (Proof::Series, GroupKind::Application | GroupKind::Process) => Grade::Likely,
        }
    }

    fn is_constant(&self) -> bool {
        self.figures.amplitude.is_some_and(|amplitude| amplitude <= CONSTANT)
    }

    fn is_working(&self) -> Option<bool> {
        self.figures.mean_use.map(|at_work| at_work >= WORKING)
    }

    /// A declared setting, when all pools that may be meant agree on it.
    fn declared(&self, of: impl Fn(&DeclaredPool) -> Option<f64>) -> Option<f64> {
        let mut values = self.pools.iter().filter_map(of);
        let first = values.next()?;
        values.all(|value| (value - first).abs() < 1e-9).then_some(first)
    }

    /// The declared idle timeout.
    fn idle_timeout_s(&self) -> Option<f64> {
        self.declared(|pool| pool.idle_s)
    }
}

/// What a rule answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Answer {
    /// Something is wrong.
    Found(&'static str, Proof),
    /// Nothing is wrong, and this explains the logins.
    Explained(Pattern),
    /// Not enough evidence for any rule that comes later.
    CannotSay,
}

/// What stands behind a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The series alone.
    Series,
    /// Lives, logout reasons or declared settings agree.
    Agreed,
}

impl Proof {
    fn when(agreed: bool) -> Self {
        if agreed { Proof::Agreed } else { Proof::Series }
    }
}

/// A rule.
type Rule = fn(&Case<'_>) -> Option<Answer>;

/// What explains a series, in order.
const EXPLAIN: [Rule; 15] = [
    pool_per_user::ask,
    restart::ask,
    enough::ask,
    scripts::ask,
    no_pooling::ask,
    enough::ask_full_window,
    lifetime_wave::ask,
    pool_below_min::ask,
    idle_timeout::ask_lives,
    batch::ask,
    idle_timeout::ask_series,
    interactive::ask,
    max_too_small::ask,
    min_too_big::ask,
    steady::ask,
];

/// The same where a leak is found: it swings and grows by itself, so only short lives are looked for beside it.
const BESIDE_A_LEAK: [Rule; 3] = [enough::ask, scripts::ask, no_pooling::ask];

/// What may stand beside anything.
const BESIDE: [Rule; 2] = [failed_logins::ask, slow_logins::ask];

/// All answers about a group, the one that explains its series first.
pub(crate) fn ask(case: &Case<'_>) -> Vec<Answer> {
    let fragmented = pool_per_user::ask(case);
    let leak = if fragmented.is_none() { leak::ask(case) } else { None };
    let explain: &[Rule] = if leak.is_some() { &BESIDE_A_LEAK } else { &EXPLAIN };
    let explained = explain.iter().find_map(|rule| rule(case));
    // A leak explains a series; "not enough evidence" for something else says nothing beside it.
    let explained = explained.filter(|answer| leak.is_none() || *answer != Answer::CannotSay);
    let beside = BESIDE.iter().filter_map(|rule| rule(case));
    explained.into_iter().chain(leak).chain(beside).collect()
}
