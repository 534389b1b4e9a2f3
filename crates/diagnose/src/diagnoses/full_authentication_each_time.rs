//! `full-authentication-each-time`: MySQL's `caching_sha2_password` proves a password cheaply once the server knows it,
//! and here the server never does.
//!
//! A newcomer would blame the client. peaje always offers the proof that the fast path needs; it is the server (or the
//! proxy that answers in its place) that asks for the password itself. A user's driver may miss the fast path on its own
//! all the same.

use peaje_model::{Finding, Phase, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count, saw_text, saw_us};
use crate::engine;
use crate::series::At;
use crate::view::{NEEDED, candidates, ratio};

const CODE: &str = "full-authentication-each-time";

const FAST: &str = "caching-sha2-password-fast";
const FULL: &str = "caching-sha2-password-full";
const SHA256: &str = "sha256-password";

/// Share of full authentications from which the fast path is said not to be taken.
const MANY: f64 = 0.5;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("full_authentication_each_time.md"),
    page_es: include_str!("full_authentication_each_time.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    if !engine::is_mysql(run) {
        return Vec::new();
    }
    let series = candidates(run);
    let known = series.iter().find(|at| logins(at) > 0);
    match (known, series.iter().find(|at| at.logins > 0)) {
        (Some(at), _) => judge(run, *at).alone(),
        (None, Some(at)) => Draft::cannot_say(CODE, "auth-unknown").text("series", at.label.as_str()).alone(),
        (None, None) => Draft::not_measured(CODE).alone(),
    }
}

/// Logins whose authentication is known.
fn logins(at: &At<'_>) -> u64 {
    at.auth_seen.iter().map(|auth| auth.count).sum()
}

fn judge(run: &Run, at: At<'_>) -> Draft {
    let of = |method: &str| at.auth_seen.iter().filter(|auth| auth.method == method).map(|auth| auth.count).sum();
    let (fast, full, sha256): (u64, u64, u64) = (of(FAST), of(FULL), of(SHA256));
    let logins = logins(&at);
    let proved = fast + full + sha256;
    if 2 * proved < logins || proved == 0 {
        return other_method(at);
    }
    // The server knows no password when it starts, and logins that are under way together all find it so.
    let needed = NEEDED.max(2 * u64::from(at.settings.concurrency));
    if proved < needed {
        return Draft::too_few_logins(CODE, proved, needed).see(saw_counts(at));
    }
    let share = ratio((full + sha256) as f64, proved as f64).unwrap_or(0.0);
    let draft = match () {
        () if share < MANY => Draft::healthy(CODE, "fast"),
        () if sha256 > full => Draft::found(CODE, "sha256-password", Severity::Warning),
        () if fast == 0 => Draft::found(CODE, "never-fast", Severity::Warning),
        () => Draft::found(CODE, "rarely-fast", Severity::Warning),
    };
    let (authenticate_us, login_us) = (at.phase(Phase::Authenticate), at.until_ready());
    draft
        .text("series", at.label.as_str())
        .count("logins", proved)
        .count("fast", fast)
        .count("full", full + sha256)
        .share("full_share", share)
        .text("channel", channel(run, at))
        .us("authenticate_us", authenticate_us)
        .us("login_us", login_us)
        .share("authenticate_share", authenticate_us.zip(login_us).and_then(|(part, all)| ratio(part, all)))
        .see(saw_counts(at))
        .see(saw_us(at.path("phases_us/authenticate/mean"), authenticate_us))
}

/// On which way the password itself travels: it must not be seen on it.
fn channel(run: &Run, at: At<'_>) -> &'static str {
    match () {
        () if at.has_tls() => "tls",
        () if engine::is_socket(run) => "socket",
        () => "rsa",
    }
}

fn other_method(at: At<'_>) -> Draft {
    let usual = at.auth_seen.iter().enumerate().max_by_key(|(_, auth)| auth.count);
    let draft = Draft::healthy(CODE, "other-method").text("series", at.label.as_str());
    match usual {
        Some((i, auth)) => {
            let saw = saw_text(at.path(&format!("auth_seen/{i}/method")), auth.method.as_str());
            draft.text("method", auth.method.as_str()).see(saw)
        }
        None => draft,
    }
}

fn saw_counts(at: At<'_>) -> Vec<peaje_model::Evidence> {
    let seen = at.auth_seen.iter().enumerate();
    let saw = |(i, auth): (usize, &peaje_model::AuthSeen)| {
        let method = saw_text(at.path(&format!("auth_seen/{i}/method")), auth.method.as_str());
        method.into_iter().chain(saw_count(at.path(&format!("auth_seen/{i}/count")), auth.count))
    };
    seen.flat_map(saw).collect()
}
