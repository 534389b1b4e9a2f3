//! Latency by percentile: both axes logarithmic, so that the tail, where users suffer, takes half of the width.
//!
//! The horizontal axis counts nines, `-log10(1 - q)`; a line ends where too few samples stand behind a percentile.

use peaje_model::{Run, Series};
use peaje_stats::Distribution;
use plotters::prelude::LineSeries;

use super::{
    Drawn, MOST_SERIES, Root, axis, disc, head, head_height, legend_height, line_colour, line_legend, stroke, svg,
};
use crate::{
    catalogue::Catalogue,
    sections::{offered_per_s, origin, series},
    words,
};

/// Points of a line for each nine, at most.
const POINTS: f64 = 40.0;
/// Where the axis ends: 99.999 %.
const MOST_NINES: f64 = 5.0;
const CHART: i32 = 330;
/// Percentiles with a tick.
const TICKS: [f64; 7] = [0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999];

/// A line: its name and its points (nines, decimal logarithm of microseconds).
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

/// The plot, `None` when no series has a readable histogram.
pub(crate) fn distribution(cat: &Catalogue, run: &Run) -> Option<String> {
    let lines = lines(cat, run);
    let all = || lines.iter().flat_map(|line| line.points.iter().copied());
    let low = all().map(|(_, y)| y).reduce(f64::min)?;
    let high = all().map(|(_, y)| y).reduce(f64::max)?;
    let nines = all().map(|(x, _)| x).reduce(f64::max)?.max(1.0);
    let label = origin(cat, run);
    let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    let top = head_height(label.as_deref()) + legend_height(names.len());
    svg(top + CHART, |root| {
        head(root, &cat.word("plot-distribution-title"), label.as_deref())?;
        line_legend(root, &names, head_height(label.as_deref()))?;
        let (_, below) = root.split_vertically(top);
        curves(cat, &below, &lines, (low - 0.1, high + 0.1), nines)
    })
}

/// In an open loop the uncorrected times stand beside the corrected ones.
fn lines(cat: &Catalogue, run: &Run) -> Vec<Line> {
    let open = offered_per_s(run).is_some();
    let mut lines = Vec::new();
    for series in series(run).iter().take(MOST_SERIES) {
        let name = words::series(cat, series);
        lines.extend(line(series, "latency", name.clone()));
        if open {
            lines.extend(line(series, "service", cat.say("plot-uncorrected", &[("label", name.into())])));
        }
    }
    lines
}

/// One pass over the buckets: at the upper end of a bucket the share of values up to there is known exactly.
fn line(series: &Series, histogram: &str, name: String) -> Option<Line> {
    let values = Distribution::from_base64(series.histograms.get(histogram)?).ok()?;
    let n = values.count() as f64;
    let log_us = |ns: u64| (ns.max(1) as f64 / 1000.0).log10();
    let mut points = vec![(0.0, log_us(values.min_ns()?))];
    let (mut so_far, mut last) = (0, 0.0);
    for (ns, count) in values.buckets() {
        so_far += count;
        let nines = nines_of(so_far as f64 / n);
        if nines > MOST_NINES {
            break;
        }
        if nines - last >= 1.0 / POINTS {
            points.push((nines, log_us(ns)));
            last = nines;
        }
    }
    // The last percentile with a value beyond it, so that a line of equal values is a line too.
    let end = 1.0 - 1.0 / n;
    if let Some(ns) = values.quantile_ns(end).filter(|_| (last..=MOST_NINES).contains(&nines_of(end))) {
        points.push((nines_of(end), log_us(ns)));
    }
    (points.len() > 1).then_some(Line { name, points })
}

fn nines_of(q: f64) -> f64 {
    -(1.0 - q).log10()
}

fn curves(cat: &Catalogue, root: &Root<'_>, lines: &[Line], (low, high): (f64, f64), nines: f64) -> Drawn {
    let x = axis::Axis {
        range: (0.0, nines * 1.02),
        ticks: TICKS.into_iter().map(nines_of).filter(|t| *t <= nines * 1.02).collect(),
        title: cat.word("plot-distribution-x"),
        label: Box::new(|nines| percentile(cat, nines)),
    };
    let y = axis::Axis {
        range: (low, high),
        ticks: axis::log_ticks(low, high),
        title: cat.word("plot-distribution-y"),
        label: Box::new(|log| cat.units.time_tick(10_f64.powf(log))),
    };
    let mut chart = axis::frame(root, &x, &y, 100)?;
    for (i, line) in lines.iter().enumerate() {
        chart.draw_series(LineSeries::new(line.points.iter().copied(), stroke(line_colour(i), 2)))?;
    }
    let (left, above) = root.get_base_pixel();
    for (i, line) in lines.iter().enumerate() {
        // Discs are spread along the lines, so that lines that lie on each other can still be told apart.
        let at = line.points[line.points.len() * (i + 1) / (lines.len() + 1)];
        let (px, py) = chart.plotting_area().map_coordinate(&at);
        disc(root, (px - left, py - above), i + 1, line_colour(i))?;
    }
    Ok(())
}

fn percentile(cat: &Catalogue, nines: f64) -> String {
    let percent = 100.0 * (1.0 - 10_f64.powf(-nines));
    let places = (nines.round() as usize).saturating_sub(2);
    format!("{} %", cat.units.fixed(percent, places))
}
