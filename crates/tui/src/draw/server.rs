//! One server in four lines, or seven: what answered, its sessions, its logins, how long they last, its failures, its
//! encryption, and what others would say.

use peaje_model::{Verdict, WatchGroup};
use peaje_report::{Value, Words};
use ratatui::text::Line;

use super::text::{Piece, fit, line};
use crate::look::Role;
use crate::spark::{bar, curve};
use crate::view::{ServerStatus, ServerView};
use crate::wrap::{columns, cut};
use crate::{State, View, sayings};

const BAR: usize = 12;
/// From this share of the limit on, sessions are an alarm.
const NEARLY_FULL: f64 = 0.9;

pub(crate) fn lines(state: &State, view: &View, width: usize, tall: bool) -> Vec<Line<'static>> {
    let Some(server) = view.servers.get(state.server.unwrap_or(0)) else {
        return vec![line(state.look, &state.words.word("screen-waiting"), Role::Body, width)];
    };
    let group = view.instance(&server.server);
    let fit = |indent, pieces| fit(state.look, indent, pieces, width);
    let mut lines = vec![
        fit(0, identity(&state.words, view, server, group)),
        fit(2, sessions(&state.words, server)),
        fit(2, logins(&state.words, server, if width >= 100 { 16 } else { 8 })),
    ];
    let (mut lasting, mut secure) = (lasting(&state.words, group), security(&state.words, server));
    if tall {
        let mut failures = failures(&state.words, server);
        if let Some(ages) = sayings::ages(&state.words, server).map(Piece::body) {
            // Where it fits whole, else before the port checks: from the first reading on it is all there is to tell of
            // how long sessions live.
            let places = [&mut lasting, &mut secure, &mut failures];
            match places.iter().position(|line| 2 + taken(line) + 2 + ages.columns() <= width) {
                Some(at) => places[at].push(ages),
                None => failures.insert(1, ages),
            }
        }
        lasting.extend(coverage(&state.words, view));
        lines.push(fit(2, lasting));
        lines.push(fit(2, failures));
        lines.extend([secure, pal(&state.words, group)].into_iter().filter(|l| !l.is_empty()).map(|l| fit(2, l)));
    } else {
        let life = lasting.into_iter().take(1);
        lines.push(fit(2, life.chain(failed_in_all(&state.words, server)).chain(secure).collect()));
    }
    lines
}

/// What answered, and the verdict on the whole instance.
fn identity(words: &Words, view: &View, server: &ServerView, group: Option<&WatchGroup>) -> Vec<Piece> {
    let mut pieces = vec![Piece::new(Words::clean(&server.server), Role::Strong)];
    if view.servers.len() > 1 {
        let at = view.servers.iter().position(|other| other.server == server.server).unwrap_or(0) as u64 + 1;
        let of = [("n", Value::Count(at)), ("of", Value::Count(view.servers.len() as u64))];
        pieces.push(Piece::new(words.say("screen-server-of", &of), Role::Note));
    }
    pieces.extend(status(words, server));
    pieces.extend(server.answered.as_ref().map(|what| Piece::body(sayings::answered(words, what))));
    pieces.extend(group.map(|group| verdict(words, group, usize::MAX)));
    pieces
}

/// A word where a server is not read.
pub(crate) fn status(words: &Words, server: &ServerView) -> Option<Piece> {
    match server.status {
        ServerStatus::Read => None,
        ServerStatus::Starting => Some(Piece::new(words.word("screen-starting"), Role::Note)),
        ServerStatus::Gap => Some(Piece::new(words.word("screen-not-read"), Role::Alarm)),
    }
}

/// The verdict in at most `width` columns; its grade goes first.
pub(crate) fn verdict(words: &Words, group: &WatchGroup, width: usize) -> Piece {
    let role = match group.verdict {
        Verdict::Found => Role::Warning,
        Verdict::Healthy => Role::Good,
        Verdict::CannotSay => Role::Note,
    };
    let whole = words.verdict(group);
    if columns(&whole) <= width {
        return Piece::new(whole, role);
    }
    Piece::new(cut(&words.verdict(&WatchGroup { grade: None, ..group.clone() }), width), role)
}

fn sessions(words: &Words, server: &ServerView) -> Vec<Piece> {
    let full = server.limit.filter(|limit| *limit > 0).zip(server.now.sessions).map(|(limit, n)| n / limit as f64);
    let mut pieces = vec![Piece::body(sayings::sessions(words, server))];
    pieces.extend(full.map(|share| {
        let role = if share >= NEARLY_FULL { Role::Alarm } else { Role::Curve };
        Piece::new(bar(share, BAR), role).and(format!(" {}", words.share(Some(share))), Role::Body)
    }));
    let figure = |id, text: String| Piece::body(words.say(id, &[("n", Value::Text(&text))]));
    pieces.extend(server.now.active.map(|n| figure("screen-active", words.sessions(Some(n)))));
    pieces.extend(server.now.waiting.filter(|n| *n > 0.0).map(|n| figure("screen-queue", words.sessions(Some(n)))));
    pieces.extend(server.peak_sessions.map(|n| figure("screen-peak", words.count(n))));
    pieces.extend(server.never_used.map(|share| figure("screen-never-used", words.share(Some(share)))));
    pieces
}

fn logins(words: &Words, server: &ServerView, curves: usize) -> Vec<Piece> {
    let rate = |id, rate, history: &[Option<f64>]| {
        let said = words.say(id, &[("rate", Value::Text(&words.rate(rate)))]);
        Piece::body(said).and(" ", Role::Body).and(curve(history, curves), Role::Curve)
    };
    vec![
        rate("screen-logins", server.now.logins_per_s, &server.logins),
        rate("screen-logouts", server.now.logouts_per_s, &server.logouts),
    ]
}

/// Columns of a line's pieces.
fn taken(pieces: &[Piece]) -> usize {
    pieces.iter().map(Piece::columns).sum::<usize>() + 2 * pieces.len().saturating_sub(1)
}

/// How long sessions last.
fn lasting(words: &Words, group: Option<&WatchGroup>) -> Vec<Piece> {
    let Some(group) = group else { return Vec::new() };
    let replaced = group.replaced_per_h().filter(|_| !group.life_since_start).map(|n| words.rate(Some(n)));
    let replaced = replaced.map(|n| words.say("screen-replaced", &[("n", Value::Text(&n))]));
    sayings::life(words, group).into_iter().chain(replaced).map(Piece::body).collect()
}

/// How much of it was seen.
fn coverage(words: &Words, view: &View) -> Option<Piece> {
    let share = words.share(Some(view.coverage?));
    Some(Piece::new(words.say("screen-coverage", &[("share", Value::Text(&share))]), Role::Note))
}

fn failed_in_all(words: &Words, server: &ServerView) -> Option<Piece> {
    let total = server.failed.as_ref()?.total;
    let n = words.count(total.round() as u64);
    let said = words.say("screen-failed", &[("n", Value::Text(&n))]);
    Some(Piece::new(said, if total > 0.0 { Role::Warning } else { Role::Body }))
}

fn failures(words: &Words, server: &ServerView) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(failed) = &server.failed {
        let said = sayings::failures(words, failed);
        let role = if failed.total > 0.0 { Role::Warning } else { Role::Body };
        pieces.push(Piece::new(said, role));
        pieces.extend(
            failed
                .probe
                .filter(|n| *n > 0.0)
                .map(|n| Piece::new(words.say("screen-probes", &[("n", Value::Count(n.round() as u64))]), Role::Note)),
        );
    } else {
        pieces.push(Piece::new(words.word("screen-failed-unknown"), Role::Note));
    }
    pieces
}

fn security(words: &Words, server: &ServerView) -> Vec<Piece> {
    let said = sayings::security(words, server).into_iter().map(Piece::body);
    // Whoever looks for it must not take its absence for a missing figure.
    let untold = server.authentication.is_empty() && server.ages.is_some();
    said.chain(untold.then(|| Piece::new(words.word("screen-authentication-unknown"), Role::Note))).collect()
}

/// What PAL's rule says of the same rate, and why that is not ours.
fn pal(words: &Words, group: Option<&WatchGroup>) -> Vec<Piece> {
    let said = group.and_then(|group| words.pal(group));
    said.into_iter().flat_map(|(verdict, why)| [Piece::body(verdict), Piece::new(why, Role::Note)]).collect()
}
