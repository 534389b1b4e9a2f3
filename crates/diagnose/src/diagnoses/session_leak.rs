//! `session-leak`: sessions that nobody gives back, or that end without a goodbye long after their client.
//!
//! More sessions in the morning are no leak: those of a leak rest for ever.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::view::US_PER_S;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "session-leak";

/// Share of the ends without a goodbye that is told.
const ABANDONED: f64 = 0.2;

/// Seconds in an hour.
const HOUR_S: f64 = 3600.0;

/// A limit that is reached within a day is urgent.
const SOON_S: f64 = 24.0 * HOUR_S;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("session_leak.md"),
    page_es: include_str!("session_leak.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |_| true, found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    let abandoned = f.abandoned.filter(|share| *share >= ABANDONED);
    let draft = match abandoned {
        Some(_) => at.found(CODE, "abandoned", Severity::Warning),
        None => at.found(CODE, "grows", severity(at)),
    };
    draft
        .share("growth_per_h", f.growth_per_h.filter(|_| abandoned.is_none()).map(|growth| growth.min(1.0)))
        .share("kept_idle", f.kept_idle.filter(|_| abandoned.is_none()))
        .us("full_in_us", full_in_s(at).filter(|_| abandoned.is_none()).map(|s| s * US_PER_S))
        .share("abandoned", abandoned)
        .us("idle_us", at.real_us(f.idle_at_logout_p50_s).filter(|_| abandoned.is_some()))
        .see(at.see("statistics/growth_per_h", f.growth_per_h.map(Param::Ratio)))
        .see(at.see("statistics/logouts", Some(Param::Ratio(f.logouts))))
        .see(at.see("statistics/kept_idle", f.kept_idle.map(Param::Share)))
        .see(at.see("statistics/abandoned", f.abandoned.map(Param::Share)))
}

/// When the sessions reach the limit, at the growth so far.
fn full_in_s(at: &Watched<'_>) -> Option<f64> {
    let (open, limit) = (at.group.sessions?, at.group.limit? as f64);
    let per_s = at.group.statistics.growth_per_h? * open / HOUR_S * at.watch.time_scale;
    (per_s > 0.0 && limit > open).then(|| (limit - open) / per_s)
}

fn severity(at: &Watched<'_>) -> Severity {
    if full_in_s(at).is_some_and(|s| s <= SOON_S) { Severity::Critical } else { Severity::Warning }
}
