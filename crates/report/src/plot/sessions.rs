//! Time of one more session, and memory, against open sessions: a line for each target, with its fit, knee and walls.
//!
//! The fitted line runs on to where memory ends, thin, so that what was measured and what is predicted stay apart.

use peaje_model::{Run, SessionStep, SessionsResult};
use plotters::prelude::{Circle, LineSeries};

use super::{
    Drawn, INK, MOST_SERIES, Root, axis, disc, head, head_height, legend_height, line_colour, line_legend, stroke,
    style, svg, text,
};
use crate::{
    catalogue::Catalogue,
    sections::origin,
    sessions::{each_us, server, targets},
    units::Units,
};

const CHART: i32 = 330;
/// The axis goes on to a wall no farther than so many times what was measured.
const FAR: f64 = 2.0;

/// A target: its points, and what is drawn along with them.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    /// Ends of the fitted line.
    fit: Option<[(f64, f64); 2]>,
    knee: Option<f64>,
    /// The first wall, where the plot reaches so far.
    wall: Option<f64>,
    /// A height that must not be passed.
    limit: Option<f64>,
}

/// Both plots, each with the id of its description; none without two steps.
pub(crate) fn sessions(cat: &Catalogue, run: &Run) -> Vec<(Option<String>, &'static str)> {
    let Some(result) = &run.sessions else { return Vec::new() };
    let shown: Vec<&SessionsResult> = targets(result).take(MOST_SERIES).collect();
    let times: Vec<Line> = shown.iter().map(|target| time_line(target)).filter(|line| line.points.len() > 1).collect();
    let memory: Vec<Line> =
        shown.iter().map(|target| memory_line(cat, target)).filter(|line| line.points.len() > 1).collect();
    let time_of = Measure { title: "plot-held-time-title", y: "plot-held-time-y", label: Units::time_tick };
    let bytes_of = Measure { title: "plot-held-memory-title", y: "plot-held-memory-y", label: Units::bytes };
    vec![
        (plot(cat, run, &time_of, &times), "plot-held-time-alt"),
        (plot(cat, run, &bytes_of, &memory), "plot-held-memory-alt"),
    ]
}

/// What the vertical axis shows.
struct Measure {
    title: &'static str,
    y: &'static str,
    label: fn(Units, f64) -> String,
}

fn points(target: &SessionsResult, of: impl Fn(&SessionStep) -> Option<f64>) -> Vec<(f64, f64)> {
    target.steps.iter().filter_map(|step| Some((step.sessions as f64, of(step)?))).collect()
}

fn time_line(target: &SessionsResult) -> Line {
    let knee = target.knee.map(|knee| knee.sessions);
    Line { name: target.label.clone(), points: points(target, each_us), fit: None, knee, wall: None, limit: None }
}

fn memory_line(cat: &Catalogue, target: &SessionsResult) -> Line {
    let bytes = target.bytes_per_session;
    let slope = bytes.pss.or(bytes.private).or(bytes.views).and_then(|slope| slope.value);
    let measured = target.steps.iter().map(|step| step.sessions).max().unwrap_or(0) as f64;
    let fixed = target.fixed_bytes.and_then(|fixed| fixed.value);
    let limit = target.steps.last().and_then(|step| step.memory.as_ref()?.cgroup.as_ref()?.limit);
    let reach = target.steps.last().and_then(|step| step.fit).map_or(measured, |fit| fit.sessions);
    let end = reach.clamp(measured, FAR * measured);
    let name = match slope {
        Some(slope) => {
            let args = [("label", target.label.as_str().into()), ("bytes", cat.units.bytes(slope).into())];
            cat.say("plot-held-fit", &args)
        }
        None => target.label.clone(),
    };
    Line {
        name,
        points: points(target, |step| server(step).map(|bytes| bytes as f64)),
        fit: fixed.zip(slope).map(|(fixed, slope)| [(0.0, fixed), (end, fixed + slope * end)]),
        knee: target.knee.map(|knee| knee.sessions),
        wall: target.first_wall.map(|wall| wall.sessions as f64).filter(|wall| *wall <= end),
        limit: limit.map(|limit| limit as f64).filter(|limit| reach <= FAR * measured && *limit > 0.0),
    }
}

fn plot(cat: &Catalogue, run: &Run, measure: &Measure, lines: &[Line]) -> Option<String> {
    let all = || lines.iter().flat_map(|line| line.points.iter().chain(line.fit.iter().flatten()).copied());
    let right = all().map(|(x, _)| x).reduce(f64::max).filter(|right| right.is_finite() && *right > 0.0)?;
    let limits = lines.iter().filter_map(|line| line.limit);
    let top = all().map(|(_, y)| y).chain(limits).reduce(f64::max).filter(|top| top.is_finite() && *top > 0.0)?;
    let label = origin(cat, run);
    let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    let above = head_height(label.as_deref()) + legend_height(names.len());
    svg(above + CHART, |root| {
        head(root, &cat.word(measure.title), label.as_deref())?;
        line_legend(root, &names, head_height(label.as_deref()))?;
        let (_, below) = root.split_vertically(above);
        draw(cat, &below, measure, lines, (right, top))
    })
}

fn draw(cat: &Catalogue, root: &Root<'_>, measure: &Measure, lines: &[Line], (right, top): (f64, f64)) -> Drawn {
    let x = axis::Axis {
        range: (0.0, right * 1.03),
        ticks: axis::round_ticks(right, 8).into_iter().filter(|tick| *tick <= right * 1.03).collect(),
        title: cat.word("plot-held-x"),
        label: Box::new(|n| cat.units.figure_tick(n)),
    };
    let y = axis::Axis {
        range: (0.0, top * 1.08),
        ticks: ticks(measure, top * 1.08),
        title: cat.word(measure.y),
        label: Box::new(|value| (measure.label)(cat.units, value)),
    };
    let mut chart = axis::frame(root, &x, &y, 100)?;
    let (left, above) = root.get_base_pixel();
    for (i, line) in lines.iter().enumerate() {
        let colour = line_colour(i);
        chart.draw_series(LineSeries::new(line.points.iter().copied(), stroke(colour, 2)))?;
        chart.draw_series(line.points.iter().map(|at| Circle::new(*at, 3, super::filled(colour))))?;
        chart.draw_series(LineSeries::new(line.fit.iter().flatten().copied(), stroke(colour, 1)))?;
        chart.draw_series(LineSeries::new(line.knee.iter().flat_map(|x| [(*x, 0.0), (*x, top)]), stroke(colour, 1)))?;
        chart.draw_series(LineSeries::new(line.wall.iter().flat_map(|x| [(*x, 0.0), (*x, top)]), stroke(colour, 1)))?;
        chart.draw_series(LineSeries::new(line.limit.iter().flat_map(|y| [(0.0, *y), (right, *y)]), stroke(INK, 1)))?;
    }
    for (i, line) in lines.iter().enumerate() {
        let to_pixels = |at: (f64, f64)| {
            let (x, y) = chart.plotting_area().map_coordinate(&at);
            (x - left, y - above)
        };
        if let Some(at) = line.points.get(line.points.len() * (i + 1) / (lines.len() + 1)) {
            disc(root, to_pixels(*at), i + 1, line_colour(i))?;
        }
        let words = style(14.0, INK);
        if let Some(knee) = line.knee {
            let said = cat.say("plot-held-knee", &[("sessions", cat.units.fixed(knee, 0).into())]);
            let (x, y) = to_pixels((knee, top * 1.06));
            text(root, &said, (x + 4, y + 18 * i as i32), &words)?;
        }
        if let Some(wall) = line.wall {
            let said = cat.say("plot-held-wall", &[("sessions", cat.units.fixed(wall, 0).into())]);
            let (x, y) = to_pixels((wall, 0.0));
            text(root, &said, (x + 4, y - 18 - 18 * i as i32), &words)?;
        }
        if let Some(limit) = line.limit {
            let said = cat.say("plot-held-limit", &[("bytes", cat.units.bytes(limit).into())]);
            let (x, y) = to_pixels((0.0, limit));
            text(root, &said, (x + 6, y + 2), &words)?;
        }
    }
    Ok(())
}

/// Round in the unit that is written: mebibytes and their like are powers of two.
fn ticks(measure: &Measure, top: f64) -> Vec<f64> {
    let is_memory = measure.y == "plot-held-memory-y";
    let unit = if is_memory { 1024_f64.powf(top.log(1024.0).floor().max(0.0)) } else { 1.0 };
    axis::round_ticks(top / unit, 6).into_iter().map(|tick| tick * unit).filter(|tick| *tick <= top).collect()
}
