//! From what was recorded to what stands in the run file.

use std::collections::BTreeMap;
use std::time::Duration;

use peaje_engine::{AuthFacts, Connector, Failure, TlsFacts, Trace};
use peaje_model::{
    Arrival, AuthSeen, FirstLogin, LatencySummary, Mode, OutcomeCount, OutcomeKind, Peak, Phase, PhaseSummary,
    PoolSummary, Series, ServerAccount, TlsSeen, phase_summary,
};
use peaje_stats::{Distribution, peak_rate};

use crate::bound::{Signs, judge};
use crate::context::Context;
use crate::login::{SeriesPlan, Total, throughput};
use crate::recorder::Recorder;
use crate::ticks::TICK;

fn us(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

/// One measured series.
pub(crate) fn series<C: Connector>(plan: &SeriesPlan<C>, total: &Total, context: &Context) -> Series {
    let recorder = &total.recorder;
    let counts = recorder.counts();
    // Failed attempts cost CPU too: beyond a few, a figure for each login would charge it to those that succeeded.
    let failures_are_few = counts.failed * 100 <= counts.completed;
    let logins = (plan.mode == Mode::Unpooled && recorder.logins > 0 && failures_are_few).then_some(recorder.logins);
    Series {
        label: plan.label.clone(),
        mode: plan.mode,
        tls: plan.tls,
        settings: plan.settings.clone(),
        counts,
        logins: recorder.logins,
        redirected: recorder.redirected,
        elapsed_s: total.elapsed.as_secs_f64(),
        throughput_per_s: throughput(total),
        peak_per_s: peak(total),
        latency_us: (&recorder.latency).into(),
        service_us: (&recorder.service).into(),
        lag_us: (&recorder.lag).into(),
        query_us: (&recorder.query).into(),
        phases_us: phases(recorder),
        pool_us: (plan.mode == Mode::Pooled).then(|| pool(recorder)),
        rtt_us: recorder.least_connect.map(us),
        client_cpu_us_per_login: logins.map(|n| us(total.account.client_cpu) / n as f64),
        client_crypto_us_per_login: logins.map(|n| us(recorder.crypto) / n as f64),
        bound: judge(&signs(plan, total, context)),
        server: server(total, context, logins),
        outcomes: outcomes(recorder),
        tls_seen: recorder.tls.iter().map(|(tls, count)| tls_seen(tls, *count)).collect(),
        auth_seen: recorder.auth.iter().map(|(auth, count)| auth_seen(auth, *count)).collect(),
        timeline: recorder.ticks.timeline(),
        network: total.account.network,
        histograms: histograms(plan.mode, recorder),
    }
}

/// Windows in the order of preference, seconds: peaks of other widths do not compare with each other.
const WINDOWS: [f64; 3] = [1.0, 0.1, 0.01];

/// A series shorter than this many windows has no peak that is worth a word.
const FEWEST_WINDOWS: f64 = 3.0;

/// The best of the widest windows of which the series holds a few; none rather than one below the mean rate, which the
/// whole series reached.
fn peak(total: &Total) -> Peak {
    let ticks = total.recorder.ticks.completed_counts();
    best_window(&ticks, total.elapsed.as_secs_f64(), throughput(total).value.unwrap_or(0.0))
}

fn best_window(ticks: &[u64], elapsed_s: f64, mean_per_s: f64) -> Peak {
    let holds_a_few = |window_s: &f64| elapsed_s / window_s >= FEWEST_WINDOWS - 1e-9;
    let window_s = WINDOWS.into_iter().find(holds_a_few).unwrap_or(WINDOWS[2]);
    let enough = holds_a_few(&window_s);
    let best = peak_rate(ticks, TICK.as_secs_f64(), window_s);
    Peak { value: best.filter(|best| enough && *best >= mean_per_s), window_s }
}

fn phases(recorder: &Recorder) -> BTreeMap<Phase, PhaseSummary> {
    let total_ns = recorder.phases.iter().map(|(_, d)| d.sum_ns()).sum();
    recorder
        .phases
        .iter()
        .filter(|(phase, d)| d.sum_ns() > 0 || recorder.round_trips[*phase] > 0)
        .map(|(phase, d)| (phase, phase_summary(d, total_ns, recorder.round_trips[phase])))
        .collect()
}

fn pool(recorder: &Recorder) -> PoolSummary {
    PoolSummary {
        wait: (&recorder.pool.wait).into(),
        query: (&recorder.pool.query).into(),
        give_back: (&recorder.pool.give_back).into(),
    }
}

fn server(total: &Total, context: &Context, logins: Option<u64>) -> Option<ServerAccount> {
    let cpu = server_cpu(total, context);
    let source = match (&context.observer, cpu) {
        (None, None) => return None,
        (Some(observer), None) => observer.source(),
        (Some(observer), Some(_)) => format!("{}, CPU of the server's processes", observer.source()),
        (None, Some(_)) => "CPU of the server's processes".to_owned(),
    };
    if total.slices == 0 {
        return None;
    }
    let completed = total.recorder.counts().completed;
    Some(ServerAccount {
        logins: total.account.logins(),
        sampled_sessions: total.account.samples.sessions,
        sampled_encrypted: total.account.samples.encrypted,
        cpu_us_per_login: cpu.zip(logins).map(|(cpu, n)| us(cpu) / n as f64),
        cpu_us_per_operation: cpu.filter(|_| completed > 0).map(|cpu| us(cpu) / completed as f64),
        cpu_percent: cpu
            .filter(|_| !total.account.between_edges.is_zero())
            .map(|cpu| 100.0 * cpu.as_secs_f64() / total.account.between_edges.as_secs_f64()),
        source,
    })
}

/// Each edge may be wrong by one step: below twenty of them, the error could be more than a tenth.
const FEWEST_STEPS: u32 = 20;

fn server_cpu(total: &Total, context: &Context) -> Option<Duration> {
    total.account.server_cpu.filter(|cpu| *cpu >= context.server_cpu_step * FEWEST_STEPS)
}

fn signs<C>(plan: &SeriesPlan<C>, total: &Total, context: &Context) -> Signs {
    let recorder = &total.recorder;
    let elapsed_s = total.elapsed.as_secs_f64();
    let cores = f64::from(context.host.identity().cores.max(1));
    let share_of = |time: Duration, whole: Duration| {
        if whole.is_zero() { 0.0 } else { time.as_secs_f64() / whole.as_secs_f64() }
    };
    let share = |time| share_of(time, total.elapsed);
    let server_share = |cpu| share_of(cpu, total.account.between_edges) / cores;
    let no_port: u64 =
        recorder.outcomes.iter().filter(|((kind, _), _)| *kind == OutcomeKind::Generator).map(|(_, e)| e.count).sum();
    let counts = recorder.counts();
    Signs {
        elapsed_s,
        completed: counts.completed,
        busiest_thread: share(total.busiest),
        client_share: share(total.account.client_cpu) / cores,
        server_share: server_cpu(total, context).filter(|_| context.local).map(server_share),
        run_delay: total.run_delay.map(share),
        lag_p99_us: recorder.lag.quantile_ns(0.99).map(|ns| ns as f64 / 1e3),
        service_p50_us: recorder.service.quantile_ns(0.5).map(|ns| ns as f64 / 1e3),
        no_local_port: no_port,
        listen_overflows: total.account.network.listen_overflows.filter(|_| context.local).unwrap_or(0),
        workers: plan.settings.concurrency,
        due: (plan.settings.arrival != Arrival::Closed).then_some(counts.scheduled),
        failed_by_server_gone: total.server_gone.then_some(counts.failed),
    }
}

fn outcomes(recorder: &Recorder) -> Vec<OutcomeCount> {
    let mut list: Vec<OutcomeCount> = recorder
        .outcomes
        .iter()
        .map(|((kind, code), ended)| OutcomeCount {
            kind: *kind,
            code: code.clone(),
            count: ended.count,
            message: ended.message.clone(),
            latency_us: LatencySummary::from(&ended.took),
        })
        .collect();
    let aborted = recorder.counts().in_flight;
    if aborted > 0 {
        list.push(OutcomeCount {
            kind: OutcomeKind::Aborted,
            code: None,
            count: aborted,
            message: None,
            latency_us: LatencySummary::default(),
        });
    }
    list
}

fn histograms(mode: Mode, recorder: &Recorder) -> BTreeMap<String, String> {
    let mut named: Vec<(String, &Distribution)> = vec![
        ("latency".to_owned(), &recorder.latency),
        ("service".to_owned(), &recorder.service),
        ("lag".to_owned(), &recorder.lag),
        ("query".to_owned(), &recorder.query),
    ];
    named.extend(recorder.phases.iter().map(|(phase, d)| (format!("phase.{phase}"), d)));
    if mode == Mode::Pooled {
        named.push(("pool.wait".to_owned(), &recorder.pool.wait));
        named.push(("pool.query".to_owned(), &recorder.pool.query));
        named.push(("pool.give_back".to_owned(), &recorder.pool.give_back));
    }
    named.into_iter().filter(|(_, d)| d.sum_ns() > 0).map(|(name, d)| (name, d.to_base64())).collect()
}

/// The library spells versions and suites as its own constants; people know OpenSSL's or the registry's names.
pub(crate) fn tls_seen(tls: &TlsFacts, count: u64) -> TlsSeen {
    let version = match tls.version {
        rustls::ProtocolVersion::TLSv1_2 => "TLSv1.2".to_owned(),
        rustls::ProtocolVersion::TLSv1_3 => "TLSv1.3".to_owned(),
        other => format!("{other:?}"),
    };
    TlsSeen {
        version,
        // TLS13_AES_256_GCM_SHA384 is registered as TLS_AES_256_GCM_SHA384.
        cipher: format!("{:?}", tls.cipher).replacen("TLS13_", "TLS_", 1),
        key_exchange: tls.key_exchange.map(|group| format!("{group:?}")),
        server_key: tls.server_key.map(|key| key.to_string()),
        resumed: tls.resumed,
        scope: tls.scope,
        count,
    }
}

pub(crate) fn auth_seen(auth: &AuthFacts, count: u64) -> AuthSeen {
    AuthSeen { method: auth.method.to_owned(), iterations: auth.iterations, cached: auth.cached, count }
}

/// The login made alone before the load.
pub(crate) fn first_login(trace: &Trace, failure: Option<&Failure>) -> FirstLogin {
    FirstLogin {
        outcome: failure.map_or(OutcomeKind::Ok, |f| f.kind),
        total_us: us(trace.total()),
        phases_us: trace
            .laps()
            .iter()
            .filter(|(phase, lap)| !lap.is_zero() || trace.round_trips()[*phase] > 0)
            .map(|(phase, lap)| (phase, us(*lap)))
            .collect(),
        round_trips: trace.round_trips().iter().map(|(_, n)| n).sum(),
        tls: trace.tls.as_ref().map(|tls| tls_seen(tls, 1)),
        certificate_ends_s: trace.certificate_ends_s,
        auth: trace.auth.as_ref().map(|auth| auth_seen(auth, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_never_below_the_mean_nor_from_a_series_of_few_windows() {
        // seconds, operations in each tick of 10 ms, mean rate; the window and the peak
        let table = [
            (3.0, vec![5; 300], 500.0, 1.0, Some(500.0)),
            (2.9, vec![5; 290], 500.0, 0.1, Some(500.0)),
            (0.3, [vec![1; 20], vec![3; 10]].concat(), 166.0, 0.1, Some(300.0)),
            (0.2, vec![5; 20], 500.0, 0.01, Some(500.0)),
            (0.02, vec![5; 2], 500.0, 0.01, None),
            // both ends are busy, and no window of a second holds them together
            (3.0, [vec![9; 10], vec![0; 280], vec![9; 10]].concat(), 60.0, 1.0, Some(90.0)),
            (3.0, vec![5; 300], 501.0, 1.0, None),
            (1.0, vec![], 0.0, 0.1, None),
        ];
        for (elapsed_s, ticks, mean_per_s, window_s, value) in table {
            let peak = best_window(&ticks, elapsed_s, mean_per_s);
            assert_eq!((peak.window_s, peak.value), (window_s, value), "{elapsed_s} s at {mean_per_s}");
        }
    }
}
