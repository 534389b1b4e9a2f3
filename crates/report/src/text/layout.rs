//! Paragraphs, headings and aligned tables within a width; the only place that writes escape sequences.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style as Ansi};

use super::{Styling, bar};
use crate::{catalogue::without_controls, parts::Part, pieces::pieces, tables::Table, units::ABSENT};

/// A bar narrower than this stands on a line of its own.
const LEAST_BAR: usize = 12;
/// A wider bar says no more.
const WIDEST_BAR: usize = 40;
const LEAST_WIDTH: usize = 60;
const WIDEST_PROSE: usize = 120;
/// Units that stay on the line of their number.
const UNITS: [&str; 9] = ["µs", "ms", "s", "%", "×", "B", "KiB", "MiB", "GiB"];

/// What a piece of text is, and so how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Heading,
    Strong,
    Alarm,
    Note,
    Body,
    Bar(usize),
}

/// Text under construction.
pub(super) struct Page {
    out: String,
    styling: Styling,
    width: usize,
}

impl Page {
    pub(super) fn new(styling: Styling, width: usize) -> Self {
        Self { out: String::new(), styling, width: width.max(LEAST_WIDTH) }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    pub(super) fn heading(&mut self, text: &str, style: Style) {
        self.blank();
        self.paragraph(text, style);
    }

    pub(super) fn paragraph(&mut self, text: &str, style: Style) {
        self.wrapped("", "", text, style);
    }

    /// A sentence of a section.
    pub(super) fn item(&mut self, text: &str) {
        self.wrapped("  ", "    ", text, Style::Body);
    }

    /// A sentence that belongs to the item above it.
    pub(super) fn deeper(&mut self, text: &str) {
        self.wrapped("    ", "    ", text, Style::Body);
    }

    /// A command to type, which is not broken, and what it tells.
    pub(super) fn command(&mut self, command: &str, what: &str) {
        let command = without_controls(command);
        if 2 + columns(&command) + 4 + columns(what) <= self.width {
            let note = self.paint(&format!("# {what}"), Style::Note);
            let _ = writeln!(self.out, "  {command}  {note}");
        } else {
            let _ = writeln!(self.out, "  {command}");
            self.wrapped("    # ", "      ", what, Style::Note);
        }
    }

    /// A word that says how much it matters, then a title.
    pub(super) fn labelled(&mut self, label: &str, title: &str, style: Style) {
        self.wrapped("  ", "    ", &format!("{label}: {title}"), style);
    }

    fn wrapped(&mut self, first: &str, rest: &str, text: &str, style: Style) {
        let room = self.width.min(WIDEST_PROSE).saturating_sub(rest.len().max(first.len()));
        for (i, line) in wrap(&without_controls(text), room).iter().enumerate() {
            let indent = if i == 0 { first } else { rest };
            let painted = self.paint(line, style);
            let _ = writeln!(self.out, "{indent}{painted}");
        }
    }

    /// A table of figures, indented; the last columns are left out where the width does not hold them.
    pub(super) fn table(&mut self, table: &Table) {
        let mut widths = widths(table);
        while widths.len() > 2 && 2 + row_width(&widths, 1) > self.width {
            widths.pop();
        }
        let gap = self.gap(&widths, 2);
        for line in std::iter::once(&table.header).chain(&table.rows) {
            let _ = writeln!(self.out, "  {}", cells(line, &widths, gap).trim_end());
        }
    }

    /// Two spaces between columns where there is room, one where there is not.
    fn gap(&self, widths: &[usize], besides: usize) -> usize {
        if row_width(widths, 2) + besides <= self.width { 2 } else { 1 }
    }

    /// A table of figures with a bar at the end of each row, or below it where the row leaves no room.
    pub(super) fn table_with_bars(&mut self, table: &Table, title: &str, bars: &[Vec<Part>]) {
        let widths = widths(table);
        let gap = self.gap(&widths, 2 + LEAST_BAR);
        let taken = row_width(&widths, gap) + 2;
        let left = self.width.saturating_sub(taken);
        let beside = left >= LEAST_BAR;
        let room = if beside { left } else { self.width - 2 }.min(WIDEST_BAR);
        let header = cells(&table.header, &widths, gap);
        let header = if beside { format!("{header}  {}", fitted(title, left)) } else { header };
        let header = self.paint(header.trim_end(), Style::Strong);
        let _ = writeln!(self.out, "{header}");
        for (row, parts) in table.rows.iter().zip(bars) {
            let bar = self.bar(parts, room);
            let separator = if beside { "  " } else { "\n  " };
            let line = format!("{}{separator}{bar}", cells(row, &widths, gap));
            let _ = writeln!(self.out, "{}", line.trim_end());
        }
    }

    fn bar(&self, parts: &[Part], room: usize) -> String {
        if parts.is_empty() {
            return ABSENT.to_owned();
        }
        bar::segments(parts, room).into_iter().map(|(colour, text)| self.paint(&text, Style::Bar(colour))).collect()
    }

    fn paint(&self, text: &str, style: Style) -> String {
        let ansi = match style {
            _ if self.styling == Styling::Plain => return text.to_owned(),
            Style::Body => return text.to_owned(),
            Style::Heading => Ansi::new().bold().underline(),
            Style::Strong => Ansi::new().bold(),
            Style::Alarm => AnsiColor::Red.on_default().bold(),
            Style::Note => Ansi::new().dimmed(),
            Style::Bar(colour) => bar::colour(colour).on_default(),
        };
        format!("{ansi}{text}{ansi:#}")
    }
}

fn widths(table: &Table) -> Vec<usize> {
    let lines = || std::iter::once(&table.header).chain(&table.rows);
    (0..table.header.len()).map(|i| lines().map(|line| columns(&line[i])).max().unwrap_or(0)).collect()
}

fn row_width(widths: &[usize], gap: usize) -> usize {
    widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1)
}

/// One line of a table: the first cell to the left, figures to the right.
fn cells(line: &[String], widths: &[usize], gap: usize) -> String {
    let mut out = String::new();
    let between = " ".repeat(gap);
    for (i, (cell, width)) in line.iter().zip(widths).enumerate() {
        let cell = without_controls(cell);
        let fill = " ".repeat(width.saturating_sub(columns(&cell)));
        let _ = if i == 0 { write!(out, "{cell}{fill}") } else { write!(out, "{between}{fill}{cell}") };
    }
    out
}

fn fitted(title: &str, room: usize) -> String {
    if columns(title) <= room { title.to_owned() } else { title.chars().take(room - 1).chain(['…']).collect() }
}

/// Columns a text takes; wide characters of East Asian names count as one and may shift a row.
fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Greedy wrapping at spaces; a number and its unit stay together.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in pieces(text, &UNITS) {
        if !line.is_empty() && columns(&line) + 1 + columns(&piece) > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&piece);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_within_the_width_and_units_with_their_number() {
        let lines = wrap("of 210 ms, 170 ms is distance: 5 × 34 ms (4.2 %).", 12);
        assert_eq!(lines, ["of 210 ms,", "170 ms is", "distance:", "5 × 34 ms", "(4.2 %)."]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("/a/very/long/path/that/cannot/break x", 10), ["/a/very/long/path/that/cannot/break", "x"]);
    }

    #[test]
    fn columns_line_up_with_accents_and_absent_figures() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let table = Table { header: row(["serie", "µs"]), rows: vec![row(["según", "1"]), row(["x", "–"])] };
        let mut page = Page::new(Styling::Plain, 80);
        page.table(&table);
        assert_eq!(page.finish(), "  serie  µs\n  según   1\n  x       –\n");
    }
}
