//! The knee of a ladder: where the time of one more session changes, and what was seen to change with it.
//!
//! The place comes from times. A newcomer would look for it in memory; memory is asked for the reason, and where it is
//! seen to swap, times that are too noisy to prove a bend by themselves have to agree with it only.

use peaje_model::{Knee, KneeCause, MemorySample, SessionStep, SessionsResult};
use peaje_stats::{ChangePoint, LadderStep, MIN_STEPS, Support, change_point, mean, median};

use super::points::{SWAPPING, swapped};
use super::witness;

/// A first step that is so much slower than the next ones has filled caches, and is left out.
const WARMS_UP: f64 = 1.2;

/// A step that opened less of what it should is no measurement.
const LEAST_OF_STEP: f64 = 0.25;

/// Usage without page cache from which a control group is full, share of its limit.
const FULL: f64 = 0.9;

/// Available memory below which a host has none left, share of the total.
const EXHAUSTED: f64 = 0.05;

/// Share of the time in which something waited for memory that counts as pressure.
const PRESSURE: f64 = 0.1;

/// Growth of processor waits, or of context switches per session, that counts.
const MORE_WAITING: f64 = 1.5;

/// A step, the one before it, and the state of memory in both.
struct Opened<'r> {
    before: &'r SessionStep,
    step: &'r SessionStep,
}

impl<'r> Opened<'r> {
    fn ladder(&self) -> LadderStep {
        let opened = self.step.opened as f64;
        LadderStep {
            from: self.before.sessions as f64,
            to: self.step.sessions as f64,
            cost: self.step.seconds / opened,
        }
    }

    fn is_whole(&self) -> bool {
        let wanted = self.step.wanted.saturating_sub(self.before.sessions) as f64;
        self.step.opened > 0
            && self.step.sessions > self.before.sessions
            && self.step.opened as f64 >= LEAST_OF_STEP * wanted
    }

    fn looks(&self) -> Option<(&'r MemorySample, &'r MemorySample)> {
        Some((self.before.memory.as_ref()?, self.step.memory.as_ref()?))
    }

    /// Growth of a cumulative time in this step, share of the time between both looks.
    fn share(&self, total: fn(&MemorySample) -> Option<u64>) -> Option<f64> {
        let (before, after) = self.looks()?;
        let us = after.clock_us.checked_sub(before.clock_us).filter(|us| *us > 0)?;
        Some(total(after)?.saturating_sub(total(before)?) as f64 / us as f64)
    }
}

/// The knee; `None` while the ladder is straight, or too short to tell.
pub(super) fn knee(result: &SessionsResult) -> Option<Knee> {
    let before = std::iter::once(&result.baseline).chain(&result.steps);
    let opened = before.zip(&result.steps).map(|(before, step)| Opened { before, step });
    let opened: Vec<Opened<'_>> = opened.filter(Opened::is_whole).collect();
    let ladder: Vec<LadderStep> = opened.iter().map(Opened::ladder).collect();
    let warm = &ladder[usize::from(warms_up(&ladder))..];
    // One slow step at the end may be anything, unless memory is seen to be short in it.
    let short = opened.last().is_some_and(|last| memory_is_short(result, last).is_some());
    let support = if short { Support::SeenElsewhere } else { Support::CostsAlone };
    let swaps: Vec<bool> = opened.iter().map(|one| swapped(result, one.step) >= SWAPPING).collect();
    let found = change_point(warm, support).or_else(|| witnessed(&opened, &ladder, &swaps))?;
    let cause = cause(result, &opened, &found);
    let ChangePoint { at, low, high, before, after } = found;
    Some(Knee { sessions: at, low, high, cause, before_s: before, after_s: after })
}

/// A single login that waits long makes a step's time, not its median: where memory ends, all of them are slower.
fn witnessed(opened: &[Opened<'_>], ladder: &[LadderStep], swaps: &[bool]) -> Option<ChangePoint> {
    let median =
        |(one, step): (&Opened<'_>, &LadderStep)| Some(LadderStep { cost: one.step.login_us.p50? / 1e6, ..*step });
    let medians: Option<Vec<LadderStep>> = opened.iter().zip(ladder).map(median).collect();
    medians.and_then(|medians| witness::bend(&medians, swaps)).or_else(|| witness::bend(ladder, swaps))
}

fn warms_up(ladder: &[LadderStep]) -> bool {
    let next = median(ladder.iter().skip(1).take(3).map(|step| step.cost));
    ladder.len() > MIN_STEPS && next.is_some_and(|next| ladder[0].cost > WARMS_UP * next)
}

/// What changed with the time: memory is asked first, because a host that swaps also waits for its processors.
fn cause(result: &SessionsResult, opened: &[Opened<'_>], knee: &ChangePoint) -> KneeCause {
    let (straight, bent): (Vec<_>, Vec<_>) = opened.iter().partition(|one| one.step.sessions as f64 <= knee.at);
    if let Some(short) = bent.iter().find_map(|one| memory_is_short(result, one)) {
        return short;
    }
    let grew = |of: &dyn Fn(&Opened<'_>) -> Option<f64>| {
        let mean_of = |steps: &[&Opened<'_>]| mean(&steps.iter().filter_map(|one| of(one)).collect::<Vec<_>>());
        mean_of(&straight).zip(mean_of(&bent)).is_some_and(|(before, after)| after > MORE_WAITING * before)
    };
    let waits = |one: &Opened<'_>| one.share(|look| look.host.cpu_stall_us);
    if grew(&waits) || grew(&switches_per_session) { KneeCause::Scheduler } else { KneeCause::Unknown }
}

fn switches_per_session(one: &Opened<'_>) -> Option<f64> {
    let (before, after) = one.looks()?;
    let switches = after.host.context_switches?.saturating_sub(before.host.context_switches?);
    Some(switches as f64 / one.step.opened.max(1) as f64)
}

/// Whose memory is short at a step; `None` when nobody's is.
fn memory_is_short(result: &SessionsResult, one: &Opened<'_>) -> Option<KneeCause> {
    let (_, look) = one.looks()?;
    let swaps = swapped(result, one.step) >= SWAPPING;
    let waits = one.share(|look| look.host.memory_stall_us).is_some_and(|share| share >= PRESSURE);
    let group = look.cgroup.as_ref().and_then(|group| {
        let held = group.held()?;
        Some(held as f64 / group.limit? as f64)
    });
    if group.is_some_and(|share| share >= FULL) {
        return Some(KneeCause::CgroupMemory);
    }
    let left = look.host.available.zip(look.host.total).map(|(left, total)| left as f64 / total as f64);
    let exhausted = left.is_some_and(|left| left < EXHAUSTED);
    (swaps || waits || exhausted).then_some(KneeCause::Memory)
}
