//! `rsa-key-dominates`: whether an RSA server key is what makes TLS expensive, and what ECDSA P-256 would save.
//!
//! The saving is an *estimate* and always "up to": one signature is not measured apart. A model gives its order of
//! magnitude; what was measured (server CPU with TLS minus without, else the TLS phase without its round trips) caps it.

use peaje_model::{Evidence, Finding, Mode, Param, Phase, Run, Severity};

use crate::Diagnosis;
use crate::draft::{Draft, saw, saw_text, saw_us};
use crate::series::At;
use crate::view::{NEEDED, US_PER_S, candidates, rate_bound, without_tls};

const CODE: &str = "rsa-key-dominates";

/// Server CPU of one RSA-2048 signature, microseconds. Order of magnitude from `openssl speed rsa2048` on recent x86-64
/// servers (about 1,000 signatures per second and core), not from this run.
const RSA_2048_US: f64 = 1000.0;

/// Server CPU of one ECDSA P-256 signature, microseconds (`openssl speed ecdsap256`: about 30,000 per second and core).
const ECDSA_P256_US: f64 = 30.0;

/// Share of its base from which a saving is worth a new certificate.
const SHARE: f64 = 0.1;

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("rsa_key_dominates.md"),
    page_es: include_str!("rsa_key_dominates.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    let Some(at) = candidates(run).into_iter().find(At::has_tls) else {
        return Draft::cannot_say(CODE, "no-tls").alone();
    };
    let Some((i, seen)) = at.usual_full_handshake() else {
        let draft = Draft::healthy(CODE, "resumed").text("series", at.label.as_str()).count("logins", at.logins);
        return draft.see(at.saw_logins()).alone();
    };
    let Some(key) = seen.server_key.as_deref().filter(|key| *key != "other") else {
        return Draft::cannot_say(CODE, "key-unknown").text("series", at.label.as_str()).alone();
    };
    let saw_key = saw_text(at.path(&format!("tls_seen/{i}/server_key")), key);
    match rsa_bits(key) {
        Some(bits) => rsa(run, at, key, bits).see(saw_key).alone(),
        None => Draft::healthy(CODE, "ecdsa")
            .text("series", at.label.as_str())
            .text("key", key)
            .count("logins", at.logins)
            .see(saw_key)
            .see(at.saw_logins())
            .alone(),
    }
}

/// The size in `RSA-2048`; `None` for another kind of key.
fn rsa_bits(key: &str) -> Option<u64> {
    key.strip_prefix("RSA-")?.parse().ok()
}

/// Server CPU of one RSA signature: it grows with the third power of the key's length (modular exponentiation).
fn rsa_model_us(bits: u64) -> f64 {
    RSA_2048_US * (bits as f64 / 2048.0).powi(3)
}

/// What a saving is held against: it may not exceed `cap_us`, and is a share of `base_us`.
struct Basis<'r> {
    variant: &'static str,
    cap_us: f64,
    base_us: f64,
    off: Option<At<'r>>,
}

/// Server CPU when both series have it, else the wall time of the TLS phase, less its
/// round trips, within the login.
fn basis<'r>(run: &'r Run, at: At<'r>) -> Option<Basis<'r>> {
    let off = without_tls(run, at.mode).filter(|_| at.mode == Mode::Unpooled);
    let with_tls = at.server_cpu_us();
    if let (Some(off), Some(with_tls)) = (off, with_tls)
        && let Some(without) = off.server_cpu_us()
        && off.logins >= NEEDED
    {
        let cap_us = (with_tls - without).max(0.0);
        return Some(Basis { variant: "cpu-difference", cap_us, base_us: with_tls, off: Some(off) });
    }
    let tls = at.phases_us.get(&Phase::Tls)?;
    let rtt_us = run.login.as_ref().and_then(|login| login.rtt_us).unwrap_or(0.0);
    let cap_us = (tls.mean? - rtt_us * tls.round_trips.unwrap_or(0.0)).max(0.0);
    Some(Basis { variant: "tls-phase", cap_us, base_us: at.mean_login()?, off: None })
}

fn rsa(run: &Run, at: At<'_>, key: &str, bits: u64) -> Draft {
    let Some(basis) = basis(run, at).filter(|basis| at.logins >= NEEDED && basis.base_us > 0.0) else {
        return Draft::too_few_logins(CODE, at.logins, NEEDED).see(at.saw_logins());
    };
    let model_us = rsa_model_us(bits);
    let saving_us = (model_us - ECDSA_P256_US).clamp(0.0, basis.cap_us);
    let share = saving_us / basis.base_us;
    let cores = at.logins_per_s().filter(|_| basis.off.is_some()).map(|rate| saving_us * rate / US_PER_S);
    let draft = if share >= SHARE {
        let severity = if share >= 0.25 { Severity::Warning } else { Severity::Info };
        Draft::found(CODE, basis.variant, severity)
    } else {
        Draft::healthy(CODE, "rsa-small")
    };
    let draft = draft
        .text("series", at.label.as_str())
        .count("logins", at.logins)
        .text("key", key)
        .count("bits", bits)
        .us("saving_us", saving_us)
        .share("saving_share", share)
        .us("base_us", basis.base_us)
        .us("model_us", model_us)
        .us("cap_us", basis.cap_us)
        .cores("saving_cores", cores)
        .text("rate_bound", rate_bound(&[at]))
        .see(at.saw_logins_per_s());
    match basis.off {
        Some(off) => draft.see(at.saw_server_cpu()).see(off.saw_server_cpu()),
        None => draft.see(at.saw_phases()).see(saw_handshake_distance(run, at)),
    }
}

/// The round trips that were taken off the TLS phase, as evidence.
fn saw_handshake_distance(run: &Run, at: At<'_>) -> Vec<Evidence> {
    let rtt = saw_us("/login/rtt_us", run.login.as_ref().and_then(|login| login.rtt_us));
    let round_trips = at.phases_us.get(&Phase::Tls).and_then(|phase| phase.round_trips);
    let trips = saw(at.path("phases_us/tls/round_trips"), round_trips.map(Param::Ratio));
    rtt.into_iter().chain(trips).collect()
}
