//! Throughput, operations in flight and failures over time, one panel each, one line for each series.
//!
//! The series took turns; each line has its own clock, which stands still while others are measured.

use peaje_model::{Run, Series};
use plotters::prelude::LineSeries;

use super::{
    Drawn, MOST_SERIES, Root, axis, disc, head, head_height, legend_height, line_colour, line_legend, stroke, svg,
};
use crate::{
    catalogue::Catalogue,
    sections::{origin, series},
    words,
};

const PANEL: i32 = 220;
/// Lines whose means are further apart than this get a logarithmic axis, or the lower ones would lie on the ground.
const FAR_APART: f64 = 20.0;
/// More points than this say no more.
const MOST_POINTS: usize = 100;

/// One panel: the id of its title and the value of each tick.
struct Panel {
    title: &'static str,
    lines: Vec<Vec<(f64, f64)>>,
}

/// How ticks are put together into one point.
#[derive(Clone, Copy)]
enum Together {
    /// Events: their rate per second.
    RatePerS,
    /// Levels: the highest.
    Highest,
}

/// The plot, `None` when no series has two ticks.
pub(crate) fn timeline(cat: &Catalogue, run: &Run) -> Option<String> {
    let shown: Vec<&Series> = series(run).iter().filter(|s| s.timeline.completed.len() > 1).take(MOST_SERIES).collect();
    let seconds = shown.iter().map(|s| s.timeline.completed.len() as f64 * s.timeline.tick_s).reduce(f64::max)?;
    let panels = panels(&shown);
    let label = origin(cat, run);
    let names: Vec<String> = shown.iter().map(|s| words::series(cat, s)).collect();
    let top = head_height(label.as_deref()) + legend_height(names.len());
    svg(top + PANEL * panels.len() as i32, |root| {
        head(root, &cat.word("plot-timeline-title"), label.as_deref())?;
        line_legend(root, &names, head_height(label.as_deref()))?;
        let (_, mut rest) = root.split_vertically(top);
        for panel in &panels {
            let (here, below) = rest.split_vertically(PANEL);
            draw(cat, &here, panel, seconds)?;
            rest = below;
        }
        Ok(())
    })
}

fn panels(shown: &[&Series]) -> Vec<Panel> {
    let lines = |ticks: fn(&Series) -> &[u64], together| shown.iter().map(|s| points(s, ticks(s), together)).collect();
    let mut panels = vec![
        Panel { title: "plot-timeline-rate", lines: lines(|s| &s.timeline.completed, Together::RatePerS) },
        Panel { title: "plot-timeline-flight", lines: lines(|s| &s.timeline.in_flight, Together::Highest) },
    ];
    if shown.iter().any(|s| s.timeline.failed.iter().any(|n| *n > 0)) {
        let failed = lines(|s| &s.timeline.failed, Together::RatePerS);
        panels.push(Panel { title: "plot-timeline-failed", lines: failed });
    }
    panels
}

fn points(series: &Series, ticks: &[u64], together: Together) -> Vec<(f64, f64)> {
    let tick_s = series.timeline.tick_s;
    let bundle = ticks.len().div_ceil(MOST_POINTS).max(1);
    ticks
        .chunks(bundle)
        .enumerate()
        .map(|(i, chunk)| {
            let middle = (i * bundle) as f64 * tick_s + chunk.len() as f64 * tick_s / 2.0;
            let value = match together {
                Together::RatePerS => chunk.iter().sum::<u64>() as f64 / (chunk.len() as f64 * tick_s),
                Together::Highest => chunk.iter().copied().max().unwrap_or(0) as f64,
            };
            (middle, value)
        })
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect()
}

fn draw(cat: &Catalogue, root: &Root<'_>, panel: &Panel, seconds: f64) -> Drawn {
    let x = axis::Axis {
        range: (0.0, seconds),
        ticks: axis::round_ticks(seconds, 8).into_iter().filter(|t| *t <= seconds).collect(),
        title: cat.word("plot-timeline-x"),
        label: Box::new(|s| cat.units.time_tick(s * 1e6)),
    };
    let (y, lines) = upright(cat, panel);
    let mut chart = axis::frame(root, &x, &y, 100)?;
    for (i, line) in lines.iter().enumerate() {
        chart.draw_series(LineSeries::new(line.iter().copied(), stroke(line_colour(i), 2)))?;
    }
    let (left, above) = root.get_base_pixel();
    for (i, line) in lines.iter().enumerate() {
        let Some(at) = line.get(line.len() * (i + 1) / (lines.len() + 1)) else { continue };
        let (px, py) = chart.plotting_area().map_coordinate(at);
        disc(root, (px - left, py - above), i + 1, line_colour(i))?;
    }
    Ok(())
}

/// The vertical axis and the lines on it, as decimal logarithms when they are far apart.
fn upright<'c>(cat: &'c Catalogue, panel: &Panel) -> (axis::Axis<'c>, Vec<Vec<(f64, f64)>>) {
    let title = cat.word(panel.title);
    let means: Vec<f64> = panel.lines.iter().map(|line| mean(line)).filter(|m| *m > 0.0).collect();
    let (low, high) = (means.iter().copied().fold(f64::MAX, f64::min), means.iter().copied().fold(0.0, f64::max));
    if high <= low * FAR_APART {
        let most = panel.lines.iter().flatten().map(|(_, y)| *y).fold(1.0, f64::max);
        let ticks = axis::round_ticks(most, 4);
        let range = (0.0, ticks.last().copied().unwrap_or(most) * 1.05);
        let label = Box::new(|value| cat.units.figure_tick(value));
        return (axis::Axis { range, ticks, title, label }, panel.lines.clone());
    }
    let log = |line: &Vec<(f64, f64)>| line.iter().filter(|(_, y)| *y > 0.0).map(|(x, y)| (*x, y.log10())).collect();
    let lines: Vec<Vec<(f64, f64)>> = panel.lines.iter().map(log).collect();
    let ends = || lines.iter().flatten().map(|(_, y)| *y);
    let range = (ends().fold(f64::MAX, f64::min) - 0.1, ends().fold(f64::MIN, f64::max) + 0.1);
    let title = cat.say("plot-logarithmic", &[("title", title.into())]);
    let label = Box::new(|value| cat.units.figure_tick(10_f64.powf(value).round()));
    (axis::Axis { range, ticks: axis::log_ticks(range.0, range.1), title, label }, lines)
}

fn mean(line: &[(f64, f64)]) -> f64 {
    line.iter().map(|(_, y)| y).sum::<f64>() / line.len().max(1) as f64
}
