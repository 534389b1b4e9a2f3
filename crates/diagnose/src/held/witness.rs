//! The knee that memory itself bears witness to: from one step on the server's machine swaps, and sessions cost more.
//!
//! Times alone need many steps to tell a bend from noise. Where swapping begins is known from another reading, so the
//! times only have to agree with it: a newcomer would ask them to prove it again.

use peaje_stats::{ChangePoint, LadderStep, median};

/// Least steps before the bend.
const LEAST_BEFORE: usize = 2;

/// How many times more a session must cost.
const LEAST_RATIO: f64 = 1.5;

/// The bend within the first step that swaps, if its sessions and those after it cost more. `swaps` tells for each step
/// whether it did.
pub(super) fn bend(ladder: &[LadderStep], swaps: &[bool]) -> Option<ChangePoint> {
    let first = swaps.iter().position(|swaps| *swaps).filter(|first| *first >= LEAST_BEFORE)?;
    let step = ladder.get(first)?;
    let cost = |steps: &[LadderStep]| median(steps.iter().map(|step| step.cost));
    let before = cost(&ladder[..first])?;
    let after = cost(&ladder[first..])?;
    if before <= 0.0 || after < LEAST_RATIO * before {
        return None;
    }
    // The part of the step that already cost as much as those after it.
    let beyond = ((step.cost - before) / (after - before)).clamp(0.0, 1.0);
    let at = step.to - beyond * (step.to - step.from);
    Some(ChangePoint { at, low: step.from, high: step.to, before, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of 50 sessions, milliseconds each.
    fn ladder(costs: &[f64]) -> Vec<LadderStep> {
        let step = |(at, cost): (usize, &f64)| LadderStep {
            from: at as f64 * 50.0,
            to: (at + 1) as f64 * 50.0,
            cost: cost / 1e3,
        };
        costs.iter().enumerate().map(step).collect()
    }

    fn swaps_from(step: usize) -> [bool; 8] {
        std::array::from_fn(|at| at >= step)
    }

    /// Recorded on a busy machine: processes of 1.8 MiB in a control group of 768 MiB, which swapped from the sixth step on.
    #[test]
    fn recorded_ladders_bend_where_memory_ended() {
        for costs in [
            [4.8, 3.7, 2.8, 3.6, 4.6, 14.0, 10.1, 7.6],
            [1.9, 3.0, 3.0, 2.5, 3.6, 7.1, 9.4, 8.3],
            [3.6, 2.8, 2.6, 1.9, 7.1, 10.2, 7.9, 8.4],
            [4.6, 4.0, 2.1, 2.1, 3.3, 7.9, 13.4, 12.5],
            [5.9, 3.5, 3.6, 2.8, 3.9, 10.1, 16.0, 10.1],
            [4.8, 7.0, 2.8, 1.6, 5.6, 15.4, 10.4, 6.9],
        ] {
            let found = bend(&ladder(&costs), &swaps_from(5)).expect("it bends");
            assert!((250.0..=300.0).contains(&found.at), "{costs:?}: {found:?}");
            assert!((found.low - 250.0).abs() < 1e-9 && (found.high - 300.0).abs() < 1e-9, "{found:?}");
            assert!(found.after > 1.5 * found.before, "{found:?}");
        }
    }

    #[test]
    fn the_place_within_the_step_is_told_by_its_cost() {
        let found = bend(&ladder(&[2.0, 2.0, 2.0, 6.0, 10.0, 10.0, 10.0, 10.0]), &swaps_from(3)).expect("it bends");
        assert!((found.at - 175.0).abs() < 1e-9, "half of the step cost five times as much: {found:?}");
    }

    #[test]
    fn swapping_that_costs_nothing_is_no_knee_and_neither_is_a_bend_that_nobody_saw() {
        let straight = ladder(&[2.0, 2.1, 1.9, 2.0, 2.2, 2.0, 2.1, 1.9]);
        assert_eq!(bend(&straight, &swaps_from(5)), None);
        let bent = ladder(&[2.0, 2.0, 2.0, 2.0, 2.0, 9.0, 9.0, 9.0]);
        assert_eq!(bend(&bent, &[false; 8]), None);
        assert_eq!(bend(&bent, &swaps_from(1)), None, "one step is no line");
        assert_eq!(bend(&[], &[]), None);
    }
}
