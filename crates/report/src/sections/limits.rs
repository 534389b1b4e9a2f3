//! What limited the rate, what peaje itself cost, and how much of a login is distance.

use peaje_model::{BoundReason, BoundReasonCode, BoundVerdict, Mode, Run, Series};

use super::series;
use crate::{catalogue::Catalogue, words};

/// Below this round-trip time distance is not worth a sentence, microseconds; also the "near" host of the sentence.
const NEAR_RTT_US: f64 = 500.0;

/// One sentence for each series: server-bound, generator-bound or undecided, with the signs.
pub(super) fn bound(cat: &Catalogue, run: &Run) -> Vec<String> {
    series(run).iter().map(|s| one_bound(cat, s)).collect()
}

fn one_bound(cat: &Catalogue, series: &Series) -> String {
    let id = match (series.bound.verdict, series.mode) {
        (BoundVerdict::Server, _) => "bound-server",
        (BoundVerdict::Undecided, _) => "bound-undecided",
        (BoundVerdict::Generator, Mode::Unpooled) => "bound-generator-logins",
        (BoundVerdict::Generator, Mode::Pooled | Mode::Persistent) => "bound-generator-operations",
    };
    let reasons: Vec<String> = series.bound.reasons.iter().map(|r| reason(cat, r)).collect();
    let reasons = match reasons.as_slice() {
        [] => String::new(),
        some => cat.say("bound-reasons", &[("list", some.join("; ").into())]),
    };
    let rate = cat.units.or_absent(series.throughput_per_s.value, crate::units::Units::figure);
    let label = words::series(cat, series);
    cat.say(id, &[("label", label.into()), ("rate", rate.into()), ("reasons", reasons.into())])
}

fn reason(cat: &Catalogue, reason: &BoundReason) -> String {
    let show = |value: f64| match reason.code {
        BoundReasonCode::Lag => cat.units.time(value),
        BoundReasonCode::NoLocalPort | BoundReasonCode::ListenOverflows => cat.units.fixed(value, 0),
        _ => cat.units.share(value),
    };
    let args = [("value", show(reason.value).into()), ("limit", show(reason.limit).into())];
    cat.say(&format!("reason-{}", words::reason_name(reason.code)), &args)
}

/// Client CPU per login, and that a driver's may be higher.
pub(super) fn client_cpu(cat: &Catalogue, run: &Run) -> Vec<String> {
    let mut lines: Vec<String> = series(run).iter().filter_map(|s| one_client(cat, s)).collect();
    if !lines.is_empty() {
        lines.push(cat.word("client-note"));
    }
    lines
}

fn one_client(cat: &Catalogue, series: &Series) -> Option<String> {
    let cpu = cat.units.time(series.client_cpu_us_per_login?);
    let label = words::series(cat, series);
    Some(match series.client_crypto_us_per_login.filter(|us| *us > 0.0) {
        Some(crypto) => {
            let crypto = cat.units.time(crypto);
            cat.say("client-cpu-crypto", &[("label", label.into()), ("cpu", cpu.into()), ("crypto", crypto.into())])
        }
        None => cat.say("client-cpu", &[("label", label.into()), ("cpu", cpu.into())]),
    })
}

/// "Of 210 ms, 170 ms is distance", for each series that logs in, when a round trip takes 0.5 ms or more.
pub(super) fn distance(cat: &Catalogue, run: &Run) -> Vec<String> {
    let rtt = run.login.as_ref().and_then(|login| login.rtt_us);
    series(run).iter().filter_map(|s| one_distance(cat, s, s.rtt_us.or(rtt)?)).collect()
}

fn one_distance(cat: &Catalogue, series: &Series, rtt_us: f64) -> Option<String> {
    let total: f64 = series.phases_us.values().filter_map(|p| p.mean).sum();
    let trips: f64 = series.phases_us.values().filter_map(|p| p.round_trips).sum();
    if series.mode != Mode::Unpooled || rtt_us < NEAR_RTT_US || total <= 0.0 || trips <= 0.0 {
        return None;
    }
    // Round trips overlap the server's work now and then; more distance than the whole would be nonsense.
    let distance = (trips * rtt_us).min(total);
    let near = (total - trips * (rtt_us - NEAR_RTT_US)).max(trips * NEAR_RTT_US).min(total);
    let args = [
        ("label", words::series(cat, series).into()),
        ("total", cat.units.time(total).into()),
        ("distance", cat.units.time(distance).into()),
        ("trips", cat.units.ratio(trips).into()),
        ("rtt", cat.units.time(rtt_us).into()),
        ("near", cat.units.time(near).into()),
    ];
    Some(cat.say("distance", &args))
}
