//! The last lines: gaps, and the keys (or what is being typed).

use peaje_model::WatchGap;
use peaje_report::Value;
use ratatui::text::Line;

use super::text::{Piece, fit, line};
use crate::look::Role;
use crate::state::Over;
use crate::{State, View, sayings};

/// Keys in the order of their use, as message ids.
const KEYS: [&str; 8] = ["quit", "help", "sort", "filter", "freeze", "page", "servers", "processes"];

/// The newest gaps, those that last first; at most `most` lines.
pub(crate) fn gaps(state: &State, view: &View, width: usize, most: usize) -> Vec<Line<'static>> {
    let mut gaps: Vec<&WatchGap> = view.gaps.iter().rev().collect();
    let chosen = state.chosen();
    gaps.retain(|gap| chosen.is_none_or(|server| gap.server == server));
    gaps.sort_by_key(|gap| gap.until.is_some());
    gaps.iter()
        .take(most)
        .map(|gap| line(state.look, &sayings::gap(&state.words, view, gap), role(gap), width))
        .collect()
}

fn role(gap: &WatchGap) -> Role {
    if gap.until.is_some() { Role::Note } else { Role::Alarm }
}

fn line_of_keys(state: &State, width: usize) -> Line<'static> {
    let several = state.view.as_ref().is_some_and(|view| view.servers.len() > 1);
    let mut pieces: Vec<Piece> = KEYS
        .iter()
        .filter(|key| several || **key != "servers")
        .map(|key| Piece::new(state.words.word(&format!("screen-key-{key}")), Role::Note))
        .collect();
    if !state.filter.is_empty() {
        let said = state.words.say("screen-filtered", &[("filter", Value::Text(&state.filter))]);
        pieces.insert(0, Piece::new(said, Role::Strong));
    }
    fit(state.look, 0, pieces, width)
}

/// The keys, or the filter while it is typed.
pub(crate) fn line_at_foot(state: &State, width: usize) -> Line<'static> {
    match &state.over {
        Over::Filter(_) => {
            let said = state.words.say("screen-filter", &[("filter", Value::Text(&state.filter))]);
            line(state.look, &said, Role::Strong, width)
        }
        _ => line_of_keys(state, width),
    }
}
