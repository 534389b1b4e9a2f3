//! What can be typed after `peaje watch`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::args::{OutputArgs, positive_time, tag};

/// `peaje watch`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// Connection strings of the servers to watch (PostgreSQL, PgBouncer's console, MySQL, MariaDB, SQL Server)
    #[arg(value_name = "TARGET", conflicts_with = "replay")]
    pub(crate) targets: Vec<String>,

    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) session: WatchSessionArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  peaje watch postgresql://peaje@db1/shop                live screen; q ends it
  peaje watch mysql://peaje@db1 --for 30m --json run.json    half an hour, then the verdict
  peaje watch postgresql://db1 mssql://db2 --listen 127.0.0.1:9187    several servers, for Prometheus
  peaje watch postgresql://db1 --record db1.db --keep 30d
  peaje watch --replay db1.db                            the verdicts of a recording, without the database
  peaje watch --replay counters.csv                      of a bare series: t_s,logins_total,logouts_total,sessions,…

Exit codes: 0 watched, 1 --fail-on was met, 2 it could not be done, 130 interrupted.";

/// How often, and how long.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Readings")]
pub(crate) struct SamplingArgs {
    /// Time between two readings; each is taken at a random moment of its interval
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = interval)]
    pub(crate) interval: Duration,
    /// Stop after this time [default: until q or Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = positive_time)]
    pub(crate) for_time: Option<Duration>,
    /// What verdicts look at: the last so much
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = window)]
    pub(crate) window: Duration,
    /// Read counters alone, not the list of sessions: cheaper, and no verdict on single applications
    #[arg(long)]
    pub(crate) counters_only: bool,
    /// Seconds of analysis for each second of the clock, where timeouts were scaled down for a test
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = scale, hide = true)]
    pub(crate) time_scale: f64,
}

/// Recordings.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Recording")]
pub(crate) struct RecordingArgs {
    /// Record into this file (SQLite); an existing recording is continued
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// How long a recording is kept; older readings are thinned out, then dropped
    #[arg(long, value_name = "TIME", value_parser = days, requires = "record")]
    pub(crate) keep: Option<Duration>,
    /// Judge a recording, or a bare series (CSV), in place of a server
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "listen", "interval", "for_time"])]
    pub(crate) replay: Option<PathBuf>,
    /// Write each interval as a line (CSV) to a file, or `-`
    #[arg(long, value_name = "PATH")]
    pub(crate) intervals_csv: Option<PathBuf>,
    /// Write each interval as a line (JSON) to a file, or `-`
    #[arg(long, value_name = "PATH")]
    pub(crate) intervals_jsonl: Option<PathBuf>,
}

/// What verdicts may know besides the readings.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Verdicts")]
pub(crate) struct JudgingArgs {
    /// A pool as its application declares it: `app=min:10,max:50,idle:60s,lifetime:30m`; may be repeated
    #[arg(long = "pool", value_name = "APP=SETTINGS")]
    pub(crate) pools: Vec<String>,
    /// A run of `peaje login` against this server: what a login costs it
    #[arg(long, value_name = "RUN")]
    pub(crate) login_run: Option<PathBuf>,
}

/// Where the figures are shown while they come.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Screen")]
pub(crate) struct ScreenArgs {
    /// Plain lines, also on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Offer the figures to Prometheus at this address (`127.0.0.1:9187`)
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Let --listen take an address that other machines reach
    #[arg(long, requires = "listen")]
    pub(crate) listen_to_all: bool,
    /// Print the alert and recording rules for Prometheus, and do nothing else
    #[arg(long)]
    pub(crate) rules: bool,
}

/// The watching session.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct WatchSessionArgs {
    /// File with an access token, which SQL Server takes in place of a password (Microsoft Entra ID)
    #[arg(long, value_name = "FILE")]
    pub(crate) access_token_file: Option<PathBuf>,
    /// Word added to the program name that the server sees (a change number)
    #[arg(long, value_name = "WORD", value_parser = tag)]
    pub(crate) tag: Option<String>,
    /// Print every statement that would be sent, and send nothing
    #[arg(long)]
    pub(crate) show_sql: bool,
    /// Print the script that gives the target's role (or one named peaje) the rights peaje needs, for this engine
    #[arg(long, value_name = "ENGINE")]
    pub(crate) grants: Option<String>,
}

/// Readings in closer succession would be a load, and see nothing that these do not.
const CLOSEST: Duration = Duration::from_millis(50);
/// A day of bins for each group: more is slow to judge, and no pool needs it.
const LONGEST_WINDOW: Duration = Duration::from_secs(86_400);
/// Not even a scaled test fits into less.
const SHORTEST_WINDOW: Duration = Duration::from_secs(10);

fn interval(text: &str) -> Result<Duration, String> {
    match positive_time(text)? {
        time if time < CLOSEST => Err("readings are at least 50ms apart: each is a query on the server".to_owned()),
        time if time > LONGEST_WINDOW => Err("readings are at most 24h apart".to_owned()),
        time => Ok(time),
    }
}

fn window(text: &str) -> Result<Duration, String> {
    match positive_time(text)? {
        time if time > LONGEST_WINDOW => Err("verdicts look at 24h at most; a recording keeps more".to_owned()),
        time if time < SHORTEST_WINDOW => Err("verdicts need 10s at least, and half an hour to be sure".to_owned()),
        time => Ok(time),
    }
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if (1.0..=10_000.0).contains(&scale) => Ok(scale),
        _ => Err("a number from 1 to 10000".to_owned()),
    }
}

/// Days are no unit of a clock time, and what one thinks of here.
fn days(text: &str) -> Result<Duration, String> {
    let day = Duration::from_secs(86_400);
    match text.strip_suffix('d').map(str::trim).map(str::parse::<u32>) {
        Some(Ok(n)) if n > 0 => Ok(day * n),
        Some(_) => Err(format!("`{text}` is no time: write 30d, or 12h")),
        None => positive_time(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_and_windows_have_bounds_that_are_told() {
        assert_eq!(interval("50ms"), Ok(CLOSEST));
        assert_eq!(window("24h"), Ok(LONGEST_WINDOW));
        for (told, words) in [
            (interval("1ms"), "50ms apart"),
            (interval("0"), "more than nothing"),
            (interval("25h"), "24h"),
            (window("25h"), "24h at most"),
            (window("9s"), "10s at least"),
            (window("99999999999h"), ""),
        ] {
            let error = told.expect_err("out of bounds");
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_recording_is_kept_for_days() {
        assert_eq!(days("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!(days("12h"), Ok(Duration::from_secs(12 * 3_600)));
        for wrong in ["0d", "d", "-1d", "1.5d", "many"] {
            assert!(days(wrong).is_err(), "{wrong}");
        }
    }
}
