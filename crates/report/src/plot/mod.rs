//! Plots as SVG text, drawn by plotters into memory.
//!
//! There is no font here to measure with: text widths are estimates, so legends and row labels are placed with room
//! to spare. Colour never stands alone: parts carry letters, lines carry numbers. The ink colours are looked up by the
//! page's style sheet, which turns them around for a dark screen; change them in both places.

mod axis;
mod distribution;
mod phases;
mod sessions;
mod timeline;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, Color, DrawingArea, DrawingAreaErrorKind, FontStyle, IntoDrawingArea, IntoFont, PathElement, RGBColor,
    Rectangle, SVGBackend, ShapeStyle, Text, TextStyle,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::catalogue::without_controls;

pub(crate) use distribution::distribution;
pub(crate) use phases::phases;
pub(crate) use sessions::sessions;
pub(crate) use timeline::timeline;

/// Series that a plot shows; more would lie on each other, and a run may hold thousands.
pub(crate) const MOST_SERIES: usize = 24;
/// Width of every plot; the page scales it.
const WIDTH: u32 = 860;
/// Height of title and label above everything else.
const HEAD: i32 = 34;
/// Height of a legend entry.
const LEGEND_ROW: i32 = 25;

/// Text and axes (`--ink` of the page).
const INK: RGBColor = RGBColor(0x20, 0x24, 0x28);
/// Grid lines (`--line` of the page).
const GRID: RGBColor = RGBColor(0xD8, 0xDC, 0xE0);

/// Colours of the parts of an operation, by [`crate::parts::Part::colour`] (after Okabe and Ito, told apart by the
/// colour-blind).
const PARTS: [RGBColor; 12] = [
    RGBColor(0x8C, 0x8C, 0x8C),
    RGBColor(0x2F, 0x86, 0xC1),
    RGBColor(0x7C, 0xC0, 0xEA),
    RGBColor(0xD9, 0x6B, 0x1F),
    RGBColor(0xA8, 0xA0, 0x8C),
    RGBColor(0xE8, 0xB1, 0x2D),
    RGBColor(0x1F, 0x9E, 0x77),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0x8A, 0x8A, 0xC0),
    RGBColor(0xE3, 0x8F, 0x8F),
    RGBColor(0x5F, 0xB8, 0xB8),
    RGBColor(0x9C, 0xB8, 0x5A),
];

/// Colours of the series' lines.
const LINES: [RGBColor; 7] = [
    RGBColor(0x2F, 0x86, 0xC1),
    RGBColor(0xD9, 0x6B, 0x1F),
    RGBColor(0x1F, 0x9E, 0x77),
    RGBColor(0xB8, 0x5C, 0x93),
    RGBColor(0xC2, 0x8F, 0x10),
    RGBColor(0x6F, 0x6F, 0xB5),
    RGBColor(0x8C, 0x8C, 0x8C),
];

type Root<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws into a string; `None` when plotters refuses (it cannot, writing to memory).
fn svg(height: i32, draw: impl FnOnce(&Root<'_>) -> Drawn) -> Option<String> {
    let mut out = String::new();
    let drawn = {
        let root = SVGBackend::with_string(&mut out, (WIDTH, height as u32)).into_drawing_area();
        draw(&root).and_then(|()| root.present())
    };
    drawn.ok().map(|()| out)
}

/// The title, and below it the label of a server that is no database.
fn head(root: &Root<'_>, title: &str, label: Option<&str>) -> Drawn {
    text(root, title, (0, 4), &style(20.0, INK).bold())?;
    match label {
        Some(label) => text(root, label, (0, 28), &style(16.5, INK).italic()),
        None => Ok(()),
    }
}

/// Height taken by [`head`].
const fn head_height(label: Option<&str>) -> i32 {
    if label.is_some() { HEAD + 20 } else { HEAD }
}

/// How a text looks.
#[derive(Clone, Copy)]
struct Look {
    size: f64,
    colour: RGBColor,
    font: FontStyle,
    h: HPos,
    v: VPos,
}

const fn style(size: f64, colour: RGBColor) -> Look {
    Look { size, colour, font: FontStyle::Normal, h: HPos::Left, v: VPos::Top }
}

impl Look {
    const fn bold(mut self) -> Self {
        self.font = FontStyle::Bold;
        self
    }

    const fn italic(mut self) -> Self {
        self.font = FontStyle::Italic;
        self
    }

    const fn middle(mut self, h: HPos) -> Self {
        self.h = h;
        self.v = VPos::Center;
        self
    }

    fn of_plotters(self) -> TextStyle<'static> {
        let font = ("sans-serif", self.size).into_font().style(self.font);
        TextStyle { color: self.colour.to_backend_color(), ..TextStyle::from(font).pos(Pos::new(self.h, self.v)) }
    }
}

fn text(root: &Root<'_>, words: &str, at: (i32, i32), look: &Look) -> Drawn {
    root.draw(&Text::new(without_controls(words), at, look.of_plotters()))
}

fn filled(colour: RGBColor) -> ShapeStyle {
    ShapeStyle { color: colour.to_rgba(), filled: true, stroke_width: 1 }
}

fn stroke(colour: RGBColor, width: u32) -> ShapeStyle {
    ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: width }
}

/// A line's number in a disc of its colour.
fn disc(root: &Root<'_>, at: (i32, i32), number: usize, colour: RGBColor) -> Drawn {
    root.draw(&Circle::new(at, 9, filled(RGBColor(255, 255, 255))))?;
    root.draw(&Circle::new(at, 8, filled(colour)))?;
    let white = style(13.0, RGBColor(255, 255, 255)).bold().middle(HPos::Center);
    text(root, &number.to_string(), at, &white)
}

/// Which of its series a line belongs to.
fn line_colour(index: usize) -> RGBColor {
    LINES[index % LINES.len()]
}

/// Legend of numbered lines, one below the other from `top`; returns nothing but ink.
fn line_legend(root: &Root<'_>, names: &[String], top: i32) -> Drawn {
    for (i, name) in names.iter().enumerate() {
        let (x, y) = legend_place(i, top);
        root.draw(&PathElement::new(vec![(x, y), (x + 34, y)], stroke(line_colour(i), 2)))?;
        disc(root, (x + 17, y), i + 1, line_colour(i))?;
        text(root, name, (x + 42, y), &style(16.5, INK).middle(HPos::Left))?;
    }
    Ok(())
}

/// Two entries in a row.
const fn legend_place(index: usize, top: i32) -> (i32, i32) {
    let (column, row) = ((index % 2) as i32, (index / 2) as i32);
    (column * (WIDTH as i32 / 2), top + row * LEGEND_ROW + LEGEND_ROW / 2)
}

/// Height of a legend with `n` entries, two in a row.
const fn legend_height(n: usize) -> i32 {
    n.div_ceil(2) as i32 * LEGEND_ROW + 6
}

/// A filled box.
fn block(root: &Root<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
    root.draw(&Rectangle::new([from, to], filled(colour)))
}
