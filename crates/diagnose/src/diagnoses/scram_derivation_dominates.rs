//! `scram-derivation-dominates`: the client spends most of a login deriving keys from the password (PBKDF2).
//!
//! The run file has one figure for all cryptography of the client. Without TLS it is the derivation; with TLS it holds
//! the handshake too, so a large figure proves nothing there, while a small one clears both. Of the engines here only
//! PostgreSQL asks for SCRAM; where another one did not, nothing is said.

use peaje_model::{AuthSeen, Finding, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count, saw_text, saw_us};
use crate::engine;
use crate::series::At;
use crate::view::{NEEDED, US_PER_S, all, candidates, enough, principal, ratio};

const CODE: &str = "scram-derivation-dominates";

/// Share from which the derivation dominates.
const SHARE: f64 = 0.4;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("scram_derivation_dominates.md"),
    page_es: include_str!("scram_derivation_dominates.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let derives = |at: &At<'_>| at.mean_login().is_some() && usual_auth(at).is_some_and(|(_, auth)| is_derived(auth));
    let series: Vec<At<'_>> = candidates(run).into_iter().filter(derives).collect();
    let without_tls = series.iter().find(|at| !at.has_tls());
    match without_tls.or(series.first()) {
        Some(at) => judge(*at).alone(),
        None if !engine::is_postgres(run) && !all(run).iter().any(asked) => Vec::new(),
        None => nothing_derived(run).alone(),
    }
}

/// How most logins of a series were authenticated, and its place in `auth_seen`.
fn usual_auth<'r>(at: &'r At<'_>) -> Option<(usize, &'r AuthSeen)> {
    at.auth_seen.iter().enumerate().max_by_key(|(_, auth)| auth.count).filter(|(_, auth)| auth.count > 0)
}

fn is_scram(auth: &AuthSeen) -> bool {
    auth.method.starts_with("scram-")
}

/// Whether any login of a series was asked for SCRAM.
fn asked(at: &At<'_>) -> bool {
    at.auth_seen.iter().any(is_scram)
}

/// Whether a key was derived at each login.
fn is_derived(auth: &AuthSeen) -> bool {
    is_scram(auth) && !auth.cached
}

fn nothing_derived(run: &Run) -> Draft {
    let Some(at) = principal(run) else { return Draft::not_measured(CODE) };
    match usual_auth(&at) {
        None => Draft::cannot_say(CODE, "auth-unknown").text("series", at.label.as_str()),
        Some((i, auth)) => {
            let saw = saw_text(at.path(&format!("auth_seen/{i}/method")), auth.method.as_str());
            let variant = if is_scram(auth) { "cached" } else { "not-scram" };
            let draft = Draft::healthy(CODE, variant).text("series", at.label.as_str());
            draft.text("method", auth.method.as_str()).see(saw)
        }
    }
}

fn judge(at: At<'_>) -> Draft {
    let (Some(crypto_us), Some(login_us)) = (at.client_crypto_us_per_login, at.mean_login()) else {
        return Draft::cannot_say(CODE, "cpu-unknown").text("series", at.label.as_str());
    };
    let share = crypto_us / login_us;
    let cpu_share = at.client_cpu_us_per_login.and_then(|cpu| ratio(crypto_us, cpu));
    let limits_client = at.is_generator_bound() && cpu_share.is_some_and(|share| share >= SHARE);
    let large = share >= SHARE || limits_client;
    if !enough(at.logins, 1.0 / (1.0 - share.min(0.99))) {
        return Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins());
    }
    let draft = match (large, at.has_tls()) {
        (true, true) => return mixed(at, crypto_us, share),
        (true, false) if share >= SHARE => Draft::found(CODE, "wall", Severity::Warning),
        (true, false) => Draft::found(CODE, "client-cpu", Severity::Warning),
        (false, true) => Draft::healthy(CODE, "small-with-tls"),
        (false, false) => Draft::healthy(CODE, "small"),
    };
    let draft = draft
        .text("series", at.label.as_str())
        .count("logins", at.logins)
        .us("crypto_us", crypto_us)
        .us("login_us", login_us)
        .share("share", share)
        .us("client_cpu_us", at.client_cpu_us_per_login)
        .share("client_cpu_share", cpu_share)
        .per_s("ceiling_per_s", ratio(US_PER_S, crypto_us))
        .see(at.saw_logins())
        .see(saw_us(at.path("client_crypto_us_per_login"), crypto_us))
        .see(saw_us(at.path("client_cpu_us_per_login"), at.client_cpu_us_per_login))
        .see(at.saw_phases());
    with_iterations(at, draft)
}

fn mixed(at: At<'_>, crypto_us: f64, share: f64) -> Draft {
    Draft::cannot_say(CODE, "mixed-with-tls")
        .text("series", at.label.as_str())
        .us("crypto_us", crypto_us)
        .share("share", share)
        .see(saw_us(at.path("client_crypto_us_per_login"), crypto_us))
}

fn with_iterations(at: At<'_>, draft: Draft) -> Draft {
    match usual_auth(&at).and_then(|(i, auth)| Some((i, u64::from(auth.iterations?)))) {
        Some((i, iterations)) => draft
            .count("iterations", iterations)
            .see(saw_count(at.path(&format!("auth_seen/{i}/iterations")), iterations)),
        None => draft,
    }
}
