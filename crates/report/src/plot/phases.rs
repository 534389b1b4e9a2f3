//! Stacked bars: the mean time of one operation of each series, by its parts.

use peaje_model::Run;
use plotters::style::text_anchor::HPos;

use super::{Drawn, INK, MOST_SERIES, PARTS, Root, axis, block, head, head_height, style, svg, text};
use crate::{
    catalogue::Catalogue,
    parts::{self, Part},
    sections::{origin, series},
    words,
};

const ROW: i32 = 40;
const BAR: i32 = 24;
const LEFT: u32 = 224;
/// A part narrower than this has no room for its letter, pixels.
const LETTER_ROOM: i32 = 15;
/// Entries of the legend in one row.
const IN_A_ROW: usize = 4;

/// The plot, `None` when no series has figures.
pub(crate) fn phases(cat: &Catalogue, run: &Run) -> Option<String> {
    let rows: Vec<(String, Vec<Part>)> =
        series(run).iter().take(MOST_SERIES).map(|s| (words::series(cat, s), parts::of(cat, s))).collect();
    let most = rows.iter().filter_map(|(_, parts)| parts::total_us(parts)).reduce(f64::max)?;
    let label = origin(cat, run);
    let legend = legend(&rows);
    let top = head_height(label.as_deref()) + legend.len().div_ceil(IN_A_ROW) as i32 * 22 + 6;
    let height = top + rows.len() as i32 * ROW + 64;
    svg(height, |root| {
        head(root, &cat.word("plot-phases-title"), label.as_deref())?;
        draw_legend(root, &legend, head_height(label.as_deref()))?;
        let (_, below) = root.split_vertically(top);
        bars(cat, &below, &rows, most)
    })
}

/// Every part that occurs in some series, once.
fn legend(rows: &[(String, Vec<Part>)]) -> Vec<Part> {
    let mut seen: Vec<Part> = Vec::new();
    for part in rows.iter().flat_map(|(_, parts)| parts) {
        if part.matters() && !seen.iter().any(|p| p.letter == part.letter) {
            seen.push(part.clone());
        }
    }
    seen
}

fn draw_legend(root: &Root<'_>, legend: &[Part], top: i32) -> Drawn {
    for (i, part) in legend.iter().enumerate() {
        let x = (i % IN_A_ROW) as i32 * 215;
        let y = top + (i / IN_A_ROW) as i32 * 22;
        block(root, (x, y), (x + 18, y + 18), PARTS[part.colour % PARTS.len()])?;
        text(root, &part.letter.to_string(), (x + 9, y + 9), &style(15.5, ON_PART).bold().middle(HPos::Center))?;
        text(root, &part.name, (x + 25, y + 9), &style(16.5, INK).middle(HPos::Left))?;
    }
    Ok(())
}

/// Letters on the coloured parts: black on both screens.
const ON_PART: plotters::style::RGBColor = plotters::style::RGBColor(0x00, 0x00, 0x01);

fn bars(cat: &Catalogue, root: &Root<'_>, rows: &[(String, Vec<Part>)], most: f64) -> Drawn {
    let ticks = axis::round_ticks(most, 6);
    let end = ticks.last().copied().unwrap_or(most).max(most * 1.12);
    let x = axis::Axis {
        range: (0.0, end),
        ticks,
        title: cat.word("plot-phases-x"),
        label: Box::new(|us| cat.units.time_tick(us)),
    };
    let y = axis::Axis {
        range: (0.0, rows.len() as f64),
        ticks: Vec::new(),
        title: String::new(),
        label: Box::new(|_| String::new()),
    };
    let chart = axis::frame(root, &x, &y, LEFT)?;
    let place = |us: f64, row: usize| chart.plotting_area().map_coordinate(&(us, rows.len() as f64 - row as f64 - 0.5));
    let (left, above) = root.get_base_pixel();
    let local = |(px, py): (i32, i32)| (px - left, py - above);
    for (i, (name, parts)) in rows.iter().enumerate() {
        let (x0, y) = local(place(0.0, i));
        text(root, name, (x0 - 10, y), &style(16.5, INK).middle(HPos::Right))?;
        let mut from = 0.0;
        for part in parts {
            let (a, b) = (local(place(from, i)).0, local(place(from + part.mean_us, i)).0);
            segment(root, part, (a, y), b)?;
            from += part.mean_us;
        }
        let total = cat.units.or_absent(parts::total_us(parts), crate::units::Units::time);
        text(root, &total, (local(place(from, i)).0 + 6, y), &style(15.5, INK).bold().middle(HPos::Left))?;
    }
    Ok(())
}

fn segment(root: &Root<'_>, part: &Part, (a, y): (i32, i32), b: i32) -> Drawn {
    block(root, (a, y - BAR / 2), (b, y + BAR / 2), PARTS[part.colour % PARTS.len()])?;
    if b - a < LETTER_ROOM {
        return Ok(());
    }
    text(root, &part.letter.to_string(), (i32::midpoint(a, b), y), &style(15.5, ON_PART).bold().middle(HPos::Center))
}
