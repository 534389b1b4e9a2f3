//! Where the time goes, and the two clocks that nobody may confuse.

use peaje_model::{Arrival, FirstLogin, Mode, OutcomeKind, Phase, Run, Series};

use super::{is_reference, offered_per_s, series};
use crate::{
    catalogue::Catalogue,
    parts::{self, Part},
    words,
};

/// One line for each series (its mean operation in parts), the very first login apart, then what the letters mean.
pub(super) fn lines(cat: &Catalogue, run: &Run) -> Vec<String> {
    let first = run.login.as_ref().and_then(|login| login.first_login.as_ref());
    let slices = run.settings.login().map_or(1, |settings| settings.slices);
    let mut lines: Vec<String> = series(run).iter().map(|s| one_series(cat, s, slices)).collect();
    lines.extend(first.map(|first| one_login(cat, first)));
    let notes: Vec<String> = legend(cat, run).into_iter().chain(authenticate_note(cat, run)).collect();
    lines.extend((!notes.is_empty()).then(|| notes.join(" ")));
    lines
}

/// The very first login, when it failed: in a run that completed nothing it stands among what did not work.
pub(super) fn failed_first_login(cat: &Catalogue, run: &Run) -> Option<String> {
    let first = run.login.as_ref()?.first_login.as_ref()?;
    (first.outcome != OutcomeKind::Ok).then(|| one_login(cat, first))
}

fn one_series(cat: &Catalogue, series: &Series, slices: u32) -> String {
    let label = words::series(cat, series);
    let parts = parts::of(cat, series);
    let Some(total) = parts::total_us(&parts) else { return cat.say("no-figures", &[("label", label.into())]) };
    let list = sum(cat, parts.iter().filter(|part| part.matters()).map(|part| (part.letter, part.mean_us)));
    let args = [("label", label.into()), ("total", cat.units.time(total).into()), ("parts", list.into())];
    let said = cat.say("time-of-operation", &args);
    if series.mode != Mode::Pooled {
        return said;
    }
    let args = [("said", said.into()), ("n", series.logins.into()), ("slices", slices.into())];
    cat.say("time-of-pooled", &args)
}

/// `C 1.3 ms + A 61.0 ms`.
fn sum(cat: &Catalogue, parts: impl Iterator<Item = (char, f64)>) -> String {
    parts.map(|(letter, us)| format!("{letter} {}", cat.units.time(us))).collect::<Vec<_>>().join(" + ")
}

fn one_login(cat: &Catalogue, first: &FirstLogin) -> String {
    let total = cat.units.time(first.total_us);
    if first.outcome != OutcomeKind::Ok {
        let outcome = words::outcome(cat, first.outcome);
        return cat.say("first-login-failed", &[("total", total.into()), ("outcome", outcome.into())]);
    }
    let phases = sum(cat, timed_phases(first).map(|(phase, us)| (words::letter(phase), us)));
    if phases.is_empty() {
        return cat.say("first-login-bare", &[("total", total.into())]);
    }
    cat.say("first-login", &[("total", total.into()), ("parts", phases.into())])
}

/// The letters that occur, each once, with their names.
fn legend(cat: &Catalogue, run: &Run) -> Option<String> {
    let mut parts: Vec<Part> = Vec::new();
    // The series with most parts first: then the letters stand in the order in which things happen.
    let mut series: Vec<&Series> = series(run).iter().collect();
    series.sort_by_key(|s| std::cmp::Reverse(parts::of(cat, s).len()));
    for part in series.iter().flat_map(|s| parts::of(cat, s)).filter(Part::matters) {
        if !parts.iter().any(|known| known.letter == part.letter) {
            parts.push(part);
        }
    }
    let mut names: Vec<(char, String)> = parts.into_iter().map(|part| (part.letter, part.name)).collect();
    for phase in first_login_phases(run) {
        let letter = words::letter(phase);
        if !names.iter().any(|(known, _)| *known == letter) {
            names.push((letter, words::phase(cat, phase)));
        }
    }
    let list: Vec<String> = names.iter().map(|(letter, name)| format!("{letter} {name}")).collect();
    (!list.is_empty()).then(|| cat.say("legend", &[("list", list.join(", ").into())]))
}

/// The phases that the line of the very first login names.
fn first_login_phases(run: &Run) -> Vec<Phase> {
    let first = run.login.as_ref().and_then(|login| login.first_login.as_ref());
    let good = first.filter(|first| first.outcome == OutcomeKind::Ok);
    good.map(|first| timed_phases(first).map(|(phase, _)| phase).collect()).unwrap_or_default()
}

fn timed_phases(first: &FirstLogin) -> impl Iterator<Item = (Phase, f64)> + '_ {
    first.phases_us.iter().filter(|(_, us)| **us > 0.0).map(|(phase, us)| (*phase, *us))
}

/// PostgreSQL's answers come in one piece, so two phases cannot be told apart; peaje's own server sends them one by one.
fn authenticate_note(cat: &Catalogue, run: &Run) -> Option<String> {
    let timed = |s: &Series| s.phases_us.get(&Phase::Authenticate).and_then(|p| p.mean).is_some_and(|us| us > 0.0);
    let said = run.target.engine == "postgres" && !is_reference(run) && series(run).iter().any(timed);
    said.then(|| cat.word("note-authenticate"))
}

/// What the columns of the first table mean.
pub(crate) fn table_notes(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut notes = vec![cat.word("note-percentiles")];
    if let Some(rate) = offered_per_s(run) {
        notes.push(cat.say("note-open-loop", &[("rate", cat.units.figure(rate).into())]));
    }
    notes
}

/// What the two clocks are, and the arithmetic that ties them together in a closed loop. It holds only when every
/// operation ended well: failures take workers' time and are not in the mean.
pub(crate) fn clock_notes(cat: &Catalogue, run: &Run) -> Vec<String> {
    let most = series(run).iter().map(|s| s.settings.concurrency).max().unwrap_or(1);
    let mut notes = vec![cat.say("note-clocks", &[("n", most.into())])];
    notes.extend(series(run).iter().find_map(|s| clock_check(cat, s)));
    notes
}

fn clock_check(cat: &Catalogue, series: &Series) -> Option<String> {
    let mean = series.latency_us.mean?;
    let (workers, done) = (series.settings.concurrency, series.counts.completed);
    let counts = series.counts;
    let whole = counts.failed == 0 && counts.in_flight == 0 && counts.skipped == 0;
    if series.settings.arrival != Arrival::Closed || done == 0 || !whole {
        return None;
    }
    let computed = f64::from(workers) * series.elapsed_s * 1e6 / done as f64;
    let args = [
        ("label", words::series(cat, series).into()),
        ("workers", workers.into()),
        ("elapsed", cat.units.elapsed(series.elapsed_s).into()),
        ("operations", done.into()),
        ("computed", cat.units.time(computed).into()),
        ("mean", cat.units.time(mean).into()),
    ];
    Some(cat.say("clock-check", &args))
}
