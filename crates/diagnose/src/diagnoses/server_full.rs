//! `server-full`: the server had no session left for some logins, or already for the one made alone before the load.
//!
//! A limit of the account, role or database is not a full server: nobody else's sessions are in the way. It is a variant
//! of its own, and both are said when both occurred.

use peaje_model::{Evidence, Finding, OutcomeKind, Param, Run, Severity};

use crate::Diagnosis;
use crate::account_limit::{AccountLimit, of_outcome, stopped_at_account_limit};
use crate::draft::{Draft, saw_count, saw_text};
use crate::engine;
use crate::series::At;
use crate::view::{all, fact, labels, ratio};

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
        return first_login(run).alone();
    }
    let series = all(run);
    let attempts: u64 = series.iter().map(attempts).sum();
    let (of_account, of_server): (Vec<Refused<'_>>, Vec<Refused<'_>>) =
        series.iter().flat_map(|at| refused(run, *at)).partition(|refused| refused.limit.is_some());
    match (of_account.is_empty() && of_server.is_empty(), attempts) {
        (true, 0) => Draft::not_measured(CODE).alone(),
        (true, _) => {
            let draft = Draft::healthy(CODE, "room").count("attempts", attempts);
            with_limit(run, draft.see(series.iter().filter_map(At::saw_completed))).alone()
        }
        (false, _) => {
            let account = (!of_account.is_empty()).then(|| account_limit(&of_account));
            let server = (!of_server.is_empty()).then(|| with_limits(run, during_load(&of_server)));
            server.into_iter().chain(account).map(Draft::finish).collect()
        }
    }
}

/// The login made alone was turned away: by the server, or by a limit of its account, as the end of the run tells.
fn first_login(run: &Run) -> Draft {
    let saw = saw_text("/login/first_login/outcome", OutcomeKind::ServerFull.name());
    match stopped_at_account_limit(run) {
        Some(limit) => with_account(Draft::found(CODE, "account-limit-first", Severity::Critical), &limit).see(saw),
        None => with_limits(run, Draft::found(CODE, "first-login", Severity::Critical).see(saw)),
    }
}

/// Operations of a series that were turned away in the same way.
struct Refused<'r> {
    at: At<'r>,
    index: usize,
    count: u64,
    code: Option<String>,
    limit: Option<AccountLimit>,
}

fn refused<'r>(run: &Run, at: At<'r>) -> Vec<Refused<'r>> {
    let full = at.outcomes.iter().enumerate().filter(|(_, o)| o.kind == OutcomeKind::ServerFull && o.count > 0);
    full.map(|(index, outcome)| Refused {
        at,
        index,
        count: outcome.count,
        code: outcome.code.clone(),
        limit: of_outcome(run, outcome),
    })
    .collect()
}

/// Operations that were tried to the end.
fn attempts(at: &At<'_>) -> u64 {
    at.counts.completed + at.counts.failed
}

fn during_load(refused: &[Refused<'_>]) -> Draft {
    let one_at_a_time = refused.iter().all(|refused| refused.at.settings.concurrency <= 1);
    let draft = figures(Draft::found(CODE, "during-load", Severity::Warning), refused);
    if one_at_a_time { draft.text("alone", "yes") } else { draft }
}

fn account_limit(refused: &[Refused<'_>]) -> Draft {
    let draft = figures(Draft::found(CODE, "account-limit", Severity::Warning), refused);
    match refused.iter().find_map(|refused| refused.limit.as_ref()) {
        Some(limit) => with_account(draft, limit),
        None => draft,
    }
}

fn with_account(draft: Draft, limit: &AccountLimit) -> Draft {
    draft.text("resource", limit.resource.as_str()).text("owner", limit.owner.name())
}

/// How many were turned away, of how many, and where.
fn figures(draft: Draft, refused: &[Refused<'_>]) -> Draft {
    // Outcomes of one series stand together.
    let mut series: Vec<At<'_>> = refused.iter().map(|refused| refused.at).collect();
    series.dedup_by_key(|at| at.path(""));
    let count: u64 = refused.iter().map(|refused| refused.count).sum();
    let attempts: u64 = series.iter().map(attempts).sum();
    let saw_count_of =
        |refused: &Refused<'_>| saw_count(refused.at.path(&format!("outcomes/{}/count", refused.index)), refused.count);
    draft
        .count("refused", count)
        .count("attempts", attempts)
        .share("share", ratio(count as f64, attempts as f64))
        .count("concurrency", series.iter().map(|at| at.settings.concurrency).max().map(u64::from))
        .text("series", labels(&series))
        .maybe("code", refused.iter().find_map(|refused| refused.code.clone()).map(Param::Text))
        .see(refused.iter().filter_map(saw_count_of))
        .see(series.iter().filter_map(At::saw_completed))
        .see(series.iter().filter_map(|at| saw_count(at.path("counts/failed"), at.counts.failed)))
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
