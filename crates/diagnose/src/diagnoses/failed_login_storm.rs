//! `failed-login-storm`: logins that fail for minutes, or many more than usual.
//!
//! A failed login costs the server a TLS handshake like any other; a port check is no failure.

use peaje_model::{Finding, Param, Run, Severity};

use crate::Diagnosis;
use crate::draft::Draft;
use crate::watched::{Watched, examine as examine_groups};

const CODE: &str = "failed-login-storm";

/// How long logins fail before it is called a storm by itself, seconds of analysis.
const LASTING_S: f64 = 120.0;

/// Share of the attempts that fail in that time.
const SHARE: f64 = 0.2;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("failed_login_storm.md"),
    page_es: include_str!("failed_login_storm.es.md"),
    examine,
};

/// Silent unless somebody was watched.
fn examine(run: &Run) -> Vec<Finding> {
    examine_groups(run, CODE, |f| f.failed.is_some(), found)
}

fn found(at: &Watched<'_>) -> Draft {
    let f = &at.group.statistics;
    let failed = f.failed.unwrap_or_default();
    let lasting =
        f.failing_for_s.is_some_and(|s| s >= LASTING_S) && f.failing_share.is_some_and(|share| share >= SHARE);
    let refused = failed.limit.filter(|n| *n >= 1.0);
    let severity = if refused.is_some() { Severity::Critical } else { Severity::Warning };
    at.found(CODE, if lasting { "lasting" } else { "unusual" }, severity)
        .count("failed", failed.total.round() as u64)
        .count("credentials", failed.credentials.filter(|n| *n >= 1.0).map(|n| n.round() as u64))
        .count("refused", refused.map(|n| n.round() as u64))
        .us("for_us", at.real_us(f.failing_for_s.filter(|_| lasting)))
        .share("of_attempts", f.failing_share.filter(|_| lasting))
        .count("most", f.most_failed_in_5min.filter(|_| !lasting).map(|n| n.round() as u64))
        .see(at.see("statistics/failed/total", Some(Param::Ratio(failed.total))))
        .see(at.see_s("failing_for_s", f.failing_for_s))
        .see(at.see("statistics/most_failed_in_5min", f.most_failed_in_5min.map(Param::Ratio)))
}
