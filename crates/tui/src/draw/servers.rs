//! Several servers, a line each; with more of them than there are lines, those with the most logins.

use peaje_report::{Value, Words};
use ratatui::text::Line;

use super::server::{status, verdict};
use super::text::{Piece, fit, line};
use crate::look::Role;
use crate::spark::curve;
use crate::view::{ServerStatus, ServerView};
use crate::wrap::{left, right};
use crate::{State, View, sayings};

/// How wide each column is.
struct Columns {
    name: usize,
    curve: usize,
}

const RATE: usize = 9;
const SESSIONS: usize = 8;
const LIMIT: usize = 8;
const LIFE: usize = 8;

impl Columns {
    fn of(width: usize) -> Self {
        Self { name: (width * 27 / 100).clamp(18, 32), curve: if width >= 96 { 8 } else { 0 } }
    }
}

pub(crate) fn lines(state: &State, view: &View, width: usize, room: usize) -> Vec<Line<'static>> {
    let columns = Columns::of(width);
    let mut lines = vec![header(state, &columns, width)];
    let mut servers: Vec<&ServerView> = view.servers.iter().collect();
    let room = room.max(3) - 1;
    let hidden = servers.len().saturating_sub(room);
    if hidden > 0 {
        // A server that is not read comes first: it must not vanish.
        let rank = |server: &ServerView| {
            let rate = server.now.logins_per_s.unwrap_or(-1.0);
            (server.status == ServerStatus::Gap, rate)
        };
        servers.sort_by(|a, b| rank(b).0.cmp(&rank(a).0).then(rank(b).1.total_cmp(&rank(a).1)));
        servers.truncate(room - 1);
    }
    lines.extend(servers.iter().map(|server| row(state, view, server, &columns, width)));
    if hidden > 0 {
        let said = state.words.say("screen-more-servers", &[("n", Value::Count(hidden as u64 + 1))]);
        lines.push(line(state.look, &said, Role::Note, width));
    }
    lines
}

fn header(state: &State, columns: &Columns, width: usize) -> Line<'static> {
    let word = |id| state.words.word(id);
    let mut cells = vec![left(&word("screen-col-server"), columns.name), right(&word("screen-col-logins"), RATE)];
    if columns.curve > 0 {
        cells.push(" ".repeat(columns.curve));
    }
    cells.push(right(&word("screen-col-sessions"), SESSIONS));
    cells.push(right(&word("screen-col-limit"), LIMIT));
    cells.push(right(&word("screen-col-life"), LIFE));
    cells.push(word("screen-col-verdict"));
    line(state.look, &cells.join(" "), Role::Heading, width)
}

/// A server that is not read has no figures: why stands in their place.
fn row(state: &State, view: &View, server: &ServerView, columns: &Columns, width: usize) -> Line<'static> {
    let words = &state.words;
    let name = left(&Words::clean(&server.server), columns.name);
    if let Some(status) = status(words, server) {
        let gap = view.gaps.iter().rev().find(|gap| gap.until.is_none() && gap.server == server.server);
        let why = gap.map(|gap| Piece::new(sayings::reason(words, gap), Role::Note));
        let pieces = std::iter::once(Piece::body(name + " ").append(status)).chain(why).collect();
        return fit(state.look, 0, pieces, width);
    }
    let group = view.instance(&server.server);
    let full = server.limit.filter(|limit| *limit > 0).zip(server.now.sessions).map(|(limit, n)| n / limit as f64);
    let mark = if group.is_some_and(|group| group.life_since_start) { "*" } else { "" };
    let life = words.life(group.and_then(|group| group.mean_session_life_s)) + mark;
    let mut row = Piece::body(format!("{name} {} ", right(&words.rate(server.now.logins_per_s), RATE)));
    if columns.curve > 0 {
        row = row.and(curve(&server.logins, columns.curve), Role::Curve).and(" ", Role::Body);
    }
    let (sessions, full) = (words.sessions(server.now.sessions), words.share(full));
    row =
        row.and(format!("{} {} {} ", right(&sessions, SESSIONS), right(&full, LIMIT), right(&life, LIFE)), Role::Body);
    if let Some(group) = group {
        let room = width.saturating_sub(row.columns());
        row = row.append(verdict(words, group, room));
    }
    let what = server.answered.as_ref().map(|what| Piece::new(sayings::answered(words, what), Role::Note));
    fit(state.look, 0, std::iter::once(row).chain(what).collect(), width)
}
