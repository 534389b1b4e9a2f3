//! Knees of ladders whose truth is known, and none where there is none, with fixed seeds.

use peaje_stats::Support::{CostsAlone, SeenElsewhere};
use peaje_stats::{ChangePoint, LadderStep, MIN_STEPS, Support, change_point};

use crate::series::Random;

/// A ladder with these ends and costs.
fn ladder(ends: &[f64], cost: impl FnMut(f64, f64) -> f64) -> Vec<LadderStep> {
    let mut cost = cost;
    let from = std::iter::once(0.0).chain(ends.iter().copied());
    from.zip(ends).map(|(from, to)| LadderStep { from, to: *to, cost: cost(from, *to) }).collect()
}

fn even(n: u32) -> Vec<f64> {
    (1..=n).map(|i| f64::from(i) * 50.0).collect()
}

/// The mean over a step of a cost that is `before` up to `knee` and `after` beyond.
fn broken(from: f64, to: f64, knee: f64, before: f64, after: f64) -> f64 {
    let beyond = ((to - knee) / (to - from)).clamp(0.0, 1.0);
    before * (1.0 - beyond) + after * beyond
}

fn noisy(random: &mut Random, share: f64) -> f64 {
    (share * random.normal()).exp()
}

#[test]
fn the_story_bends_where_it_was_seen_to() {
    // 75 ms for 50 sessions, then 206 and 276: the last steps of eight
    for (first_slow, seen) in [(5, [206.0, 276.0, 230.0].as_slice()), (6, &[206.0, 276.0]), (7, &[276.0])] {
        let costs: Vec<f64> =
            (0..8).map(|i: usize| i.checked_sub(first_slow).map_or(75.0, |late| seen[late])).collect();
        let mut random = Random(3);
        for _ in 0..50 {
            let mut i = 0;
            let steps = ladder(&even(8), |_, _| {
                i += 1;
                costs[i - 1] / 50.0 * noisy(&mut random, 0.04)
            });
            let knee =
                change_point(&steps, SeenElsewhere).unwrap_or_else(|| panic!("no knee at {first_slow}: {steps:?}"));
            let truth = 50.0 * first_slow as f64;
            assert!((knee.at - truth).abs() <= 50.0, "{knee:?}, seen at {truth}");
            assert!(knee.low <= knee.at && knee.at <= knee.high && knee.high - knee.low >= 50.0, "{knee:?}");
            assert!((knee.before / 1.5 - 1.0).abs() < 0.1 && knee.after > 2.0 * knee.before, "{knee:?}");
        }
    }
}

#[test]
fn a_knee_inside_a_step_is_found_there() {
    let exact = |knee: f64| {
        // the logarithm of the cost is in proportion to the share beyond, as the fit has it
        ladder(&even(10), |from, to| 2.0 * 4_f64.powf(((to - knee) / (to - from)).clamp(0.0, 1.0)))
    };
    for knee in [210.0, 250.0, 320.0, 390.0] {
        let found = change_point(&exact(knee), CostsAlone).expect("there is one");
        assert!((found.at - knee).abs() < 1e-9, "{found:?}, made at {knee}");
        assert!((found.before - 2.0).abs() < 1e-9 && (found.after - 8.0).abs() < 1.5, "{found:?}");
    }
}

#[test]
fn a_cost_that_begins_to_grow_bends() {
    let mut random = Random(8);
    let steps = ladder(&even(16), |from, to| {
        let middle = f64::midpoint(from, to);
        (middle / 400.0).max(1.0).powi(3) * noisy(&mut random, 0.03)
    });
    let knee = change_point(&steps, CostsAlone).expect("there is one");
    assert!((300.0..=500.0).contains(&knee.at), "{knee:?}");
    assert!(knee.low <= 400.0 && knee.high >= 400.0, "{knee:?}");
}

/// Share of `SERIES` ladders in which a knee is seen.
fn seen(seed: u64, ends: &[f64], support: Support, cost: impl Fn(&mut Random, f64) -> f64) -> f64 {
    const SERIES: usize = 100;
    let mut random = Random(seed);
    let found = (0..SERIES)
        .filter(|_| {
            let steps = ladder(ends, |from, to| cost(&mut random, f64::midpoint(from, to)));
            change_point(&steps, support).is_some()
        })
        .count();
    found as f64 / SERIES as f64
}

#[test]
fn smooth_growth_with_noise_has_no_knee() {
    let doubling: Vec<f64> = (0..8).map(|i| 100.0 * 2_f64.powi(i)).collect();
    type Growth = fn(f64) -> f64;
    let growths: [(&str, Growth); 6] = [
        ("constant", |_| 1.0),
        ("line from zero", |x| x),
        ("line", |x| 1.0 + x / 200.0),
        ("root", f64::sqrt),
        ("square", |x| x * x),
        ("late line", |x| 1.0 + x / 5_000.0),
    ];
    let mut seed = 100;
    for ends in [even(8), even(12), doubling] {
        for (name, growth) in growths {
            for noise in [0.005, 0.05, 0.2, 0.5] {
                seed += 1;
                let share = seen(seed, &ends, CostsAlone, |random, x| growth(x) * noisy(random, noise));
                assert!(share <= 0.05, "{name}, noise {noise}, {} steps: {share}", ends.len());
            }
        }
    }
}

#[test]
fn steps_that_were_disturbed_are_no_knee() {
    // one step in eight takes up to twice as long
    let share = seen(7, &even(8), CostsAlone, |random, _| {
        let disturbed = random.uniform() < 0.125;
        noisy(random, 0.03) * if disturbed { 1.0 + random.uniform() } else { 1.0 }
    });
    assert!(share <= 0.05, "{share}");
}

#[test]
fn the_interval_holds_the_knee() {
    const SERIES: usize = 100;
    let mut random = Random(77);
    let (mut found, mut held, mut near) = (0, 0, 0);
    for _ in 0..SERIES {
        let truth = 150.0 + 200.0 * random.uniform();
        let steps = ladder(&even(10), |from, to| broken(from, to, truth, 1.5, 5.0) * noisy(&mut random, 0.08));
        if let Some(ChangePoint { at, low, high, .. }) = change_point(&steps, SeenElsewhere) {
            found += 1;
            held += usize::from((low..=high).contains(&truth));
            near += usize::from((at - truth).abs() <= 50.0);
        }
    }
    assert!(found >= SERIES * 19 / 20, "found {found}");
    assert!(held >= found * 93 / 100 && near >= found * 97 / 100, "{held} held, {near} near, of {found}");
}

#[test]
fn a_noisy_machine_still_shows_its_knee_when_memory_is_short_too() {
    let mut random = Random(5);
    let (mut found, mut near) = (0, 0);
    for i in 0..100 {
        let full = 255.0 + f64::from(i);
        let steps = ladder(&even(8), |from, to| {
            let after = if from > full { 5.5 } else { 4.1 };
            broken(from, to, full, 1.5, after) * noisy(&mut random, 0.1)
        });
        if let Some(knee) = change_point(&steps, SeenElsewhere) {
            found += 1;
            near += u32::from((knee.at - full).abs() <= 50.0);
        }
    }
    assert!(found >= 97 && near >= found - 8, "{found} found, {near} near");
}

#[test]
fn a_long_ladder_is_judged_as_well() {
    let mut random = Random(12);
    let ends: Vec<f64> = (1..=100).map(|i| f64::from(i) * 10.0).collect();
    let steps = ladder(&ends, |from, _| if from >= 700.0 { 5.0 } else { 1.0 } * noisy(&mut random, 0.2));
    let knee = change_point(&steps, CostsAlone).expect("there is one");
    assert!((knee.at - 700.0).abs() <= 10.0 && knee.low <= 700.0 && knee.high >= 700.0, "{knee:?}");
}

#[test]
fn what_cannot_be_judged_has_none() {
    let slow_end = |n: u32| ladder(&even(n), |from, _| if from >= 100.0 { 9.0 } else { 1.0 });
    assert_eq!(change_point(&[], CostsAlone), None);
    assert_eq!(change_point(&slow_end(MIN_STEPS as u32 - 1), CostsAlone), None);
    let with = |cost: f64| {
        let mut steps = slow_end(8);
        steps[3].cost = cost;
        steps
    };
    for cost in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(change_point(&with(cost), CostsAlone), None, "{cost}");
    }
    let cheaper = ladder(&even(8), |from, _| if from >= 200.0 { 1.0 } else { 9.0 });
    assert_eq!(change_point(&cheaper, CostsAlone), None, "what gets cheaper is no knee");
}
