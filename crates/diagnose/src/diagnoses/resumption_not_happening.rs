//! `resumption-not-happening`: TLS sessions were to be resumed, and few or none were.
//!
//! Resumption is an offer of the server. PostgreSQL's makes none, so there the answer is known and nothing can be set.
//! When no series asked for resumption, nothing is said.

use peaje_model::{Finding, Param, Run, Severity, TlsMode};

use crate::Diagnosis;
use crate::draft::{Draft, saw, saw_count, saw_text};
use crate::series::At;
use crate::view::{NEEDED, candidates, ratio};

const CODE: &str = "resumption-not-happening";

/// Share of resumed handshakes below which resumption is said not to happen.
const FEW: f64 = 0.5;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("resumption_not_happening.md"),
    page_es: include_str!("resumption_not_happening.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    match candidates(run).into_iter().find(|at| at.tls == TlsMode::Resumed) {
        Some(at) => judge(run, at).alone(),
        None => Vec::new(),
    }
}

fn judge(run: &Run, at: At<'_>) -> Draft {
    let handshakes: u64 = at.tls_seen.iter().map(|seen| seen.count).sum();
    let resumed: u64 = at.tls_seen.iter().filter(|seen| seen.resumed).map(|seen| seen.count).sum();
    let Some(share) = ratio(resumed as f64, handshakes as f64) else {
        return Draft::cannot_say(CODE, "not-seen").text("series", at.label.as_str());
    };
    // Each worker's first handshake has nothing to resume.
    let needed = NEEDED.max(2 * u64::from(at.settings.concurrency));
    if handshakes < needed {
        let draft = Draft::too_few_logins(CODE, handshakes, needed);
        return draft.text("series", at.label.as_str()).see(saw_handshakes(at));
    }
    let product = run.what_answered.as_ref().map(|answer| answer.product.as_str());
    let draft = match product {
        _ if share >= FEW => Draft::healthy(CODE, "resumed"),
        _ if resumed > 0 => Draft::found(CODE, "few", Severity::Warning),
        Some("PostgreSQL") => Draft::found(CODE, "postgresql", Severity::Info),
        _ => Draft::found(CODE, "never", Severity::Warning),
    };
    draft
        .text("series", at.label.as_str())
        .count("handshakes", handshakes)
        .count("resumed", resumed)
        .share("resumed_share", share)
        .maybe("product", product.map(|product| Param::Text(product.to_owned())))
        .see(saw_handshakes(at))
        .see(product.and_then(|product| saw_text("/what_answered/product", product)))
        .see(saw(at.path("tls"), Some(Param::Text(at.tls.name().to_owned()))))
}

fn saw_handshakes(at: At<'_>) -> Vec<peaje_model::Evidence> {
    let counts = at.tls_seen.iter().enumerate();
    counts.filter_map(|(i, seen)| saw_count(at.path(&format!("tls_seen/{i}/count")), seen.count)).collect()
}
