//! What was found, with its next step. Where there is no room for all of it, the selected finding is told in full and
//! the others by their titles.

use peaje_model::{Finding, Severity};
use peaje_report::Value;
use ratatui::text::Line;

use super::text::line;
use crate::State;
use crate::look::Role;
use crate::state::Focus;
use crate::wrap::{cut, wrap};

/// Lines that everything found would take, with its heading.
pub(crate) fn wanted(state: &State, width: usize) -> usize {
    let findings = state.findings();
    1 + if findings.is_empty() { 1 } else { findings.iter().map(|finding| told(state, finding, width).len()).sum() }
}

pub(crate) fn lines(state: &State, width: usize, room: usize) -> Vec<Line<'static>> {
    if room == 0 {
        return Vec::new();
    }
    let findings = state.findings();
    let heading = state.words.say("screen-findings", &[("n", Value::Count(findings.len() as u64))]);
    let mut lines = vec![line(state.look, &heading, Role::Heading, width)];
    if findings.is_empty() {
        lines.push(line(state.look, &format!("  {}", nothing(state)), Role::Note, width));
    }
    let full = wanted(state, width) <= room;
    for (at, finding) in findings.iter().enumerate() {
        let mut told = told(state, finding, width);
        if !full && at != state.finding {
            told.truncate(1);
        }
        lines.extend(told.into_iter().map(|(text, role)| {
            let selected = state.focus == Focus::Findings && at == state.finding && role != Role::Body;
            line(state.look, &text, if selected { Role::Selected } else { role }, width)
        }));
    }
    around_selected(state, width, lines, room)
}

/// Keeps the heading, and of the rest what lies around the selected finding.
fn around_selected(state: &State, width: usize, mut lines: Vec<Line<'static>>, room: usize) -> Vec<Line<'static>> {
    if lines.len() > room {
        // One line for each finding above it: the selected one begins right below the heading at the latest.
        let above = state.finding.min(lines.len() - room);
        lines.drain(1..=above);
    }
    if lines.len() > room {
        lines.truncate(room);
        // What is left out shows that it is.
        if let Some(last) = lines.pop() {
            let text: String = last.spans.iter().map(|span| span.content.as_ref()).collect();
            let style = last.spans.first().map_or(last.style, |span| span.style.patch(last.style));
            lines.push(Line::styled(cut(&format!("{text} …"), width), style));
        }
    }
    lines
}

/// A verdict may be still to come; then nothing found means nothing.
fn nothing(state: &State) -> String {
    let coming = state.view.as_ref().is_some_and(|view| view.verdict_at.is_some());
    state.words.word(if coming { "screen-nothing-yet" } else { "screen-nothing" })
}

fn told(state: &State, finding: &Finding, width: usize) -> Vec<(String, Role)> {
    let said = state.words.finding(finding);
    let role = match finding.severity {
        Severity::Critical => Role::Alarm,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Strong,
    };
    let title =
        state.words.say("finding-title", &[("title", Value::Text(&said.title)), ("code", Value::Text(&finding.code))]);
    let mut lines = vec![(format!("  {}: {title}", state.words.severity(finding.severity)), role)];
    let next = said.next_step.map(|step| state.words.say("finding-next", &[("step", Value::Text(&step))]));
    for text in std::iter::once(said.sentence).chain(next) {
        lines.extend(wrap(&text, width - 4).into_iter().map(|text| (format!("    {text}"), Role::Body)));
    }
    lines
}
