//! What the collector knows, as the screen shows it.

use std::io::IsTerminal;

use jiff::tz::TimeZone;
use peaje_model::{GroupKind, Run, Verdict, WatchGroup, WatchResult};
use peaje_tui::{Ages, Colours, Exactness, Figures, Glyphs, GroupView, History, Look, ServerStatus, ServerView, View};
use peaje_watch::{GroupSnapshot, RecordingState, ServerSnapshot, ServerState, Snapshot};

use super::{WatchArgs, outcome};
use crate::engines;
use crate::language;
use crate::printer::Printer;

/// Whether there is a terminal to draw on, and keys to hear.
pub(super) fn has_terminal() -> bool {
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}

/// How the screen looks on this terminal.
pub(super) fn look(args: &WatchArgs, printer: Printer) -> Look {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    Look {
        language: language::choose(args.output.lang),
        colours: if printer.colours() { Colours::Sixteen } else { Colours::None },
        glyphs: Glyphs::of_locale(locale.as_deref()),
    }
}

/// Everything there is to show.
pub(super) fn view(snapshot: &Snapshot, judged: &Run, args: &WatchArgs) -> View {
    let unread = WatchResult::default();
    let result = judged.watch.as_ref().unwrap_or(&unread);
    let at = outcome::moment(snapshot.at_us);
    View {
        at: at.to_string(),
        utc_offset_s: TimeZone::system().to_offset(at).seconds(),
        interval_s: snapshot.interval_s,
        servers: snapshot.servers.iter().map(|server| server_view(server, result)).collect(),
        groups: result.groups.iter().map(|group| group_view(group, snapshot)).collect(),
        findings: judged.findings.iter().filter(|finding| finding.verdict == Verdict::Found).cloned().collect(),
        gaps: result.gaps.iter().filter(|gap| gap.is_hole()).cloned().collect(),
        coverage: result.coverage,
        verdict_at: result.verdict_at.clone(),
        recording: args.recording.record.as_ref().map(|file| file.display().to_string()),
        notes: notes(snapshot),
    }
}

fn server_view(server: &ServerSnapshot, result: &WatchResult) -> ServerView {
    let rates = server.rates.as_ref();
    let count = |n: Option<u64>| n.map(|n| n as f64);
    let instance = result.groups.iter().find(|g| g.kind == GroupKind::Instance && g.server == server.server);
    let open = count(server.counters.sessions);
    ServerView {
        server: server.server.clone(),
        answered: server.what_answered.clone(),
        status: status(server),
        readings: server.readings,
        now: Figures {
            logins_per_s: rates.and_then(|rates| rates.logins_per_s),
            logouts_per_s: rates.and_then(|rates| rates.logouts_per_s),
            sessions: open,
            active: count(server.counters.active),
            waiting: count(server.counters.waiting),
        },
        limit: server.limit,
        peak_sessions: server.counters.peak_sessions,
        logins: server.history.iter().map(|point| point.logins_per_s.map(f64::from)).collect(),
        logouts: server.history.iter().map(|point| point.logouts_per_s.map(f64::from)).collect(),
        encrypted: encrypted(server),
        ages: ages(server),
        authentication: authentication(server),
        never_used: count(server.states.never_used).zip(open).filter(|(_, n)| *n > 0.0).map(|(never, n)| never / n),
        failed: instance.and_then(|group| group.statistics.failed),
    }
}

fn status(server: &ServerSnapshot) -> ServerStatus {
    match server.state {
        ServerState::Starting => ServerStatus::Starting,
        ServerState::Watching if server.rates.is_none() => ServerStatus::Starting,
        ServerState::Watching => ServerStatus::Read,
        ServerState::Lost { .. } | ServerState::GivenUp { .. } => ServerStatus::Gap,
    }
}

/// Share of the sessions that are encrypted, over the groups where it is known.
fn encrypted(server: &ServerSnapshot) -> Option<f64> {
    let known: Vec<(f64, f64)> =
        server.groups.iter().filter_map(|g| g.encrypted.map(|share| (share, g.sessions as f64))).collect();
    let sessions: f64 = known.iter().map(|(_, n)| n).sum();
    (sessions > 0.0).then(|| known.iter().map(|(share, n)| share * n).sum::<f64>() / sessions)
}

fn ages(server: &ServerSnapshot) -> Option<Ages> {
    let ages = server.ages?;
    // MySQL and MariaDB tell since when a session does what it does now.
    let engine = server.what_answered.as_ref().and_then(|what| engines::of_product(&what.product));
    let told_in_full = engine.is_none_or(|(engine, _)| engine.name != "mysql");
    let exactness = if told_in_full { Exactness::Exact } else { Exactness::AtLeast };
    Some(Ages { median_s: ages.median_s, oldest_s: ages.oldest_s, exactness })
}

/// Shares of the sessions whose method is told.
fn authentication(server: &ServerSnapshot) -> Vec<(String, f64)> {
    let told: u64 = server.authentication.iter().map(|(_, n)| n).sum();
    server.authentication.iter().map(|(method, n)| (method.clone(), *n as f64 / told as f64)).collect()
}

fn group_view(group: &WatchGroup, snapshot: &Snapshot) -> GroupView {
    GroupView { group: group.clone(), logins: logins(group, snapshot) }
}

fn logins(group: &WatchGroup, snapshot: &Snapshot) -> History {
    let Some(server) = snapshot.servers.iter().find(|server| server.server == group.server) else { return Vec::new() };
    let per_s = |v: &Option<f32>| v.map(f64::from);
    match group.kind {
        GroupKind::Instance => server.history.iter().map(|point| per_s(&point.logins_per_s)).collect(),
        GroupKind::Application | GroupKind::Process => {
            let same = |seen: &&GroupSnapshot| seen.name == group.name;
            server.groups.iter().find(same).map_or_else(Vec::new, |seen| seen.history.iter().map(per_s).collect())
        }
    }
}

/// What the viewer has to know beside the figures.
fn notes(snapshot: &Snapshot) -> Vec<String> {
    let mut notes: Vec<String> = snapshot.servers.iter().flat_map(|server| server_notes(server)).collect();
    match &snapshot.recording {
        Some(RecordingState::Waiting { message, .. }) => notes.push(format!("recording waits: {message}")),
        Some(RecordingState::Failed { message }) => notes.push(format!("recording ended: {message}")),
        Some(RecordingState::Recording { .. }) | None => {}
    }
    notes
}

fn server_notes(server: &ServerSnapshot) -> Vec<String> {
    let mut notes = Vec::new();
    if let ServerState::GivenUp { message, hint } = &server.state {
        let next = hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        notes.push(format!("{}: given up: {message}{next}", server.server));
    }
    notes.extend(server.missing.iter().map(|gap| {
        let next = gap.next_step.as_ref().map(|next| format!("; {next}")).unwrap_or_default();
        format!("{}: {} cannot be read: {}{next}", server.server, gap.what, gap.why)
    }));
    notes
}
