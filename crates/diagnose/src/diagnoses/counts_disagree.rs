//! `counts-disagree`: the server counted other logins than peaje made, so what was read from the server holds somebody
//! else's work too, or something stands between.
//!
//! Both counts cover the measurement alone, without peaje's observer. Series whose counter could not be read are left
//! out; when none could be read, nothing can be said.

use peaje_model::{Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count, saw_text};
use crate::series::At;
use crate::view::all;

const CODE: &str = "counts-disagree";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("counts_disagree.md"),
    page_es: include_str!("counts_disagree.es.md"),
    examine,
};

/// A series and what the server counted in it.
type Counted<'r> = (At<'r>, u64);

fn examine(run: &Run) -> Vec<Finding> {
    let series = all(run);
    if series.is_empty() {
        return Draft::not_measured(CODE).alone();
    }
    let counted: Vec<Counted<'_>> = series.into_iter().filter_map(|at| Some((at, server_logins(at)?))).collect();
    if counted.is_empty() {
        return Draft::cannot_say(CODE, "unknown").alone();
    }
    let differ: Vec<Counted<'_>> = counted.iter().copied().filter(|(at, server)| at.logins != *server).collect();
    // Of two equal differences the first series is named.
    if let Some(worst) = differ.iter().copied().rev().max_by_key(|(at, server)| at.logins.abs_diff(*server)) {
        return found(worst, differ.len()).alone();
    }
    let logins: u64 = counted.iter().map(|(at, _)| at.logins).sum();
    let draft = Draft::healthy(CODE, "equal").count("logins", logins).count("series_count", counted.len() as u64);
    draft.see(counted.iter().flat_map(saw_both)).alone()
}

fn server_logins(at: At<'_>) -> Option<u64> {
    at.server.as_ref()?.logins
}

fn found((at, server): Counted<'_>, differ: usize) -> Draft {
    let (variant, severity) = if server > at.logins { ("more", Severity::Info) } else { ("fewer", Severity::Warning) };
    let source = at.server.as_ref().map(|server| server.source.clone()).unwrap_or_default();
    Draft::found(CODE, variant, severity)
        .text("series", at.label.as_str())
        .count("server_logins", server)
        .count("client_logins", at.logins)
        .count("difference", at.logins.abs_diff(server))
        .text("source", source.as_str())
        .count("series_count", differ as u64)
        .see(saw_both(&(at, server)))
        .see(saw_text(at.path("server/source"), source))
}

fn saw_both((at, server): &Counted<'_>) -> Vec<peaje_model::Evidence> {
    let server = saw_count(at.path("server/logins"), *server);
    at.saw_logins().into_iter().chain(server).collect()
}
