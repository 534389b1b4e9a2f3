//! The result of a watch: groups with their verdicts, gaps, and what is counted apart.

use std::collections::BTreeMap;

use peaje_diagnose::churn::{GroupSeries, Judging, SinceStart, judge_alone, judge_together, verdict_in};
use peaje_model::{ExcludedSessions, GroupKind, Verdict, WatchGap, WatchGroup, WatchResult};

use crate::moment::rfc3339;
use crate::record::{Record, ServerRecord};
use crate::row::Counter;
use crate::series::frame::Frame;
use crate::series::groups::OTHER;
use crate::series::{Analysis, of_server};

/// What the record's last window says. The same record and the same analysis give the same result to the last digit.
pub fn result(record: &Record, analysis: &Analysis) -> WatchResult {
    let Some(frame) = Frame::of(record, analysis) else { return nothing(analysis) };
    let known = record.servers.iter().map(Known::of).collect();
    conclude(known, record.servers.iter().map(|server| Part::of(server, &frame)), &frame, analysis)
}

/// The result of an empty record.
pub(crate) fn nothing(analysis: &Analysis) -> WatchResult {
    WatchResult { time_scale: analysis.judging.time_scale, ..WatchResult::default() }
}

/// What is known of a server beside its series.
#[derive(Debug)]
pub(crate) struct Known {
    label: String,
    since: Option<SinceStart>,
    usual_failures_per_s: Option<f64>,
}

impl Known {
    pub(crate) fn of(server: &ServerRecord) -> Self {
        let instance = server.kind == GroupKind::Instance;
        Self {
            label: server.label.clone(),
            since: since_start(server).filter(|_| instance),
            usual_failures_per_s: server.failures.usual_per_s().filter(|_| instance),
        }
    }
}

/// What one server brings to a result. Making it is quick; judging it is not.
#[derive(Debug)]
pub(crate) struct Part {
    label: String,
    series: Vec<GroupSeries>,
    encrypted: BTreeMap<(GroupKind, String), f64>,
    /// The group that comes from counters among which there are none of logouts.
    without_logouts: Option<(GroupKind, String)>,
    readings: u64,
    /// Sum and number of the intervals that are known, and the nominal one, microseconds.
    intervals: (i64, u64, u64),
    gaps: Vec<WatchGap>,
    excluded: Vec<ExcludedSessions>,
}

impl Part {
    pub(crate) fn of(server: &ServerRecord, frame: &Frame) -> Self {
        let known = frame.rows(server).filter(|row| row.cut.is_none());
        let (sum, count) = known.fold((0, 0), |(sum, count), row| (sum + row.to_us - row.from_us, count + 1));
        Self {
            label: server.label.clone(),
            series: of_server(server, frame),
            encrypted: encrypted(server),
            without_logouts: without_logouts(server, frame).then(|| (server.kind, server.name.clone())),
            readings: frame.rows(server).count() as u64,
            intervals: (sum, count, server.note.interval_us),
            gaps: gaps(server, frame),
            excluded: excluded(server, frame),
        }
    }
}

/// Judges the groups of all servers. The series of one server at a time are in memory: there may be many.
pub(crate) fn conclude(
    known: Vec<Known>,
    servers: impl Iterator<Item = Part>,
    frame: &Frame,
    analysis: &Analysis,
) -> WatchResult {
    let judging = informed(known, &analysis.judging);
    let (mut parts, mut alone) = (Vec::new(), Vec::new());
    let mut seen = Coverage::default();
    let mut wait_s: Option<f64> = None;
    for mut part in servers {
        for series in std::mem::take(&mut part.series) {
            alone.push(judge_alone(&series, &judging));
            if series.kind == GroupKind::Instance {
                seen.add(&series);
                let wait = verdict_in(&series, &judging).filter(|wait_s| *wait_s < 1e9);
                wait_s = [wait_s, wait].into_iter().flatten().min_by(f64::total_cmp);
            }
        }
        parts.push(part);
    }
    let mut groups = judge_together(alone);
    for group in &mut groups {
        complete(group, &parts);
    }
    let undecided = groups.iter().all(|group| group.verdict == Verdict::CannotSay);
    let verdict_in_s = wait_s.filter(|_| undecided);
    WatchResult {
        interval_s: mean_interval_s(&parts),
        time_scale: judging.time_scale,
        readings: parts.iter().map(|part| part.readings).sum(),
        coverage: seen.share(),
        verdict_at: verdict_in_s.map(|wait_s| rfc3339(frame.end_us + (wait_s * 1e6) as i64)),
        groups,
        gaps: parts.iter_mut().flat_map(|part| std::mem::take(&mut part.gaps)).collect(),
        excluded: parts.iter_mut().flat_map(|part| std::mem::take(&mut part.excluded)).collect(),
    }
}

/// What is known beside the series; what the caller knows goes first.
fn informed(known: Vec<Known>, judging: &Judging) -> Judging {
    let mut judging = judging.clone();
    for Known { label, since, usual_failures_per_s } in known {
        if let Some(usual) = usual_failures_per_s {
            judging.usual_failures_per_s.entry(label.clone()).or_insert(usual);
        }
        if let Some(since) = since {
            judging.since_start.entry(label).or_insert(since);
        }
    }
    judging
}

fn since_start(server: &ServerRecord) -> Option<SinceStart> {
    let since_us = server.totals.since_us?;
    let uptime_us = server.server_us.checked_sub(since_us).filter(|us| *us > 0)?;
    let (logins, sessions) = (server.totals.logins_total?, server.totals.sessions?);
    Some(SinceStart { uptime_s: uptime_us as f64 / 1e6, logins, sessions: sessions as f64 })
}

/// What only the record can say of a group.
fn complete(group: &mut WatchGroup, parts: &[Part]) {
    let key = (group.kind, group.name.clone());
    let mine = parts.iter().filter(|part| part.label == group.server);
    group.encrypted = mine.clone().find_map(|part| part.encrypted.get(&key)).copied();
    if mine.clone().any(|part| part.without_logouts.as_ref() == Some(&key)) {
        group.logouts_per_s = None;
    }
    if group.name == OTHER && group.kind == GroupKind::Application {
        // A mixture looks like none of its parts.
        group.verdict = Verdict::CannotSay;
        group.verdict_codes.clear();
        (group.pattern, group.grade) = (None, None);
    }
}

/// Whether logins are counted and logouts are not.
fn without_logouts(server: &ServerRecord, frame: &Frame) -> bool {
    let counted = |counter: Counter| frame.rows(server).any(|row| row.change(counter).is_some());
    counted(Counter::Logins) && !counted(Counter::Logouts)
}

/// Share of the open sessions that are encrypted, by group.
fn encrypted(server: &ServerRecord) -> BTreeMap<(GroupKind, String), f64> {
    let mut counts: BTreeMap<(GroupKind, String), (u64, u64)> = BTreeMap::new();
    for open in server.open.values() {
        let Some(origin) = server.origins.get(&open.origin).filter(|origin| origin.apart.is_none()) else { continue };
        let Some(encrypted) = origin.encrypted else { continue };
        let mut count = |kind: GroupKind, name: String| {
            let count = counts.entry((kind, name)).or_default();
            *count = (count.0 + u64::from(encrypted), count.1 + 1);
        };
        let application = origin.name();
        if let Some(process) = open.process {
            count(GroupKind::Process, format!("{application} # {process}"));
        }
        count(GroupKind::Application, application);
        count(GroupKind::Instance, server.name.clone());
    }
    counts.into_iter().map(|(key, (encrypted, known))| (key, encrypted as f64 / known as f64)).collect()
}

/// Mean length of the intervals that are known; the nominal one before there are any.
fn mean_interval_s(parts: &[Part]) -> f64 {
    let (sum, count) = parts.iter().fold((0, 0), |all, part| (all.0 + part.intervals.0, all.1 + part.intervals.1));
    if count > 0 {
        return sum as f64 / 1e6 / count as f64;
    }
    parts.iter().map(|part| part.intervals.2).max().unwrap_or_default() as f64 / 1e6
}

/// Coverage over the instances, each weighing as much as it has logins.
#[derive(Debug, Default)]
struct Coverage {
    seen: f64,
    counted: f64,
}

impl Coverage {
    fn add(&mut self, instance: &GroupSeries) {
        let Some(share) = instance.coverage else { return };
        let logins: f64 = instance.bins.iter().map(|bin| bin.logins).sum();
        self.seen += share * logins;
        self.counted += logins;
    }

    fn share(&self) -> Option<f64> {
        (self.counted > 0.0).then(|| self.seen / self.counted)
    }
}

fn gaps(server: &ServerRecord, frame: &Frame) -> Vec<WatchGap> {
    let gap = |from_us: i64, until_us: Option<i64>, reason: &str, message: String| WatchGap {
        server: server.label.clone(),
        from: rfc3339(from_us),
        until: until_us.map(rfc3339),
        reason: reason.to_owned(),
        message,
    };
    let mut gaps: Vec<(i64, WatchGap)> = Vec::new();
    for row in frame.rows(server) {
        if let Some(reason) = row.cut.and_then(crate::row::Cut::reason) {
            gaps.push((row.from_us, gap(row.from_us, Some(row.to_us), reason, words(reason).to_owned())));
        }
    }
    for lost in &server.unprivileged {
        let message = format!("{} cannot be read: {}", lost.gap.what, lost.gap.why);
        gaps.push((lost.from_us, gap(lost.from_us, lost.until_us, "no-privilege", message)));
    }
    if let Some(message) = &server.missed {
        let from_us = server.to_us.or(server.at_us).unwrap_or_default();
        gaps.push((from_us, gap(from_us, None, "unreachable", message.clone())));
    }
    gaps.sort_by_key(|(from_us, _)| *from_us);
    gaps.into_iter().map(|(_, gap)| gap).collect()
}

fn words(reason: &str) -> &'static str {
    match reason {
        "restarted" => "the server was started anew; its counters have a new origin",
        "counters-reset" => "the counters started anew, or one of them fell",
        "another-server" => "another server answered at this address",
        "clock-step" => "the server's clock and this machine's disagree about how long it took",
        "unreachable" => "the server could not be read",
        _ => "no reading was taken in time",
    }
}

/// What is counted apart, by application and reason.
fn excluded(server: &ServerRecord, frame: &Frame) -> Vec<ExcludedSessions> {
    let ended = server.ended.iter().filter(|life| life.closed_us > frame.start_us).map(|life| life.origin);
    let mut count: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for id in ended.chain(server.open.values().map(|open| open.origin)) {
        let Some(origin) = server.origins.get(&id) else { continue };
        if let Some(reason) = origin.apart {
            *count.entry((origin.group(), reason)).or_default() += 1;
        }
    }
    let one = |((name, reason), sessions): ((&str, &str), u64)| ExcludedSessions {
        server: server.label.clone(),
        name: name.to_owned(),
        reason: reason.to_owned(),
        sessions,
    };
    count.into_iter().map(one).collect()
}
