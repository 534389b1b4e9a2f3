//! Asking before a load on a server that peaje did not start.
//!
//! The login made alone says how long one login takes, not how fast the server can become: what a closed loop will do is
//! an estimate for the eyes of a person, and never a reason not to ask.

use std::fmt::Write as _;

use peaje_engine::SessionLimits;
use peaje_model::{Arrival, LoginSettings, Mode, WarmUp};

use crate::ask;
use crate::defaults::operations_of_each;
use crate::exit::hinted;
use crate::printer::Printer;

/// Above this many logins a second, or sessions at the same time, somebody has to agree.
const QUIET_RATE: f64 = 20.0;
pub(crate) const QUIET_IN_FLIGHT: u32 = 4;
/// So many logins of a series, one after the other, are no load at any speed.
const QUIET_LOGINS: u64 = 20;

/// What a run will do to the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// Logins over all series; `None` = limited only by time.
    pub(crate) logins: Option<u64>,
    /// Seconds over all series, their warm-up included; `None` = limited only by the count.
    pub(crate) seconds: Option<f64>,
    /// Sessions at the same time, at most, the observer among them.
    pub(crate) peak_sessions: u32,
    /// Logins a second, at most, as far as can be known beforehand.
    pub(crate) rate_per_s: f64,
    /// Whether the rate is too low, or the logins are too few, to be a load.
    pub(crate) pace: Pace,
    /// What each login writes to the server's log.
    pub(crate) log_lines: Vec<String>,
    /// Free sessions.
    pub(crate) room: Room,
}

/// How fast logins can come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A few logins, one after the other, or a schedule that is slow by itself.
    Quiet,
    /// As fast as the server lets them, or a fast schedule.
    Busy,
}

/// What is known of the free sessions of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Room {
    /// A reference server: peaje's own, wherever it was started.
    OwnServer,
    /// Read from the server.
    Known(SessionLimits),
    /// They cannot be read, and why.
    Unknown(String),
}

/// The plan of these settings. `login_s` is what the login made alone took.
pub(crate) fn plan(settings: &LoginSettings, login_s: f64) -> Plan {
    let series = settings.modes.len() as u64 * settings.tls.len() as u64;
    let unpooled = settings.modes.iter().filter(|m| **m == Mode::Unpooled).count() as u64;
    let kept = series / settings.modes.len().max(1) as u64 * (settings.modes.len() as u64 - unpooled);
    let kept_logins = kept * u64::from(settings.concurrency.max(settings.pool.max)) * u64::from(settings.slices);
    let closed_rate = f64::from(settings.concurrency) / login_s.max(1e-4);
    Plan {
        logins: operations_of_each(settings).map(|n| n * unpooled * settings.tls.len() as u64 + kept_logins),
        seconds: settings.duration_s.map(|s| (s + warm_up_s(settings.warm_up)) * series as f64),
        peak_sessions: settings.concurrency.max(if kept > 0 { settings.pool.max } else { 0 }) + 1,
        rate_per_s: settings.arrival.rate_per_s().map_or(closed_rate, |rate| rate.min(closed_rate)),
        pace: pace(settings),
        log_lines: Vec::new(),
        room: Room::OwnServer,
    }
}

fn warm_up_s(warm_up: WarmUp) -> f64 {
    match warm_up {
        WarmUp::None => 0.0,
        WarmUp::Fixed { duration_s } => duration_s,
        WarmUp::Stationary { limit_s } => limit_s,
    }
}

fn pace(settings: &LoginSettings) -> Pace {
    // Sessions that the pool gives up and opens again are logins that no count limits.
    let pool = &settings.pool;
    let renews = settings.modes.contains(&Mode::Pooled) && (pool.lifetime_s.is_some() || pool.idle_timeout_s.is_some());
    let few = settings.concurrency == 1 && !renews && operations_of_each(settings).is_some_and(|n| n <= QUIET_LOGINS);
    let slow = match settings.arrival {
        Arrival::Closed => false,
        Arrival::Poisson { rate_per_s } | Arrival::Constant { rate_per_s } => rate_per_s <= QUIET_RATE,
        Arrival::Burst { rate_per_s, size } => rate_per_s.max(f64::from(size)) <= QUIET_RATE,
    };
    if few || slow { Pace::Quiet } else { Pace::Busy }
}

impl Plan {
    /// Whether somebody has to agree.
    pub(crate) fn is_a_load(&self) -> bool {
        self.in_flight() > QUIET_IN_FLIGHT || self.pace == Pace::Busy
    }

    fn in_flight(&self) -> u32 {
        self.peak_sessions - 1
    }

    /// The plan in words.
    pub(crate) fn words(&self, server: &str) -> String {
        let mut words = format!("This run will load {server}, which peaje did not start:\n");
        let logins = match (self.logins, self.seconds) {
            (Some(n), _) => format!("about {n} logins"),
            (None, Some(s)) => format!("logins for {s:.0} s, up to about {}", roughly(self.rate_per_s * s)),
            (None, None) => "logins".to_owned(),
        };
        let _ =
            writeln!(words, "  {logins}, at most about {} a second if the server keeps up", roughly(self.rate_per_s));
        let _ =
            writeln!(words, "  up to {} sessions at the same time, peaje's observer among them", self.peak_sessions);
        words.push_str(&self.room.words());
        if self.log_lines.is_empty() {
            words.push_str("  log: what each login writes there is not known\n");
        }
        for line in &self.log_lines {
            let _ = writeln!(words, "  log: {line}");
        }
        words
    }

    /// A plan that the run would stop at once needs nobody's consent, but another plan.
    fn check_fit(&self) -> anyhow::Result<()> {
        let Room::Known(limits) = &self.room else { return Ok(()) };
        let allowed = limits.allowed();
        if u64::from(self.in_flight()) <= allowed {
            return Ok(());
        }
        let next = match allowed {
            0 => "measure without a load option (20 logins, one after the other), or when fewer sessions are in use"
                .into(),
            n => {
                format!("use --concurrency {n} at most (and --pool-max {n}), or measure when fewer sessions are in use")
            }
        };
        let held = self.in_flight();
        Err(hinted(
            format!(
                "{held} sessions at the same time are more than the {allowed} that peaje takes here: half of the free ones, \
                 and never the last ten"
            ),
            next,
        ))
    }

    /// Half of the free sessions at most: without their number, no more than a few.
    fn check_room(&self) -> anyhow::Result<()> {
        let Room::Unknown(why) = &self.room else { return Ok(()) };
        if self.in_flight() <= QUIET_IN_FLIGHT {
            return Ok(());
        }
        Err(hinted(
            format!(
                "{} sessions at the same time are too many for a server whose free sessions cannot be read ({why})",
                self.in_flight()
            ),
            format!(
                "let peaje read them (without --no-observer, with the rights of --grants), or use --concurrency \
                 {QUIET_IN_FLIGHT} and a pool of {QUIET_IN_FLIGHT} at most"
            ),
        ))
    }
}

/// Two figures are all that an estimate from one login deserves.
fn roughly(n: f64) -> String {
    let n = n.max(1.0);
    let step = 10_f64.powf((n.log10().floor() - 1.0).max(0.0));
    let mut digits = format!("{:.0}", (n / step).ceil() * step);
    let mut at = digits.len();
    while at > 3 {
        at -= 3;
        digits.insert(at, ',');
    }
    digits
}

impl Room {
    /// A line of the plan.
    pub(crate) fn words(&self) -> String {
        match self {
            Room::OwnServer => String::new(),
            Room::Known(limits) => format!(
                "  free sessions: {} of {}, of which peaje takes {} at most\n",
                limits.free(),
                limits.limit,
                limits.allowed()
            ),
            Room::Unknown(why) => format!(
                "  free sessions cannot be read ({why}): no more than {QUIET_IN_FLIGHT} at the same time are allowed\n"
            ),
        }
    }
}

/// Asks, unless `--yes` was given or there is no load. `Err` when nobody agrees.
pub(crate) async fn obtain(plan: &Plan, server: &str, agreed: bool, printer: Printer) -> anyhow::Result<()> {
    if !plan.is_a_load() {
        return Ok(());
    }
    printer.say(&plan.words(server));
    plan.check_room()?;
    if agreed {
        return Ok(());
    }
    plan.check_fit()?;
    if !printer.can_ask() {
        return Err(hinted(
            "this load needs somebody's consent, and nobody can be asked here",
            "add --yes, or measure without a load option (20 logins, one after the other)",
        ));
    }
    match ask::line("Go on? [y/N] ").await?.trim().to_lowercase().as_str() {
        "y" | "yes" | "s" | "sí" | "si" => Ok(()),
        _ => Err(hinted("not agreed: nothing was sent but the login made alone", "lower the load, or agree")),
    }
}

#[cfg(test)]
mod tests {
    use peaje_model::TargetKind;

    use super::*;
    use crate::args::{Args, Command};
    use crate::defaults::{self, Known};
    use crate::login::PoolWords;
    use clap::Parser;

    fn planned(line: &str) -> Plan {
        let words = ["peaje", "login"].into_iter().chain(line.split_whitespace());
        let Some(Command::Login(args)) = Args::parse_from(words).command else { panic!("`login` was typed") };
        let known = Known {
            kind: TargetKind::User,
            local: false,
            cores: 2,
            url_sets_tls: false,
            pool: PoolWords::default(),
            login_timeout: std::time::Duration::from_secs(15),
        };
        plan(&defaults::settings(&args, known), 0.01)
    }

    #[test]
    fn what_is_no_load() {
        for line in [
            "",
            "--mode unpooled,pooled --tls off,full",
            "--mode unpooled,pooled,persistent --tls off,full,resumed",
            "--logins 20",
            "--concurrency 1 --iterations 20",
            "--rate 20 --concurrency 4",
            "--rate 10 --burst 20 --concurrency 4",
        ] {
            assert!(!planned(line).is_a_load(), "{line}");
        }
    }

    #[test]
    fn what_is_a_load() {
        for line in [
            "--concurrency 5 --logins 20",
            "--concurrency 1 --duration 1s",
            "--concurrency 4 --duration 10s",
            "--mode pooled --duration 10s",
            "--concurrency 2 --logins 20",
            "--logins 21",
            "--logins 80 --mode unpooled,pooled --tls off,full",
            "--rate 21 --concurrency 4",
            "--rate 20 --burst 21 --concurrency 4",
            "--rate 20",
            "--mode pooled --pool-min 5",
            "--mode pooled --pool-lifetime 1ms",
        ] {
            assert!(planned(line).is_a_load(), "{line}");
        }
    }

    #[test]
    fn logins_are_counted_over_all_series() {
        let plan = planned("--concurrency 50 --iterations 100 --mode unpooled,pooled --tls off,full");
        // Two unpooled series of 5,000 operations; two pooled ones whose pool of 50 is filled in each of two slices.
        assert_eq!(plan.logins, Some(10_000 + 200));
        assert_eq!(plan.peak_sessions, 51);
        assert!((plan.rate_per_s - 5_000.0).abs() < 1e-6);
    }

    #[test]
    fn the_warm_up_belongs_to_the_plan() {
        let plan = planned("--rate 30 --concurrency 4 --duration 10s --warm-up 2s --tls off,full");
        assert_eq!(plan.seconds, Some(24.0));
        assert!(plan.words("db").contains("logins for 24 s, up to about 720"), "{}", plan.words("db"));
        assert_eq!(planned("--concurrency 4 --duration 20s").seconds, Some(25.0));
        assert_eq!(planned("--concurrency 4 --duration 20s --warm-up 0").seconds, Some(20.0));
    }

    #[test]
    fn without_the_number_of_free_sessions_four_are_enough() {
        let unknown = |line| Plan { room: Room::Unknown("permission denied".to_owned()), ..planned(line) };
        assert!(unknown("--concurrency 4 --logins 100").check_room().is_ok());
        let error = unknown("--concurrency 5 --logins 100").check_room().expect_err("too many");
        assert!(error.to_string().contains("permission denied"), "{error}");
        assert!(unknown("--mode pooled --pool-min 5").check_room().is_err());
        let known = Room::Known(SessionLimits { limit: 100, in_use: 20, reserved: 3 });
        let plan = Plan { room: known, ..planned("--concurrency 50 --logins 100") };
        assert!(plan.check_room().is_ok(), "how many are too many is then decided at each slice");
        assert!(plan.words("db").contains("77 of 100, of which peaje takes 38 at most"), "{}", plan.words("db"));
        assert!(unknown("--concurrency 5 --logins 9").words("db").contains("cannot be read (permission denied)"));
    }
}
