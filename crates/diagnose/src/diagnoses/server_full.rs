//! `server-full`: the server had no session left for some logins, or already for the one made alone before the load.
//!
//! The code tells little of which limit it was: PostgreSQL's `53300` is the same for the server, the database and the
//! role, MySQL's 1040 is the server's alone, and SQL Server's differ from place to place.

use peaje_model::{Evidence, Finding, OutcomeKind, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count, saw_text};
use crate::engine;
use crate::series::At;
use crate::view::{all, fact, labels};

const CODE: &str = "server-full";

/// Sessions of SQL Server when `user connections` is 0.
const SQL_SERVER_MAXIMUM: u64 = 32_767;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("server_full.md"),
    page_es: include_str!("server_full.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let first = run.login.as_ref().and_then(|login| login.first_login.as_ref());
    if first.is_some_and(|first| first.outcome == OutcomeKind::ServerFull) {
        let draft = Draft::found(CODE, "first-login", Severity::Critical);
        let draft = draft.see(saw_text("/login/first_login/outcome", OutcomeKind::ServerFull.name()));
        return with_limits(run, draft).alone();
    }
    let series = all(run);
    let attempts: u64 = series.iter().map(attempts).sum();
    let full: Vec<At<'_>> = series.into_iter().filter(|at| at.outcomes(OutcomeKind::ServerFull) > 0).collect();
    match (full.is_empty(), attempts) {
        (true, 0) => Draft::not_measured(CODE).alone(),
        (true, _) => {
            let draft = Draft::healthy(CODE, "room").count("attempts", attempts);
            with_limit(run, draft.see(all(run).iter().filter_map(At::saw_completed))).alone()
        }
        (false, _) => with_limits(run, during_load(&full)).alone(),
    }
}

/// Operations that were tried to the end.
fn attempts(at: &At<'_>) -> u64 {
    at.counts.completed + at.counts.failed
}

fn during_load(full: &[At<'_>]) -> Draft {
    let refused: u64 = full.iter().map(|at| at.outcomes(OutcomeKind::ServerFull)).sum();
    let attempts: u64 = full.iter().map(attempts).sum();
    let concurrency = full.iter().map(|at| at.settings.concurrency).max().map(u64::from);
    let outcomes = full.iter().flat_map(|at| at.outcomes.iter());
    let code =
        outcomes.filter(|outcome| outcome.kind == OutcomeKind::ServerFull).find_map(|outcome| outcome.code.clone());
    let draft = Draft::found(CODE, "during-load", Severity::Warning)
        .count("refused", refused)
        .count("attempts", attempts)
        .share("share", crate::view::ratio(refused as f64, attempts as f64))
        .count("concurrency", concurrency)
        .text("series", labels(full))
        .see(full.iter().flat_map(|at| at.saw_outcomes(OutcomeKind::ServerFull)))
        .see(full.iter().filter_map(At::saw_completed))
        .see(full.iter().filter_map(|at| saw_count(at.path("counts/failed"), at.counts.failed)));
    draft.maybe("code", code.map(peaje_model::Param::Text))
}

fn with_limit(run: &Run, draft: Draft) -> Draft {
    match limit(run) {
        Some((limit, evidence)) => draft.count("limit", limit).see([evidence]),
        None => draft,
    }
}

/// Sessions the server allows. SQL Server's setting is 0 unless somebody chose a number, and means its maximum then.
fn limit(run: &Run) -> Option<(u64, Evidence)> {
    if !engine::is_sqlserver(run) {
        return fact(run, "max_connections");
    }
    let (limit, evidence) = fact(run, "user_connections")?;
    Some((if limit == 0 { SQL_SERVER_MAXIMUM } else { limit }, evidence))
}

fn with_limits(run: &Run, draft: Draft) -> Draft {
    let draft = with_limit(run, draft);
    match fact(run, "superuser_reserved_connections") {
        Some((reserved, evidence)) => draft.count("reserved", reserved).see([evidence]),
        None => draft,
    }
}
