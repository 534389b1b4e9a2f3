//! The keys, one a line.

use ratatui::text::Line;

use super::text::line;
use crate::look::Role;
use crate::wrap::left;
use crate::{Size, State};

const KEYS: [(&str, &str); 12] = [
    ("q, Ctrl-C", "quit"),
    ("s", "sort"),
    ("/", "filter"),
    ("f, Space", "freeze"),
    ("Tab", "focus"),
    ("Up Down PgUp PgDn", "move"),
    ("Enter", "page"),
    ("Left Right", "servers"),
    ("p", "processes"),
    ("Esc", "back"),
    ("*", "star"),
    ("·", "dot"),
];

pub(crate) fn lines(state: &State, size: Size) -> Vec<Line<'static>> {
    let width = usize::from(size.width);
    let title = left(&format!(" {}", state.words.word("screen-help")), width);
    let mut lines = vec![Line::styled(title, state.look.style(Role::Title))];
    for (keys, id) in KEYS {
        let text = format!(" {} {}", left(keys, 17), state.words.word(&format!("screen-help-{id}")));
        lines.push(line(state.look, &text, Role::Body, width));
    }
    lines
}
