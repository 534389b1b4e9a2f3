//! Where the time goes, and the two clocks that nobody may confuse.

use peaje_model::{Arrival, FirstLogin, Mode, OutcomeKind, Run, Series};

use super::{series, settings};
use crate::{
    catalogue::Catalogue,
    parts::{self, Part},
    words,
};

/// One sentence for each series (the parts of its operation with their means), and the very first login apart.
pub(super) fn lines(cat: &Catalogue, run: &Run) -> Vec<String> {
    let first = run.login.as_ref().and_then(|login| login.first_login.as_ref());
    series(run).iter().map(|s| one_series(cat, s)).chain(first.map(|first| one_login(cat, first))).collect()
}

fn one_series(cat: &Catalogue, series: &Series) -> String {
    let label = words::series(cat, series);
    let parts = parts::of(cat, series);
    let Some(total) = parts::total_us(&parts) else { return cat.say("no-figures", &[("label", label.into())]) };
    let list =
        parts.iter().filter(|part| part.matters()).map(|part| one_part(cat, part)).collect::<Vec<_>>().join(", ");
    let id = match series.mode {
        Mode::Unpooled => "time-of-login",
        Mode::Pooled => "time-of-pooled",
        Mode::Persistent => "time-of-persistent",
    };
    let total = cat.units.time(total);
    let args = [("label", label.into()), ("total", total.into()), ("parts", list.into()), ("n", series.logins.into())];
    cat.say(id, &args)
}

fn one_part(cat: &Catalogue, part: &Part) -> String {
    let (mean, share) = (cat.units.time(part.mean_us), cat.units.share(part.share));
    let letter = part.letter.to_string();
    let name = part.name.as_str();
    let args = [("letter", letter.into()), ("name", name.into()), ("mean", mean.into()), ("share", share.into())];
    cat.say("part-of-time", &args)
}

fn one_login(cat: &Catalogue, first: &FirstLogin) -> String {
    let total = cat.units.time(first.total_us);
    if first.outcome != OutcomeKind::Ok {
        let outcome = words::outcome(cat, first.outcome);
        return cat.say("first-login-failed", &[("total", total.into()), ("outcome", outcome.into())]);
    }
    let phases: Vec<String> = first
        .phases_us
        .iter()
        .filter(|(_, us)| **us > 0.0)
        .map(|(phase, us)| format!("{} {}", words::phase(cat, *phase), cat.units.time(*us)))
        .collect();
    if phases.is_empty() {
        return cat.say("first-login-bare", &[("total", total.into())]);
    }
    cat.say("first-login", &[("total", total.into()), ("parts", phases.join(", ").into())])
}

/// What the columns of the first table mean.
pub(crate) fn table_notes(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut notes = vec![cat.word("note-percentiles")];
    if let Some(rate) = settings(run).arrival.rate_per_s() {
        notes.push(cat.say("note-open-loop", &[("rate", cat.units.figure(rate).into())]));
    }
    notes
}

/// What the two clocks are, and the arithmetic that ties them together in a closed loop.
pub(crate) fn clock_notes(cat: &Catalogue, run: &Run) -> Vec<String> {
    let most = series(run).iter().map(|s| s.settings.concurrency).max().unwrap_or(1);
    let mut notes = vec![cat.say("note-clocks", &[("n", most.into())])];
    notes.extend(series(run).iter().find_map(|s| clock_check(cat, s)));
    notes
}

fn clock_check(cat: &Catalogue, series: &Series) -> Option<String> {
    let mean = series.latency_us.mean?;
    let (workers, done) = (series.settings.concurrency, series.counts.completed);
    if series.settings.arrival != Arrival::Closed || done == 0 {
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
