//! Where the cost of one more changes: the knee of a ladder, with its interval, or none.
//!
//! The points are costs of steps (the time of a step over what it opened), not sums: sums inherit each other's noise. A
//! newcomer would fit two lines and take the best break; the best break of pure noise is always there. A knee is only
//! told when it explains more than the best knee of noise would, 98 times of 100, beyond any smooth growth.

use crate::random::Random;
use crate::t_quantile_975;

/// Fewest steps that can show a knee.
pub const MIN_STEPS: usize = 5;

/// Steps that must lie wholly before a knee.
const LEAST_BEFORE: usize = 2;

/// Places that are tried within each step.
const PLACES: [f64; 5] = [0.0, 0.2, 0.4, 0.6, 0.8];

/// A knee makes the cost at least this many times what it was.
const LEAST_RATIO: f64 = 1.5;

/// No cost is known better than this share of it: a curve without noise would make anything significant.
const NOISE_FLOOR: f64 = 0.02;

/// Series of noise that are looked at for comparison.
const TRIALS: usize = 499;

/// With more steps than this, places inside them are not tried: the steps are fine enough.
const COARSE: usize = 24;

/// Any seed will do; it must always be the same.
const SEED: u64 = 0x5eed_0f1a_4ee5;

/// Smooth growth: cost = A (1 + x/s)^B with these scales s, in shares of the largest x; 0 stands for A x^B, and the
/// largest is nearly exponential.
const SCALES: [f64; 10] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 5.0, 100.0];

/// Those of them that a knee may stand upon: each costs parameters.
const UNDER_A_KNEE: [f64; 3] = [0.0, 0.4, 100.0];

/// A family of knees that is so much worse for its parameters is not looked at.
const MOST_PENALTY: f64 = 2.0;

/// One step of a ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LadderStep {
    /// Where it began.
    pub from: f64,
    /// Where it ended.
    pub to: f64,
    /// What each of those between cost.
    pub cost: f64,
}

impl LadderStep {
    fn middle(&self) -> f64 {
        f64::midpoint(self.from, self.to)
    }

    /// The share of the step that lies beyond `k`.
    fn beyond(&self, k: f64) -> f64 {
        ((self.to - k) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

/// A knee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Where the cost changes.
    pub at: f64,
    /// Lower end of the 95 % interval; never inside the step in which it lies, which is as finely as can be known.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Mean cost of the steps before it.
    pub before: f64,
    /// Mean cost of the steps after it.
    pub after: f64,
}

/// What speaks for a knee besides the costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Nothing: two steps must lie mostly beyond it, and noise may do as well once in fifty times.
    CostsAlone,
    /// Something else was seen to change: a single slow last step may be a knee, and noise may do as well once in five
    /// times, because noise would not have met that as well.
    SeenElsewhere,
}

impl Support {
    const fn least_after(self) -> usize {
        match self {
            Support::CostsAlone => 2,
            Support::SeenElsewhere => 1,
        }
    }

    /// Series of noise that may do better, of [`TRIALS`].
    const fn may_exceed(self) -> usize {
        match self {
            Support::CostsAlone => 9,
            Support::SeenElsewhere => 99,
        }
    }
}

/// How the cost goes on after a knee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// It is another one.
    Jump,
    /// It begins to grow.
    Bend,
}

/// A place and shape to try, and what it adds to a smooth curve: a direction of length 1.
struct Candidate {
    at: f64,
    direction: Vec<f64>,
}

/// A family of smooth curves, and the knees on top of it.
struct Curves {
    basis: Vec<Vec<f64>>,
    /// Penalty without a knee.
    smooth: f64,
    /// Penalty with one.
    bent: f64,
    candidates: Vec<Candidate>,
}

/// The knee of a ladder; `None` when there is none, or when the steps are too few to tell.
///
/// Logarithms of the costs are compared, because noise of times grows with them. What a knee must beat is the best of
/// several smooth growths, straight lines and powers among them. Curves of different freedom are compared by Akaike's
/// criterion, corrected for few points (Hurvich and Tsai 1989); the difference is held against the same figure of
/// `TRIALS` series of noise around the smooth growth (no table of Andrews 1993 knows eight points). The interval is the
/// likelihood's profile.
pub fn change_point(steps: &[LadderStep], support: Support) -> Option<ChangePoint> {
    let usable = |step: &LadderStep| step.cost > 0.0 && step.cost.is_finite() && step.from < step.to;
    if steps.len() < MIN_STEPS || !steps.iter().all(usable) {
        return None;
    }
    let curves = curves(steps, support.least_after());
    let costs: Vec<f64> = steps.iter().map(|step| step.cost.ln()).collect();
    let floor = steps.len() as f64 * NOISE_FLOOR.powi(2);
    let scores = scores(&curves, &costs, floor);
    let (at, best) = scores.best()?;
    let (before, after) = around(steps, at)?;
    if after < LEAST_RATIO * before || !beats_noise(&curves, &costs, scores.smooth - best, support) {
        return None;
    }
    let (low, high) = interval(steps, &scores.bent, at, best);
    Some(ChangePoint { at, low, high, before, after })
}

/// How well costs are told, logarithm of what is left and penalty; less is better. Without a knee, and with each.
struct Scores {
    smooth: f64,
    bent: Vec<(f64, f64)>,
}

impl Scores {
    /// The best knee: where, and its score.
    fn best(&self) -> Option<(f64, f64)> {
        self.bent.iter().copied().reduce(|best, one| if one.1 < best.1 { one } else { best })
    }
}

fn scores(curves: &[Curves], costs: &[f64], floor: f64) -> Scores {
    let mut scores = Scores { smooth: f64::INFINITY, bent: Vec::new() };
    for family in curves {
        let rest = without(costs, &family.basis);
        let left = dot(&rest, &rest);
        scores.smooth = scores.smooth.min((left + floor).ln() + family.smooth);
        for candidate in &family.candidates {
            // Only what makes it dearer is a knee.
            let gain = dot(&rest, &candidate.direction).max(0.0);
            let score = ((left - gain * gain).max(0.0) + floor).ln() + family.bent;
            scores.bent.push((candidate.at, score));
        }
    }
    scores
}

/// Whether a gain is larger than all but a few that noise around the smoothest fit gives.
fn beats_noise(curves: &[Curves], costs: &[f64], gain: f64, support: Support) -> bool {
    if gain <= 0.0 {
        return false;
    }
    let (smooth, deviation) = smoothest(curves, costs);
    let mut random = Random::new(SEED);
    let mut exceeded = 0;
    for _ in 0..TRIALS {
        let series: Vec<f64> = smooth.iter().map(|cost| cost + deviation * random.normal()).collect();
        let of_noise = scores(curves, &series, 0.0);
        let better = of_noise.best().is_some_and(|(_, best)| of_noise.smooth - best >= gain);
        exceeded += usize::from(better);
        if exceeded > support.may_exceed() {
            return false;
        }
    }
    true
}

/// The smooth curve that leaves least, and the standard deviation of what it leaves.
fn smoothest(curves: &[Curves], costs: &[f64]) -> (Vec<f64>, f64) {
    let rests = curves.iter().map(|family| without(costs, &family.basis));
    let least = rests.reduce(|best, one| if dot(&one, &one) < dot(&best, &best) { one } else { best });
    let rest = least.unwrap_or_default();
    let free = costs.len().saturating_sub(3).max(1) as f64;
    let deviation = (dot(&rest, &rest) / free).sqrt();
    (costs.iter().zip(&rest).map(|(cost, rest)| cost - rest).collect(), deviation)
}

/// The profile: every place that is not much worse than the best, by the quantile of F for one parameter.
fn interval(steps: &[LadderStep], bent: &[(f64, f64)], at: f64, best: f64) -> (f64, f64) {
    let free = steps.len().saturating_sub(4).max(1) as u64;
    let bound = best + (t_quantile_975(free).powi(2) / free as f64).ln_1p();
    let good = || bent.iter().filter(|(_, score)| *score <= bound).map(|(place, _)| *place);
    let inside = steps.iter().find(|step| (step.from..step.to).contains(&at));
    let (from, to) = inside.map_or((at, at), |step| (step.from, step.to));
    (good().fold(from, f64::min), good().fold(to, f64::max))
}

/// Mean costs of the steps before `at` and of those mostly beyond it.
fn around(steps: &[LadderStep], at: f64) -> Option<(f64, f64)> {
    let mean = |mostly: fn(f64) -> bool| {
        let costs: Vec<f64> = steps.iter().filter(|step| mostly(step.beyond(at))).map(|step| step.cost).collect();
        crate::mean(&costs)
    };
    Some((mean(|beyond| beyond <= 0.0)?, mean(|beyond| beyond >= 0.5)?))
}

/// The families: one that does not grow, and those of [`SCALES`].
fn curves(steps: &[LadderStep], least_after: usize) -> Vec<Curves> {
    let flat: Vec<Vec<f64>> = direction(&vec![1.0; steps.len()], &[]).into_iter().collect();
    let scales = SCALES.into_iter().map(|scale| {
        let basis = flat.iter().cloned().chain(direction(&growth(steps, scale), &flat)).collect();
        let least_after = UNDER_A_KNEE.contains(&scale).then_some(least_after);
        // Height, steepness, scale and the noise; the knee has a place and a size.
        family(steps, basis, 4, least_after)
    });
    std::iter::once(family(steps, flat.clone(), 2, Some(least_after))).chain(scales).collect()
}

fn family(steps: &[LadderStep], basis: Vec<Vec<f64>>, parameters: usize, least_after: Option<usize>) -> Curves {
    let (smooth, bent) = (penalty(steps.len(), parameters), penalty(steps.len(), parameters + 2));
    let affordable = bent - penalty(steps.len(), 4) <= MOST_PENALTY;
    let candidates = least_after.filter(|_| affordable).map(|least| candidates(steps, &basis, least));
    Curves { smooth, bent, candidates: candidates.unwrap_or_default(), basis }
}

/// The criterion's penalty over the number of points; infinite where the points are too few for the parameters.
fn penalty(n: usize, parameters: usize) -> f64 {
    let free = n.saturating_sub(parameters + 1);
    if free == 0 { f64::INFINITY } else { 2.0 * parameters as f64 / free as f64 }
}

fn growth(steps: &[LadderStep], scale: f64) -> Vec<f64> {
    let largest = steps.iter().map(LadderStep::middle).fold(0.0, f64::max);
    let grows = |x: f64| if scale > 0.0 { (x / (scale * largest)).ln_1p() } else { x.ln() };
    steps.iter().map(|step| grows(step.middle())).collect()
}

fn candidates(steps: &[LadderStep], basis: &[Vec<f64>], least_after: usize) -> Vec<Candidate> {
    let shares = if steps.len() > COARSE { &PLACES[..1] } else { &PLACES };
    let places = steps.iter().flat_map(|step| shares.iter().map(|share| step.from + share * (step.to - step.from)));
    let tried = places.flat_map(|at| [(at, Shape::Jump), (at, Shape::Bend)]);
    let allowed = tried.filter(|(at, shape)| is_allowed(steps, *at, *shape, least_after));
    allowed
        .filter_map(|(at, shape)| {
            let column: Vec<f64> = steps.iter().map(|step| effect(step, at, shape)).collect();
            direction(&column, basis).map(|direction| Candidate { at, direction })
        })
        .collect()
}

/// A bend with one step behind it is a jump.
fn is_allowed(steps: &[LadderStep], at: f64, shape: Shape, least_after: usize) -> bool {
    let before = steps.iter().filter(|step| step.to <= at).count();
    let beyond = steps.iter().filter(|step| step.beyond(at) >= 0.5).count();
    before >= LEAST_BEFORE && beyond >= if shape == Shape::Bend { least_after.max(2) } else { least_after }
}

/// What a knee at `at` adds to the logarithm of a step's cost.
fn effect(step: &LadderStep, at: f64, shape: Shape) -> f64 {
    match shape {
        Shape::Jump => step.beyond(at),
        Shape::Bend => (step.middle() / at).ln().max(0.0),
    }
}

/// What of `column` is not in `basis`, with length 1; `None` when nothing is.
fn direction(column: &[f64], basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let rest = without(column, basis);
    let length = dot(&rest, &rest).sqrt();
    (length > 1e-6 * dot(column, column).sqrt()).then(|| rest.iter().map(|value| value / length).collect())
}

fn without(column: &[f64], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut rest = column.to_vec();
    for axis in basis {
        let along = dot(&rest, axis);
        rest.iter_mut().zip(axis).for_each(|(value, axis)| *value -= along * axis);
    }
    rest
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
