//! A run of `peaje watch` in words: the table of groups, and what qualifies it.
//!
//! The screen and every report say a verdict with the same words: [`verdict`].

use peaje_model::{ExcludedSessions, GroupKind, Run, Settings, Verdict, WatchGap, WatchGroup, WatchResult};

use crate::{
    catalogue::Catalogue,
    predictions,
    sections::{Section, Tone},
    tables::Table,
    units::Units,
};

/// Groups in the table; the rest is in the run file.
const MOST_GROUPS: usize = 30;
/// Below this share of logins seen, single applications cannot be judged well.
const GOOD_COVERAGE: f64 = 0.5;

/// From this rate on, PAL's template for SQL Server says that pooling is missing or broken.
const PAL_LOGINS_PER_S: f64 = 2.0;

/// What that rule says of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pal {
    Alarms,
    Silent,
}

/// PAL's rule, where it looks: at whole servers whose rate is known. It stands beside our verdict because DBAs know it.
pub(crate) fn pal(group: &WatchGroup) -> Option<Pal> {
    let rate = group.logins_per_s.filter(|_| group.kind == GroupKind::Instance)?;
    Some(if rate > PAL_LOGINS_PER_S { Pal::Alarms } else { Pal::Silent })
}

/// The groups of a run, one row each.
pub(crate) fn table(cat: &Catalogue, watch: &WatchResult) -> Table {
    let limited = watch.groups.iter().any(|group| group.limit.is_some());
    // Narrow pages leave the last columns out: what matters least stands there.
    let mut header =
        vec!["col-group", "col-verdict", "col-sessions", "col-logins-per-s", "col-session-life", "col-replaced"];
    header.push("col-logouts-per-s");
    header.extend(limited.then_some("col-of-limit"));
    let rows = shown(watch).map(|group| row(cat, group, limited)).collect();
    Table { header: header.into_iter().map(|id| cat.word(id)).collect(), rows }
}

/// Single processes are the evidence of their application's verdict, not a line of their own.
fn shown(watch: &WatchResult) -> impl Iterator<Item = &WatchGroup> {
    watch.groups.iter().filter(|group| group.kind != GroupKind::Process).take(MOST_GROUPS)
}

fn row(cat: &Catalogue, group: &WatchGroup, limited: bool) -> Vec<String> {
    let units = cat.units;
    let mark = if group.life_since_start { " *" } else { "" };
    let mut cells = vec![
        name(cat, group),
        verdict(cat, group),
        units.or_absent(group.sessions, |units, n| units.fixed(n, 0)),
        units.or_absent(group.logins_per_s, Units::figure),
        format!("{}{mark}", units.or_absent(group.mean_session_life_s, Units::life)),
        units.or_absent(group.replaced_per_h(), Units::figure),
        units.or_absent(group.logouts_per_s, Units::figure),
    ];
    if limited {
        let share = group.limit.filter(|limit| *limit > 0).zip(group.sessions);
        cells.push(units.or_absent(share.map(|(limit, n)| n / limit as f64), Units::share));
    }
    cells
}

/// The name of a group as a reader sees it.
pub(crate) fn name(cat: &Catalogue, group: &WatchGroup) -> String {
    match group.kind {
        GroupKind::Instance => cat.say("watch-all", &[("server", group.server.as_str().into())]),
        GroupKind::Application | GroupKind::Process => group.name.clone(),
    }
}

/// The verdict on a group in a few words: `does not pool (likely)`.
pub(crate) fn verdict(cat: &Catalogue, group: &WatchGroup) -> String {
    let found = |code: &String| cat.word(&format!("verdict-in-words-{code}"));
    let words = match group.verdict {
        Verdict::Found => group.verdict_codes.iter().map(found).collect::<Vec<_>>().join(", "),
        Verdict::CannotSay => return cat.word("verdict-in-words-cannot-say"),
        Verdict::Healthy => {
            let pattern = group.pattern.map(|pattern| format!("pattern-in-words-{}", pattern.name()));
            return cat.word(pattern.as_deref().unwrap_or("verdict-in-words-healthy"));
        }
    };
    match group.grade {
        Some(grade) => {
            let args = [("words", words.into()), ("grade", cat.word(&format!("grade-{}", grade.name())).into())];
            cat.say("verdict-with-grade", &args)
        }
        None => words,
    }
}

/// What stands below the table.
pub(crate) fn notes(cat: &Catalogue, run: &Run, watch: &WatchResult) -> Vec<String> {
    let units = cat.units;
    let mut notes = Vec::new();
    if let Settings::Watch(settings) = &run.settings {
        let args = [
            ("readings", watch.readings.into()),
            ("interval", units.elapsed(watch.interval_s).into()),
            ("window", units.elapsed(settings.window_s).into()),
        ];
        notes.push(cat.say("watch-length", &args));
    }
    notes.extend(watch.coverage.map(|share| {
        let id = if share < GOOD_COVERAGE { "watch-coverage-low" } else { "watch-coverage" };
        cat.say(id, &[("share", units.share(share).into())])
    }));
    if shown(watch).any(|group| group.life_since_start) {
        notes.push(cat.word("watch-life-since-start"));
    }
    notes.extend(pal_note(cat, watch));
    notes.extend(watch.verdict_at.as_ref().map(|at| cat.say("watch-verdict-at", &[("at", at.as_str().into())])));
    if (watch.time_scale - 1.0).abs() > 1e-9 {
        notes.push(cat.say("watch-scale", &[("scale", units.figure(watch.time_scale).into())]));
    }
    let of = watch.groups.iter().filter(|group| group.kind != GroupKind::Process).count();
    if of > MOST_GROUPS {
        notes.push(cat.say("watch-groups-more", &[("n", (of - MOST_GROUPS).into())]));
    }
    notes
}

/// PAL's rule in one line, of one server or of several.
fn pal_note(cat: &Catalogue, watch: &WatchResult) -> Option<String> {
    let said: Vec<(&WatchGroup, Pal)> = watch.groups.iter().filter_map(|group| Some((group, pal(group)?))).collect();
    let why = cat.word("watch-pal-why");
    if let [(group, pal)] = said.as_slice() {
        let rate = cat.units.or_absent(group.logins_per_s, Units::figure);
        let id = if *pal == Pal::Alarms { "watch-pal-alarms" } else { "watch-pal-silent" };
        return Some(cat.say(id, &[("rate", rate.into()), ("why", why.into())]));
    }
    let alarms = said.iter().filter(|(_, pal)| *pal == Pal::Alarms).count() as u64;
    let args = [("n", alarms.into()), ("of", (said.len() as u64).into()), ("why", why.into())];
    (!said.is_empty()).then(|| cat.say("watch-pal-several", &args))
}

/// What the logins cost, when they and nothing, what is missing, when nothing could be read, what is counted apart.
pub(crate) fn sections(cat: &Catalogue, run: &Run, watch: &WatchResult) -> Vec<Section> {
    let said = |id: &str, lines: Vec<String>| {
        (!lines.is_empty()).then(|| Section { heading: cat.word(id), table: None, lines, tone: Tone::Plain })
    };
    [
        said("page-cost", known_costs(cat, watch)),
        said("head-predictions", predictions::lines(cat, run, watch)),
        said("head-watch-gaps", watch.gaps.iter().filter(|gap| gap.is_hole()).map(|gap| gap_line(cat, gap)).collect()),
        said("head-excluded", watch.excluded.iter().map(|apart| excluded(cat, apart)).collect()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The cost of the logins of each accused group.
pub(crate) fn cost(cat: &Catalogue, watch: &WatchResult) -> Vec<String> {
    let lines = known_costs(cat, watch);
    if lines.is_empty() && accused(watch).next().is_some() {
        return vec![cat.word("watch-cost-unknown")];
    }
    lines
}

fn known_costs(cat: &Catalogue, watch: &WatchResult) -> Vec<String> {
    accused(watch).filter_map(|group| cost_of(cat, group)).collect()
}

fn accused(watch: &WatchResult) -> impl Iterator<Item = &WatchGroup> {
    shown(watch).filter(|group| group.verdict == Verdict::Found)
}

fn cost_of(cat: &Catalogue, group: &WatchGroup) -> Option<String> {
    let cost = group.cost.as_ref()?;
    let progress = cat.units.figure(cost.logins_in_progress?);
    let mut args = vec![("name", name(cat, group).into()), ("progress", progress.into())];
    let (Some(cores), Some(share)) = (cost.server_cores, cost.cpu_share) else {
        return Some(cat.say("watch-cost-progress", &args));
    };
    args.extend([("cores", cat.units.cores(cores).into()), ("share", cat.units.share(share).into())]);
    Some(cat.say("watch-cost", &args))
}

fn gap_line(cat: &Catalogue, gap: &WatchGap) -> String {
    let mut args = vec![
        ("server", gap.server.as_str().into()),
        ("from", gap.from.as_str().into()),
        ("message", gap.message.as_str().into()),
    ];
    match &gap.until {
        Some(until) => {
            args.push(("until", until.as_str().into()));
            cat.say("watch-gap", &args)
        }
        None => cat.say("watch-gap-open", &args),
    }
}

fn excluded(cat: &Catalogue, apart: &ExcludedSessions) -> String {
    let reason = cat.look_up(&format!("excluded-{}", apart.reason), &[]).unwrap_or_else(|| apart.reason.clone());
    let args = [
        ("server", apart.server.as_str().into()),
        ("name", apart.name.as_str().into()),
        ("reason", reason.into()),
        ("n", apart.sessions.into()),
    ];
    cat.say("watch-excluded", &args)
}

/// What was asked, for the first screen of the page.
pub(crate) fn asked(cat: &Catalogue, run: &Run) -> Vec<String> {
    let Settings::Watch(settings) = &run.settings else { return Vec::new() };
    vec![match &settings.replayed {
        Some(file) => cat.say("asked-replay", &[("file", file.as_str().into())]),
        None => cat.say("asked-watch", &[("interval", cat.units.elapsed(settings.interval_s).into())]),
    }]
}
