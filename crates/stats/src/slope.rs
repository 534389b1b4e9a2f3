//! Theil-Sen: a slope that a few wild points do not move.

use crate::median;

/// The median of the slopes of all pairs of points (Theil 1950; Sen 1968); `None` unless two points differ in x.
///
/// Every pair is looked at, which suits dozens of points: take medians of blocks first.
pub fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    let after = |i: usize| points.iter().skip(i + 1);
    let pairs = points.iter().enumerate().flat_map(|(i, a)| after(i).map(move |b| (a, b)));
    let apart = pairs.filter(|(a, b)| a.0 < b.0 || b.0 < a.0);
    median(apart.map(|(a, b)| (b.1 - a.1) / (b.0 - a.0)))
}
