//! Ticks at round numbers, and the frame that all plots with two axes share.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::{Cartesian2d, ChartBuilder, ChartContext, DrawingAreaErrorKind, SVGBackend};

use super::{GRID, INK, Root, style};

/// More ticks than this are never drawn.
const MOST_TICKS: usize = 100;
/// Powers of ten that a number can have, either way.
const MOST_DECADES: f64 = 400.0;
/// Farther from the origin nothing is drawn.
const MOST_PIXELS: f64 = 100_000.0;

/// The chart of a plot: both axes with ticks of our choice.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// A linear scale whose ticks are given.
#[derive(Clone)]
pub(super) struct Scale {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let width = (self.range.end - self.range.start).max(f64::MIN_POSITIVE);
        let along = (value - self.range.start) / width;
        let pixels = (f64::from(limit.1 - limit.0) * along).round().clamp(-MOST_PIXELS, MOST_PIXELS);
        limit.0 + pixels as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// One axis: its range, its ticks, its title and how a tick is written.
pub(super) struct Axis<'f> {
    /// Lower and upper end.
    pub(super) range: (f64, f64),
    /// Where ticks stand.
    pub(super) ticks: Vec<f64>,
    /// Title, with the unit when the ticks do not carry it.
    pub(super) title: String,
    /// A tick's label.
    pub(super) label: Box<dyn Fn(f64) -> String + 'f>,
}

/// Draws axes and grid and gives the chart to draw into.
pub(super) fn frame<'a, 'b>(
    root: &'a Root<'b>,
    x: &Axis<'_>,
    y: &Axis<'_>,
    left: u32,
) -> Result<Chart<'a, 'b>, DrawingAreaErrorKind<std::io::Error>> {
    let ranged = |axis: &Axis<'_>| Scale { range: axis.range.0..axis.range.1, ticks: axis.ticks.clone() };
    let mut chart = ChartBuilder::on(root)
        .margin_right(24)
        .margin_top(8)
        .x_label_area_size(54)
        .y_label_area_size(left)
        .build_cartesian_2d(ranged(x), ranged(y))?;
    let words = style(15.5, INK).of_plotters();
    let (x_label, y_label) = (|value: &f64| (x.label)(*value), |value: &f64| (y.label)(*value));
    let mut mesh = chart.configure_mesh();
    mesh.bold_line_style(GRID)
        .light_line_style(plotters::style::TRANSPARENT)
        .axis_style(INK)
        .label_style(words.clone())
        .axis_desc_style(words)
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .x_desc(x.title.clone())
        .y_desc(y.title.clone());
    if y.ticks.is_empty() {
        mesh.disable_y_axis().disable_y_mesh();
    }
    mesh.draw()?;
    Ok(chart)
}

/// Round steps (1, 2 or 5 times a power of ten) from zero to just past `max`, about `n` of them.
pub(super) fn round_ticks(max: f64, n: usize) -> Vec<f64> {
    if !(max.is_finite() && max > 0.0) {
        return vec![0.0, 1.0];
    }
    let rough = max / n.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough).unwrap_or(10.0 * power);
    // Below the normal numbers the power of ten is 0.
    if !(step.is_finite() && step >= f64::MIN_POSITIVE) {
        return vec![0.0, 1.0];
    }
    let count = ((max / step).ceil() as usize).min(MOST_TICKS);
    (0..=count).map(|i| i as f64 * step).collect()
}

/// Ticks of a logarithmic axis between two decimal logarithms: 1, 2, 5 of each decade, or only 1 over a long range.
pub(super) fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let mantissas: &[f64] = if high - low > 2.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    if !(low.is_finite() && high.is_finite()) {
        return Vec::new();
    }
    let decades = (low.floor().max(-MOST_DECADES) as i32)..=(high.ceil().min(MOST_DECADES) as i32);
    decades
        .flat_map(|decade| mantissas.iter().map(move |m| f64::from(decade) + m.log10()))
        .filter(|tick| (low..=high).contains(tick))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_largest_value() {
        assert_eq!(round_ticks(9.3, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(round_ticks(0.0, 5), [0.0, 1.0]);
        for max in [5e-324, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN] {
            assert!(round_ticks(max, 6).len() <= 8, "{max}");
        }
        for max in [0.003, 1.0, 17.0, 4_321.0, 1e9] {
            let ticks = round_ticks(max, 6);
            assert!(ticks.len() <= 8, "{max}: {ticks:?}");
            assert!(ticks.last().is_some_and(|last| *last >= max), "{max}: {ticks:?}");
        }
    }

    #[test]
    fn log_ticks_stay_inside() {
        let ticks = log_ticks(1.9, 4.1);
        assert!(ticks.iter().all(|t| (1.9..=4.1).contains(t)));
        assert!(ticks.contains(&2.0) && ticks.contains(&4.0));
        assert!(log_ticks(0.0, 6.0).len() == 7);
        assert!(log_ticks(f64::MIN, f64::MAX).len() < 1_000);
    }
}
