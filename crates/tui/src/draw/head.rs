//! The first line: what this is, when, how often; and what has to be said before any figure.

use peaje_report::{Value, Words};
use ratatui::text::Line;

use super::text::{self, line};
use crate::clock::{Exactly, time};
use crate::look::Role;
use crate::wrap::{columns, cut, wrap};
use crate::{Size, State, View};

/// The title line: reversed over the whole width, what is missing first on its right.
pub(crate) fn title(state: &State, view: &View, width: usize) -> Line<'static> {
    let words = &state.words;
    let clock = time(view, &view.at, Exactly::Second) + if view.utc_offset_s == 0 { " UTC" } else { "" };
    let mut left = format!(" peaje watch  {clock}");
    let interval = words.life(Some(view.interval_s));
    let mut extras = Vec::new();
    if let Some(frozen) = &state.frozen {
        extras.push(words.say("screen-frozen", &[("n", Value::Count(frozen.missed))]));
    }
    extras.extend(
        view.verdict_at
            .as_ref()
            .map(|at| words.say("screen-verdict-at", &[("at", Value::Text(&time(view, at, Exactly::Minute)))])),
    );
    if state.dropped > 0 {
        extras.push(words.say("screen-dropped", &[("n", Value::Count(state.dropped))]));
    }
    extras.push(words.say("screen-every", &[("interval", Value::Text(&interval))]));
    extras.extend(view.recording.as_ref().map(|file| Words::clean(file)));
    for extra in extras {
        if columns(&left) + 2 + columns(&extra) < width {
            left.push_str("  ");
            left.push_str(&extra);
        }
    }
    let text = crate::wrap::left(&left, width);
    Line::styled(text, state.look.style(Role::Title))
}

/// What the viewer has to know, at most `most` lines.
pub(crate) fn notes(state: &State, view: &View, width: usize, most: usize) -> Vec<Line<'static>> {
    let all = view.notes.iter().flat_map(|note| wrap(&Words::clean(note), width));
    all.take(most).map(|text| line(state.look, &text, Role::Warning, width)).collect()
}

/// Before the first view.
pub(crate) fn waiting(state: &State, size: Size) -> Vec<Line<'static>> {
    let width = usize::from(size.width);
    vec![
        Line::styled(crate::wrap::left(" peaje watch", width), state.look.style(Role::Title)),
        Line::default(),
        text::line(state.look, &state.words.word("screen-waiting"), Role::Body, width),
    ]
}

/// A window that does not hold the screen says so.
pub(crate) fn too_small(state: &State, size: Size) -> Vec<Line<'static>> {
    let said = state.words.say(
        "screen-too-small",
        &[
            ("width", Value::Count(size.width.into())),
            ("height", Value::Count(size.height.into())),
            ("least_width", Value::Count(Size::LEAST.width.into())),
            ("least_height", Value::Count(Size::LEAST.height.into())),
        ],
    );
    let width = usize::from(size.width).max(1);
    wrap(&said, width).into_iter().map(|text| Line::raw(cut(&text, width))).collect()
}
