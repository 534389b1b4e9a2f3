//! From what was typed to settings: what was left out is decided by whose server it is.
//!
//! A server that peaje started gets a load by default. Anybody else's gets 20 logins, one after the other.

use std::time::Duration;

use peaje_model::{Arrival, LoginSettings, Mode, PoolSettings, TargetKind, TlsMode, WarmUp};

use crate::args::{ArrivalArg, LoadArgs, LoginArgs, WarmUpArg};
use crate::login::PoolWords;

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
    /// What the connection string says of the application's pool.
    pub(crate) pool: PoolWords,
    /// Limit of a whole login.
    pub(crate) login_timeout: Duration,
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
    let mut settings = LoginSettings {
        tls_overrides_url: !load.tls.is_empty() && known.url_sets_tls && tls.iter().any(|t| *t != TlsMode::AsUrl),
        arrival: arrival(args),
        concurrency,
        iterations: load.iterations,
        operations,
        duration_s: duration.map(|d| d.as_secs_f64()),
        warm_up: warm_up(load.warm_up, counted, duration),
        slices: load.slices.unwrap_or(if series > 1 { 2 } else { 1 }),
        threads: load.threads.unwrap_or_else(|| threads(known)).min(concurrency),
        source_addresses: 1,
        query: args.session.query.trim().to_owned(),
        close: args.session.close.into(),
        scram_cache: args.session.scram_cache.into(),
        resolve: args.session.resolve.into(),
        pool: pool(load, known.pool, concurrency),
        login_timeout_s: known.login_timeout.as_secs_f64(),
        tag: args.session.tag.clone(),
        seed: load.seed,
        expect_rejects: args.safety.expect_rejects,
        modes,
        tls,
    };
    settings.source_addresses = load.source_addresses.unwrap_or_else(|| source_addresses(known.kind, &settings));
    settings
}

/// What was typed, then what the connection string says, then as many as there are workers.
fn pool(load: &LoadArgs, words: PoolWords, concurrency: u32) -> PoolSettings {
    let min = load.pool_min.or(words.min).unwrap_or(0);
    let max = load.pool_max.or(words.max.map(|max| max.max(min))).unwrap_or(concurrency.max(min));
    PoolSettings {
        min,
        max,
        idle_timeout_s: load.pool_idle_timeout.map(|d| d.as_secs_f64()),
        lifetime_s: load.pool_lifetime.map(|d| d.as_secs_f64()).or(words.lifetime_s),
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

/// A port stays in use for a minute after its connection, and one address has some 28,000 of them, which become hard to
/// find long before the last one.
const LOGINS_PER_ADDRESS: u64 = 10_000;
const MOST_ADDRESSES: u64 = 256;

/// Servers that peaje started let every address of 127.0.0.0/8 in; other servers may trust only 127.0.0.1.
pub(crate) fn source_addresses(kind: TargetKind, settings: &LoginSettings) -> u32 {
    match (kind, planned_operations(settings)) {
        (TargetKind::User, _) => 1,
        (_, Some(logins)) => logins.div_ceil(LOGINS_PER_ADDRESS).clamp(1, MOST_ADDRESSES) as u32,
        (TargetKind::Embedded, None) => 64,
        (TargetKind::Throwaway, None) => 16,
    }
}

/// Operations of the whole run; `None` when only time limits it.
fn planned_operations(settings: &LoginSettings) -> Option<u64> {
    let of_each = operations_of_each(settings)?;
    Some(of_each * settings.modes.len() as u64 * settings.tls.len() as u64)
}

/// Operations of each series.
pub(crate) fn operations_of_each(settings: &LoginSettings) -> Option<u64> {
    settings.operations.or(settings.iterations.map(|n| n * u64::from(settings.concurrency)))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};

    fn resolve(line: &str, kind: TargetKind) -> LoginSettings {
        let words = ["peaje", "login"].into_iter().chain(line.split_whitespace());
        let Some(Command::Login(args)) = Args::parse_from(words).command else { panic!("`login` was typed") };
        settings(
            &args,
            Known {
                kind,
                local: true,
                cores: 2,
                url_sets_tls: true,
                pool: PoolWords::default(),
                login_timeout: Duration::from_secs(15),
            },
        )
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
    fn ports_are_planned_for_the_logins() {
        let of = |line: &str, kind| resolve(line, kind).source_addresses;
        assert_eq!(of("", TargetKind::Embedded), 64);
        assert_eq!(of("--duration 60s", TargetKind::Throwaway), 16);
        assert_eq!(of("--logins 100 --tls off", TargetKind::Embedded), 1);
        assert_eq!(of("-c 50 -n 100 --mode unpooled,pooled --tls off,full", TargetKind::Throwaway), 2);
        assert_eq!(of("--logins 900000 --mode unpooled --tls off", TargetKind::Throwaway), 90);
        assert_eq!(of("--logins 90000000", TargetKind::Embedded), 256);
        assert_eq!(of("--logins 900000", TargetKind::User), 1);
        assert_eq!(of("--logins 900000 --source-addresses 3", TargetKind::Embedded), 3);
    }

    #[test]
    fn a_pool_holds_its_minimum() {
        let of = |line: &str| resolve(line, TargetKind::User).pool;
        assert_eq!((of("--mode pooled --pool-min 5").min, of("--mode pooled --pool-min 5").max), (5, 5));
        assert_eq!(of("--mode pooled --pool-min 5 -c 8").max, 8);
        assert_eq!(of("--mode pooled --pool-min 5 --pool-max 9").max, 9);
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
