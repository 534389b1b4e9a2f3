//! The applications, each with its recent past and its verdict in words.

use peaje_report::{Value, Words};
use ratatui::text::Line;

use super::server::verdict;
use super::text::{Piece, fit, line};
use crate::State;
use crate::look::Role;
use crate::spark::curve;
use crate::state::Focus;
use crate::view::GroupView;
use crate::wrap::{left, right};

/// How wide each column is.
struct Columns {
    name: usize,
    logouts: usize,
    curve: usize,
    verdict: usize,
}

const RATE: usize = 9;
const SESSIONS: usize = 8;
const LIFE: usize = 8;

impl Columns {
    fn of(width: usize) -> Self {
        let logouts = if width >= 90 { 9 } else { 0 };
        let curve = match width {
            0..70 => 0,
            70..110 => 8,
            _ => 16,
        };
        let gaps = 4 + usize::from(logouts > 0) + usize::from(curve > 0);
        let left = width.saturating_sub(2 + RATE + SESSIONS + LIFE + logouts + curve + gaps);
        let name = left * 11 / 20;
        Self { name, logouts, curve, verdict: left - name }
    }
}

/// Lines that all applications would take, with heading and header.
pub(crate) fn wanted(state: &State) -> usize {
    state.applications().len().max(1) + 1
}

pub(crate) fn lines(state: &State, width: usize, room: usize) -> Vec<Line<'static>> {
    if room == 0 {
        return Vec::new();
    }
    let groups = state.applications();
    let columns = Columns::of(width);
    let mut lines = vec![header(state, &columns, width, groups.len())];
    if groups.is_empty() {
        let id = if state.filter.is_empty() { "screen-no-applications" } else { "screen-no-match" };
        let said = state.words.say(id, &[("filter", Value::Text(&state.filter))]);
        lines.push(line(state.look, &format!("  {said}"), Role::Note, width));
        return lines;
    }
    let room = room - 1;
    let first = (state.application + 1).saturating_sub(room);
    let shown = groups.iter().enumerate().skip(first).take(room);
    lines.extend(shown.map(|(at, view)| {
        let selected = state.focus == Focus::Applications && at == state.application;
        row(state, view, &columns, width, selected)
    }));
    lines
}

fn header(state: &State, columns: &Columns, width: usize, n: usize) -> Line<'static> {
    let word = |id: &str| state.words.word(id);
    let what = if state.processes { "screen-processes" } else { "screen-applications" };
    let order = state.words.word(&format!("screen-by-{}", state.sort.name()));
    let short = state.words.say(what, &[("n", Value::Count(n as u64))]);
    let full = format!("{short}, {order}");
    let fits = crate::wrap::columns(&full) <= columns.name + 2;
    let mut cells =
        vec![left(if fits { &full } else { &short }, columns.name + 2), right(&word("screen-col-logins"), RATE)];
    if columns.logouts > 0 {
        cells.push(right(&word("screen-col-logouts"), columns.logouts));
    }
    cells.push(right(&word("screen-col-sessions"), SESSIONS));
    cells.push(right(&word("screen-col-life"), LIFE));
    if columns.curve > 0 {
        cells.push(left(&word("screen-col-recent"), columns.curve));
    }
    cells.push(word("screen-col-verdict"));
    line(state.look, &cells.join(" "), Role::Heading, width)
}

fn row(state: &State, view: &GroupView, columns: &Columns, width: usize, selected: bool) -> Line<'static> {
    let (words, group) = (&state.words, &view.group);
    let mark = if selected { "> " } else { "  " };
    let since = if group.life_since_start { "*" } else { "" };
    let mut cells = vec![left(&Words::clean(&group.name), columns.name), right(&words.rate(group.logins_per_s), RATE)];
    if columns.logouts > 0 {
        cells.push(right(&words.rate(group.logouts_per_s), columns.logouts));
    }
    cells.push(right(&words.sessions(group.sessions), SESSIONS));
    cells.push(right(&(words.life(group.mean_session_life_s) + since), LIFE));
    let role = if selected { Role::Selected } else { Role::Body };
    let mut piece = Piece::new(format!("{mark}{} ", cells.join(" ")), role);
    if columns.curve > 0 {
        piece = piece.and(curve(&view.logins, columns.curve), Role::Curve).and(" ", Role::Body);
    }
    fit(state.look, 0, vec![piece.append(verdict(words, group, columns.verdict))], width)
}
