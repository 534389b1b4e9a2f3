//! Asking before a load on a server that peaje did not start.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use peaje_model::{Arrival, LoginSettings, Mode};

use crate::exit::hinted;
use crate::printer::Printer;

/// Above this many logins a second, or sessions at the same time, somebody has to agree.
const QUIET_RATE: f64 = 20.0;
const QUIET_IN_FLIGHT: u32 = 4;
/// So many logins, one after the other, are no load at any speed.
const QUIET_LOGINS: u64 = 20;

/// What a run will do to the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// Logins over all series; `None` = limited only by time.
    pub(crate) logins: Option<u64>,
    /// Seconds over all series; `None` = limited only by the count.
    pub(crate) seconds: Option<f64>,
    /// Sessions at the same time, at most, the observer among them.
    pub(crate) peak_sessions: u32,
    /// Logins a second, at most, as far as can be known beforehand.
    pub(crate) rate_per_s: f64,
    /// What each login writes to the server's log.
    pub(crate) log_lines: Vec<String>,
}

/// The plan of these settings. `login_s` is what the login made alone took.
pub(crate) fn plan(settings: &LoginSettings, login_s: f64, log_lines: Vec<String>) -> Plan {
    let series = settings.modes.len() as u64 * settings.tls.len() as u64;
    let unpooled = settings.modes.iter().filter(|m| **m == Mode::Unpooled).count() as u64;
    let kept = series / settings.modes.len().max(1) as u64 * (settings.modes.len() as u64 - unpooled);
    let per_series = settings.operations.or(settings.iterations.map(|n| n * u64::from(settings.concurrency)));
    let kept_logins = kept * u64::from(settings.concurrency.max(settings.pool.max)) * u64::from(settings.slices);
    let closed_rate = f64::from(settings.concurrency) / login_s.max(1e-4);
    Plan {
        logins: per_series.map(|n| n * unpooled * settings.tls.len() as u64 + kept_logins),
        seconds: settings.duration_s.map(|s| s * series as f64),
        peak_sessions: settings.concurrency.max(if kept > 0 { settings.pool.max } else { 0 }) + 1,
        rate_per_s: match settings.arrival {
            Arrival::Closed => closed_rate,
            _ => settings.arrival.rate_per_s().unwrap_or(0.0).min(closed_rate),
        },
        log_lines,
    }
}

impl Plan {
    /// Whether somebody has to agree.
    pub(crate) fn is_a_load(&self) -> bool {
        let in_flight = self.peak_sessions - 1;
        let few = self.logins.is_some_and(|n| n <= QUIET_LOGINS * 4);
        in_flight > QUIET_IN_FLIGHT || (self.rate_per_s > QUIET_RATE && !few)
    }

    /// The plan in words.
    pub(crate) fn words(&self, server: &str) -> String {
        let mut words = format!("This run will load {server}, which peaje did not start:\n");
        let logins = match (self.logins, self.seconds) {
            (Some(n), _) => format!("about {n} logins"),
            (None, Some(s)) => format!("logins for {s:.0} s, up to about {:.0}", (self.rate_per_s * s).ceil()),
            (None, None) => "logins".to_owned(),
        };
        let _ = writeln!(words, "  {logins}, at most about {:.0} a second", self.rate_per_s);
        let _ =
            writeln!(words, "  up to {} sessions at the same time, peaje's observer among them", self.peak_sessions);
        if self.log_lines.is_empty() {
            words.push_str("  log: what each login writes there is not known (no observer)\n");
        }
        for line in &self.log_lines {
            let _ = writeln!(words, "  log: {line}");
        }
        words
    }
}

/// Asks, unless `--yes` was given or there is no load. `Err` when nobody agrees.
pub(crate) fn obtain(plan: &Plan, server: &str, agreed: bool, printer: Printer) -> anyhow::Result<()> {
    if !plan.is_a_load() {
        return Ok(());
    }
    printer.say(&plan.words(server));
    if agreed {
        return Ok(());
    }
    if !printer.can_ask() {
        return Err(hinted(
            "this load needs somebody's consent, and nobody can be asked here",
            "add --yes, or measure without a load option (20 logins, one after the other)",
        ));
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "Go on? [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_lowercase().as_str() {
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
    use clap::Parser;

    fn planned(line: &str, login_s: f64) -> Plan {
        let words = ["peaje", "login"].into_iter().chain(line.split_whitespace());
        let Some(Command::Login(args)) = Args::parse_from(words).command else { panic!("`login` was typed") };
        let known = Known { kind: TargetKind::User, local: false, cores: 2, url_sets_tls: false };
        plan(&defaults::settings(&args, known), login_s, Vec::new())
    }

    #[test]
    fn what_is_a_load() {
        assert!(!planned("", 0.005).is_a_load(), "20 logins, one after the other");
        assert!(!planned("--mode unpooled,pooled --tls off,full", 0.005).is_a_load(), "comparing is no load");
        assert!(planned("--concurrency 5 --logins 20", 0.005).is_a_load(), "more than 4 in flight");
        assert!(planned("--concurrency 4 --duration 10s", 0.005).is_a_load(), "800 a second");
        assert!(!planned("--concurrency 4 --duration 10s", 1.0).is_a_load(), "4 a second");
        assert!(planned("--rate 21 --concurrency 4", 0.005).is_a_load());
        assert!(!planned("--rate 20 --concurrency 4", 0.005).is_a_load());
    }

    #[test]
    fn logins_are_counted_over_all_series() {
        let plan = planned("--concurrency 50 --iterations 100 --mode unpooled,pooled --tls off,full", 0.01);
        // Two unpooled series of 5,000 operations; two pooled ones whose pool of 50 is filled in each of two slices.
        assert_eq!(plan.logins, Some(10_000 + 200));
        assert_eq!(plan.peak_sessions, 51);
        assert!((plan.rate_per_s - 5_000.0).abs() < 1e-6);
    }
}
