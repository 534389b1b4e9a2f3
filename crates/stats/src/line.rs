//! The least-squares line, with what its interval says: how steep, where it begins, and where it reaches a value.
//!
//! Two points give a line and no interval. A newcomer would take the line's end for exact; every figure here comes with
//! its 95 % interval or with none.

use crate::t_quantile_975;

/// A figure with its 95 % interval; the ends are absent when there is no degree of freedom left, or when the interval
/// is unbounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The best single figure.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Estimate {
    fn around(value: f64, half: Option<f64>) -> Self {
        Self { value, low: half.map(|half| value - half), high: half.map(|half| value + half) }
    }
}

/// `y = a + b x` by ordinary least squares; errors of equal size, independent, in y only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    n: f64,
    mean_x: f64,
    mean_y: f64,
    sum_xx: f64,
    slope: f64,
    /// Half a 95 % interval for each standard deviation: `t s`; absent without a degree of freedom.
    spread: Option<f64>,
}

impl Line {
    /// The line through points; `None` when their x do not differ, or when a figure is not finite.
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let n = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
        let sum_xx: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let sum_xy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        // What is left of equal x is the rounding of their mean.
        let differs = sum_xx > n * (mean_x * 1e-12).powi(2);
        let slope = sum_xy / sum_xx;
        if !differs || !slope.is_finite() || !mean_y.is_finite() {
            return None;
        }
        let left = |(x, y): &(f64, f64)| (y - mean_y - slope * (x - mean_x)).powi(2);
        let residual: f64 = points.iter().map(left).sum();
        let spread = points.len().checked_sub(2).filter(|free| *free > 0).map(|free| {
            let deviation = (residual / free as f64).sqrt();
            t_quantile_975(free as u64) * deviation
        });
        Some(Self { n, mean_x, mean_y, sum_xx, slope, spread })
    }

    /// How much y grows for each x.
    pub fn slope(&self) -> Estimate {
        Estimate::around(self.slope, self.spread.map(|spread| spread / self.sum_xx.sqrt()))
    }

    /// Where the line is at 0.
    pub fn intercept(&self) -> Estimate {
        self.at(0.0)
    }

    /// Where the line is at `x`: the interval is that of the line, not of one more measurement.
    pub fn at(&self, x: f64) -> Estimate {
        let d = x - self.mean_x;
        let half = self.spread.map(|spread| spread * (1.0 / self.n + d * d / self.sum_xx).sqrt());
        Estimate::around(self.mean_y + self.slope * d, half)
    }

    /// The x at which the line is at `y`, with Fieller's interval (Draper and Smith, "Applied Regression Analysis",
    /// section 3.2); without ends when the slope is not told from 0, `None` when the slope is 0.
    pub fn reaches(&self, y: f64) -> Option<Estimate> {
        let d = y - self.mean_y;
        let value = self.mean_x + d / self.slope;
        if !value.is_finite() {
            return None;
        }
        let ends = self.spread.and_then(|spread| {
            // (b u − d)² = spread² (1/n + u²/Sxx), a quadratic in u = x − mean of x
            let a = self.slope.powi(2) - spread.powi(2) / self.sum_xx;
            let b = self.slope * d;
            let c = d * d - spread.powi(2) / self.n;
            let root = (b * b - a * c).max(0.0).sqrt();
            let (low, high) = (self.mean_x + (b - root) / a, self.mean_x + (b + root) / a);
            // On points without noise only rounding is left between the three.
            (a > 0.0).then_some((low.min(value), high.max(value)))
        });
        Some(Estimate { value, low: ends.map(|(low, _)| low), high: ends.map(|(_, high)| high) })
    }
}

/// `y = a x^exponent`, a line between logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLaw {
    line: Line,
}

impl PowerLaw {
    /// Fits it; points that have no logarithm are left out. `None` as for [`Line::fit`].
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let positive = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0);
        let logarithms: Vec<(f64, f64)> = positive.map(|(x, y)| (x.ln(), y.ln())).collect();
        Line::fit(&logarithms).map(|line| Self { line })
    }

    /// 0 = y does not grow, 1 = in proportion to x.
    pub fn exponent(&self) -> Estimate {
        self.line.slope()
    }

    /// The fitted y at a positive `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.line.at(x.ln()).value.exp()
    }
}
