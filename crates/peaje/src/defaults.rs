//! From what was typed to settings: what was left out is decided by whose server it is.
//!
//! A server that peaje started gets a load by default. Anybody else's gets 20 logins, one after the other.

use std::time::Duration;

use peaje_model::{Arrival, LoginSettings, Mode, PoolSettings, TargetKind, TlsMode, WarmUp};

use crate::args::{ArrivalArg, LoginArgs, WarmUpArg};

/// Workers of a default load on servers that peaje started.
const OWN_CONCURRENCY: u32 = 50;
/// Logins of a default measurement on anybody else's server.
const POLITE_LOGINS: u64 = 20;
/// Length of a series when neither a count nor a time was given.
const DEFAULT_DURATION: Duration = Duration::from_secs(10);
const EMBEDDED_DURATION: Duration = Duration::from_secs(2);
const THROWAWAY_DURATION: Duration = Duration::from_secs(3);

/// What is known of the surroundings when defaults are chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) kind: TargetKind,
    /// Whether the server shares this machine's cores.
    pub(crate) local: bool,
    pub(crate) cores: u32,
    /// Whether the connection string itself says something about TLS.
    pub(crate) url_sets_tls: bool,
}

/// Settings for `peaje login`.
pub(crate) fn settings(args: &LoginArgs, known: Known) -> LoginSettings {
    let load = &args.load;
    let no_load_option = load.concurrency.is_none()
        && load.iterations.is_none()
        && load.logins.is_none()
        && load.duration.is_none()
        && load.rate.is_none();
    let own = known.kind != TargetKind::User;
    let polite = no_load_option && !own;
    let concurrency = load.concurrency.unwrap_or(match () {
        () if own || load.rate.is_some() => OWN_CONCURRENCY,
        () => 1,
    });
    let operations = load.logins.or(polite.then_some(POLITE_LOGINS));
    let counted = load.iterations.is_some() || operations.is_some();
    let duration = load.duration.or_else(|| (!counted).then(|| default_duration(known.kind, no_load_option)));
    let modes = or_default(&load.mode, if own { &[Mode::Unpooled, Mode::Pooled] } else { &[Mode::Unpooled] });
    let tls = or_default(&load.tls, if own { &[TlsMode::Off, TlsMode::Full] } else { &[TlsMode::AsUrl] });
    let series = modes.len() * tls.len();
    LoginSettings {
        tls_overrides_url: !load.tls.is_empty() && known.url_sets_tls && tls.iter().any(|t| *t != TlsMode::AsUrl),
        arrival: arrival(args),
        concurrency,
        iterations: load.iterations,
        operations,
        duration_s: duration.map(|d| d.as_secs_f64()),
        warm_up: warm_up(load.warm_up, counted, duration),
        slices: load.slices.unwrap_or(if series > 1 { 2 } else { 1 }),
        threads: load.threads.unwrap_or_else(|| threads(known)).min(concurrency),
        source_addresses: load.source_addresses.unwrap_or(source_addresses(known.kind)),
        query: args.session.query.trim().to_owned(),
        close: args.session.close.into(),
        scram_cache: args.session.scram_cache.into(),
        resolve: args.session.resolve.into(),
        pool: PoolSettings {
            min: load.pool_min,
            max: load.pool_max.unwrap_or(concurrency),
            idle_timeout_s: load.pool_idle_timeout.map(|d| d.as_secs_f64()),
            lifetime_s: load.pool_lifetime.map(|d| d.as_secs_f64()),
        },
        login_timeout_s: args.session.login_timeout.as_secs_f64(),
        tag: args.session.tag.clone(),
        seed: load.seed,
        expect_rejects: args.safety.expect_rejects,
        modes,
        tls,
    }
}

/// Words as values, each once, in the order typed.
fn or_default<A: Copy + Into<T>, T: Copy + PartialEq>(words: &[A], default: &[T]) -> Vec<T> {
    let mut values: Vec<T> = Vec::new();
    for &word in words {
        let value = word.into();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if values.is_empty() { default.to_vec() } else { values }
}

fn default_duration(kind: TargetKind, no_load_option: bool) -> Duration {
    match kind {
        TargetKind::Embedded if no_load_option => EMBEDDED_DURATION,
        TargetKind::Throwaway if no_load_option => THROWAWAY_DURATION,
        _ => DEFAULT_DURATION,
    }
}

fn arrival(args: &LoginArgs) -> Arrival {
    match (args.load.rate, args.load.burst, args.load.arrival) {
        (None, ..) => Arrival::Closed,
        (Some(rate_per_s), Some(size), _) => Arrival::Burst { rate_per_s, size },
        (Some(rate_per_s), None, Some(ArrivalArg::Constant)) => Arrival::Constant { rate_per_s },
        (Some(rate_per_s), None, _) => Arrival::Poisson { rate_per_s },
    }
}

/// A count means exactly that many operations: nothing before them.
fn warm_up(asked: Option<WarmUpArg>, counted: bool, duration: Option<Duration>) -> WarmUp {
    let auto = || {
        let measured_s = duration.unwrap_or(DEFAULT_DURATION).as_secs_f64();
        WarmUp::Stationary { limit_s: (measured_s / 4.0).clamp(0.3, 5.0) }
    };
    match asked {
        _ if counted => WarmUp::None,
        Some(WarmUpArg::For(Duration::ZERO)) => WarmUp::None,
        Some(WarmUpArg::For(time)) => WarmUp::Fixed { duration_s: time.as_secs_f64() },
        Some(WarmUpArg::Auto) | None => auto(),
    }
}

/// Beside a server on the same machine, half of the cores; else one thread for each core.
fn threads(known: Known) -> u32 {
    if known.local { (known.cores / 2).max(1) } else { known.cores.max(1) }
}

/// Servers that peaje started let every address of 127.0.0.0/8 in; other servers may trust only 127.0.0.1.
fn source_addresses(kind: TargetKind) -> u32 {
    match kind {
        TargetKind::Embedded => 64,
        TargetKind::Throwaway => 16,
        TargetKind::User => 1,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn resolve(line: &str, kind: TargetKind) -> LoginSettings {
        let words = ["peaje", "login"].into_iter().chain(line.split_whitespace());
        let Some(Command::Login(args)) = Args::parse_from(words).command else { panic!("`login` was typed") };
        settings(&args, Known { kind, local: true, cores: 2, url_sets_tls: true })
    }

    #[test]
    fn somebody_elses_server_gets_twenty_logins_one_after_the_other() {
        let s = resolve("", TargetKind::User);
        assert_eq!((s.concurrency, s.operations, s.duration_s), (1, Some(20), None));
        assert_eq!(s.modes, [Mode::Unpooled]);
        assert_eq!(s.tls, [TlsMode::AsUrl]);
        assert_eq!(s.warm_up, WarmUp::None);
        assert_eq!(s.source_addresses, 1);
        let s = resolve("--mode unpooled,pooled --tls off,full", TargetKind::User);
        assert_eq!((s.concurrency, s.operations), (1, Some(20)), "comparing is no load");
    }

    #[test]
    fn the_story_in_small_without_a_target() {
        let s = resolve("", TargetKind::Embedded);
        assert_eq!((s.concurrency, s.operations, s.duration_s), (50, None, Some(2.0)));
        assert_eq!(s.modes, [Mode::Unpooled, Mode::Pooled]);
        assert_eq!(s.tls, [TlsMode::Off, TlsMode::Full]);
        assert!(!s.tls_overrides_url);
    }

    #[test]
    fn a_count_has_no_warm_up_and_no_end_in_time() {
        let s = resolve("--concurrency 50 --iterations 100 --warm-up 5s", TargetKind::Throwaway);
        assert_eq!((s.iterations, s.duration_s, s.warm_up), (Some(100), None, WarmUp::None));
        let s = resolve("--concurrency 4", TargetKind::User);
        assert_eq!((s.operations, s.duration_s), (None, Some(10.0)));
    }

    #[test]
    fn tls_wins_over_the_url_and_says_so() {
        assert!(resolve("--tls off,full", TargetKind::User).tls_overrides_url);
        assert!(!resolve("--tls as-url", TargetKind::User).tls_overrides_url);
        assert!(!resolve("", TargetKind::User).tls_overrides_url);
    }

    #[test]
    fn open_loops() {
        assert_eq!(resolve("--rate 10", TargetKind::User).arrival, Arrival::Poisson { rate_per_s: 10.0 });
        assert_eq!(
            resolve("--rate 10 --arrival constant", TargetKind::User).arrival,
            Arrival::Constant { rate_per_s: 10.0 }
        );
        assert_eq!(
            resolve("--rate 10 --burst 5", TargetKind::User).arrival,
            Arrival::Burst { rate_per_s: 10.0, size: 5 }
        );
        assert_eq!(resolve("--rate 10", TargetKind::User).concurrency, 50);
    }
}
