//! A run as diagnoses look at it: which series to compare, how many logins are enough, what is more than chance.

use peaje_model::{Evidence, FactValue, Mode, Param, Run, Severity, TlsMode};
use peaje_stats::Distribution;

use crate::draft::saw;
use crate::series::At;

/// Microseconds in a second.
pub(crate) const US_PER_S: f64 = 1e6;

/// Logins that a mean needs behind it.
pub(crate) const NEEDED: u64 = 20;

/// Logins that suffice when the effect is larger than [`LARGE_EFFECT`].
const NEEDED_WHEN_LARGE: u64 = 5;

/// An effect that few logins can show.
const LARGE_EFFECT: f64 = 3.0;

/// Ratio of two means that counts when the rates have no interval (the series were too short to give one).
const RATIO_WITHOUT_INTERVAL: f64 = 1.5;

/// Ratio of two means that counts although the intervals of the rates touch: a very short series has a wide one.
const RATIO_BEYOND_INTERVALS: f64 = 3.0;

/// Operations of each series from which intervals are compared; with fewer, the ratio decides.
const FOR_INTERVALS: u64 = 100;

/// How much wider an interval is taken than for independent values: successive operations resemble each other.
const DEPENDENCE: f64 = 2.0;

/// TLS settings in the order in which a series is preferred when one must stand for the user's own logins.
const PREFERRED_TLS: [TlsMode; 4] = [TlsMode::AsUrl, TlsMode::Full, TlsMode::Off, TlsMode::Resumed];

/// Whether `logins` can carry a claim about an effect of this size.
pub(crate) fn enough(logins: u64, effect: f64) -> bool {
    logins >= NEEDED || (logins >= NEEDED_WHEN_LARGE && effect > LARGE_EFFECT)
}

/// All series of a run.
pub(crate) fn all(run: &Run) -> Vec<At<'_>> {
    let series = run.login.iter().flat_map(|login| login.series.iter());
    series.enumerate().map(|(index, series)| At::new(index, series)).collect()
}

/// The series of a mode and a TLS setting.
pub(crate) fn find(run: &Run, mode: Mode, tls: TlsMode) -> Option<At<'_>> {
    all(run).into_iter().find(|at| at.mode == mode && at.tls == tls)
}

/// The series without TLS and the one with full handshakes of a mode.
pub(crate) fn tls_pair(run: &Run, mode: Mode) -> Option<(At<'_>, At<'_>)> {
    let with_tls = find(run, mode, TlsMode::Full).or_else(|| find(run, mode, TlsMode::AsUrl).filter(At::has_tls));
    Some((without_tls(run, mode)?, with_tls?))
}

/// The series without TLS of a mode; `None` when its logins were encrypted all the same, as SQL Server's are when only
/// the rest of the session goes in clear.
pub(crate) fn without_tls(run: &Run, mode: Mode) -> Option<At<'_>> {
    find(run, mode, TlsMode::Off).filter(|at| !at.has_tls())
}

/// The series that stands for the user's logins: unpooled before persistent before pooled, TLS as in [`PREFERRED_TLS`];
/// it must have timed phases.
pub(crate) fn principal(run: &Run) -> Option<At<'_>> {
    candidates(run).into_iter().find(|at| at.mean_login().is_some())
}

/// All series in the order in which they are preferred to stand for the user's logins.
pub(crate) fn candidates(run: &Run) -> Vec<At<'_>> {
    let modes = [Mode::Unpooled, Mode::Persistent, Mode::Pooled];
    let wanted = modes.into_iter().flat_map(|mode| PREFERRED_TLS.map(|tls| (mode, tls)));
    wanted.filter_map(|(mode, tls)| find(run, mode, tls)).collect()
}

/// `measured`, or `lower-bound` when one of these series was limited by peaje itself.
pub(crate) fn rate_bound(series: &[At<'_>]) -> &'static str {
    if series.iter().any(At::is_generator_bound) { "lower-bound" } else { "measured" }
}

/// Whether two series differ by more than chance: the 95 % intervals of their rates, or those of their mean service
/// times, do not touch; or the means differ so much that no interval is needed. The rate of an open loop is offered and
/// says nothing; over two slices its interval is wide. Below [`FOR_INTERVALS`] operations the ratio alone decides.
pub(crate) fn outside_noise(faster: At<'_>, slower: At<'_>, ratio: f64) -> bool {
    if !enough_for_intervals(faster, slower) {
        return ratio >= RATIO_WITHOUT_INTERVAL;
    }
    let closed = faster.is_closed_loop() && slower.is_closed_loop();
    let rates = faster.throughput_per_s.low.zip(slower.throughput_per_s.high).filter(|_| closed);
    let rates_apart = rates.map(|(low, high)| low > high);
    let times = service_interval(faster).zip(service_interval(slower));
    let times_apart = times.map(|((_, fast_high), (slow_low, _))| slow_low > fast_high);
    match (rates_apart, times_apart) {
        (None, None) => ratio >= RATIO_WITHOUT_INTERVAL,
        (rates, times) => rates == Some(true) || times == Some(true) || ratio >= RATIO_BEYOND_INTERVALS,
    }
}

/// A difference seen in few operations is worth knowing, and no more.
pub(crate) fn at_most_info(one: At<'_>, other: At<'_>, severity: Severity) -> Severity {
    if enough_for_intervals(one, other) { severity } else { Severity::Info }
}

fn enough_for_intervals(one: At<'_>, other: At<'_>) -> bool {
    one.counts.completed.min(other.counts.completed) >= FOR_INTERVALS
}

/// 95 % interval of the mean service time, nanoseconds, widened by [`DEPENDENCE`]; `None` without a readable histogram
/// of [`FOR_INTERVALS`] operations.
fn service_interval(at: At<'_>) -> Option<(f64, f64)> {
    let times = Distribution::from_base64(at.histograms.get("service")?).ok()?;
    let (low, high) = times.mean_interval_ns().filter(|_| times.count() >= FOR_INTERVALS)?;
    let (middle, half) = (f64::midpoint(low, high), (high - low) / 2.0);
    Some((middle - half * DEPENDENCE, middle + half * DEPENDENCE))
}

/// The ends of the two intervals that were compared, as evidence.
pub(crate) fn saw_intervals(faster: At<'_>, slower: At<'_>) -> Vec<Evidence> {
    let low = saw(faster.path("throughput_per_s/low"), faster.throughput_per_s.low.map(Param::PerS));
    let high = saw(slower.path("throughput_per_s/high"), slower.throughput_per_s.high.map(Param::PerS));
    low.into_iter().chain(high).collect()
}

/// A whole number among the facts (`max_connections`), with the evidence for it.
pub(crate) fn fact(run: &Run, name: &str) -> Option<(u64, Evidence)> {
    let (i, fact) = run.facts.iter().enumerate().find(|(_, fact)| fact.name == name)?;
    let path = format!("/facts/{i}/value");
    match &fact.value {
        FactValue::Number(number) if *number >= 0.0 => {
            let number = *number as u64;
            Some((number, Evidence { path, value: Param::Count(number) }))
        }
        FactValue::Text(text) => Some((text.parse().ok()?, Evidence { path, value: Param::Text(text.clone()) })),
        _ => None,
    }
}

/// Labels of series, joined for a sentence.
pub(crate) fn labels(series: &[At<'_>]) -> String {
    series.iter().map(|at| at.label.as_str()).collect::<Vec<_>>().join("; ")
}

/// `a / b`, when that is a number.
pub(crate) fn ratio(a: f64, b: f64) -> Option<f64> {
    (b > 0.0 && a.is_finite()).then(|| a / b)
}
