//! The picture: a head, the servers, the applications, what was found, gaps, and a line of keys.
//!
//! Every part is a list of lines that fit the width; only [`draw`] decides who gets how many of them.

mod applications;
mod findings;
mod foot;
mod head;
mod help;
mod page;
mod server;
mod servers;
mod text;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::look::Glyphs;
use crate::state::Over;
use crate::{Size, State, View, ascii};

/// From this height on there is a line more for each thing.
const TALL: u16 = 24;

/// Draws the screen.
pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    let lines = lines(state, Size { width: area.width, height: area.height });
    for (y, line) in lines.iter().take(usize::from(area.height)).enumerate() {
        frame.render_widget(line, Rect { y: area.y + y as u16, height: 1, ..area });
    }
    if state.look.glyphs == Glyphs::Ascii {
        ascii::fold(frame.buffer_mut());
    }
}

/// The lines of a page's text that one screen holds.
pub(crate) fn page_lines(size: Size) -> usize {
    usize::from(size.height).saturating_sub(2)
}

/// How many lines a page takes on a screen of this size.
pub(crate) fn page_length(text: &str, size: Size) -> usize {
    page::body(text, usize::from(size.width)).len()
}

fn lines(state: &State, size: Size) -> Vec<Line<'static>> {
    if !size.is_enough() {
        return head::too_small(state, size);
    }
    match (&state.over, &state.view) {
        (Over::Help, _) => help::lines(state, size),
        (Over::Page { code, scroll }, _) => page::lines(state, size, code, *scroll),
        (_, None) => head::waiting(state, size),
        (_, Some(view)) => overview(state, view, size),
    }
}

fn overview(state: &State, view: &View, size: Size) -> Vec<Line<'static>> {
    let width = usize::from(size.width);
    let tall = size.height >= TALL;
    let mut lines = vec![head::title(state, view, width)];
    lines.extend(head::notes(state, view, width, if tall { 3 } else { 1 }));
    lines.extend(if state.server.is_none() && view.servers.len() > 1 {
        servers::lines(state, view, width, usize::from(size.height) / 3)
    } else {
        server::lines(state, view, width, tall)
    });
    let foot = foot::line_at_foot(state, width);
    let left = usize::from(size.height).saturating_sub(lines.len() + 1);
    let gaps = foot::gaps(state, view, width, if tall { 3 } else { 1 });
    let left = left.saturating_sub(gaps.len());
    let applications = applications::wanted(state);
    let found = findings::wanted(state, width);
    let (applications, found) = share(left, applications, found);
    let mut middle = applications::lines(state, width, applications);
    middle.extend(findings::lines(state, width, found));
    middle.resize(left, Line::default());
    lines.extend(middle);
    lines.extend(gaps);
    lines.push(foot);
    lines
}

/// Lines for the applications and for what was found: each what it wants where both fit, else the findings at least
/// four, and half when they want it.
fn share(left: usize, applications: usize, found: usize) -> (usize, usize) {
    if applications + found <= left {
        return (left - found, found);
    }
    let half = left / 2;
    let found = found.min(half.max(left.saturating_sub(applications)).max(4));
    (left.saturating_sub(found), found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_and_findings_share_the_lines() {
        let table = [
            // left, wanted by the applications, wanted by the findings
            (20, 6, 4, (16, 4)),
            (20, 40, 4, (16, 4)),
            (20, 40, 30, (10, 10)),
            (20, 5, 30, (5, 15)),
            (7, 40, 30, (3, 4)),
            (7, 40, 0, (7, 0)),
        ];
        for (left, applications, found, shared) in table {
            assert_eq!(share(left, applications, found), shared, "{left} {applications} {found}");
        }
    }
}
