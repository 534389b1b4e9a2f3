//! One server in four lines, or six: what answered, its sessions, its logins, how long they last, its failures, its
//! encryption.

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
/// Authentication methods that are named.
const METHODS: usize = 3;

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
    let (lasting, secure) = (lasting(&state.words, view, group), security(&state.words, server));
    if tall {
        lines.push(fit(2, lasting));
        lines.push(fit(2, failures(&state.words, server)));
        lines.push(fit(2, secure));
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

/// How long sessions last, and how much of it was seen.
fn lasting(words: &Words, view: &View, group: Option<&WatchGroup>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(group) = group {
        pieces.extend(sayings::life(words, group).map(Piece::body));
        let replaced = group.replaced_per_h().filter(|_| !group.life_since_start);
        pieces.extend(
            replaced.map(|n| Piece::body(words.say("screen-replaced", &[("n", Value::Text(&words.rate(Some(n))))]))),
        );
    }
    pieces.extend(view.coverage.map(|share| {
        Piece::new(words.say("screen-coverage", &[("share", Value::Text(&words.share(Some(share))))]), Role::Note)
    }));
    pieces
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
    let mut pieces = Vec::new();
    pieces.extend(
        server.encrypted.map(|share| {
            Piece::body(words.say("screen-encrypted", &[("share", Value::Text(&words.share(Some(share))))]))
        }),
    );
    let methods: Vec<String> = server
        .authentication
        .iter()
        .take(METHODS)
        .map(|(method, share)| format!("{} {}", Words::clean(method), words.share(Some(*share))))
        .collect();
    if !methods.is_empty() {
        let said = words.say("screen-authentication", &[("methods", Value::Text(&methods.join(", ")))]);
        pieces.push(Piece::body(said));
    }
    pieces
}
