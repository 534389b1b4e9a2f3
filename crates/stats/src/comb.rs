//! How strictly events keep to a period: the comb test.
//!
//! The same sum as a Rayleigh test of directions. It says nothing about which period is right when one is a fraction of
//! another: events every 120 s keep to 60 s, 40 s and 30 s as well.

use std::f64::consts::TAU;

/// `|mean of exp(2 pi i t / period)|`: 1 when all events lie at one place of the period, about `1 / sqrt(n)` when they
/// lie anywhere; `None` without events or without a period.
pub fn comb_strength(times: &[f64], period: f64) -> Option<f64> {
    if times.is_empty() || !period.is_finite() || period <= 0.0 {
        return None;
    }
    let angle = |time: &f64| TAU * (time / period).fract();
    let (x, y) = times.iter().map(angle).fold((0.0, 0.0), |(x, y), angle| (x + angle.cos(), y + angle.sin()));
    Some(f64::hypot(x, y) / times.len() as f64)
}

/// The period among `candidates` that `times` keep to most strictly, with its strength; the first of equals.
pub fn best_comb(times: &[f64], candidates: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let strengths = candidates.into_iter().filter_map(|period| Some((period, comb_strength(times, period)?)));
    strengths.fold(None, |best, (period, strength)| match best {
        Some((_, most)) if most >= strength => best,
        _ => Some((period, strength)),
    })
}
