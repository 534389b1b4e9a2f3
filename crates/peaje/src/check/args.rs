//! What can be typed after `peaje check`, or after `peaje` when it is a connection string.

use std::path::PathBuf;
use std::time::Duration;

use crate::args::{OutputArgs, positive_time, tag};

/// `peaje check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Connection strings of the servers to check, one after the other; `postgres:` or `mariadb:` starts a throwaway
    /// server
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Logins made one after the other, for what a login costs and where its time goes; 0 for none (one login made
    /// alone, and two reading sessions, are still needed)
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(..=10_000))]
    pub(crate) probe: u32,
    /// The run file of an earlier check of the same server: what happened in between
    #[arg(long, value_name = "RUN.json")]
    pub(crate) since: Option<PathBuf>,
    /// Judge a saved run (of any command) in place of a server
    #[arg(long, value_name = "RUN.json", conflicts_with_all = ["targets", "since", "show_sql"])]
    pub(crate) run: Option<PathBuf>,

    /// Limit of each login [default: what the connection string says, 15s at most]
    #[arg(long, value_name = "TIME", value_parser = positive_time, help_heading = "Session")]
    pub(crate) login_timeout: Option<Duration>,
    /// Word added to the program name that the server sees (a change number)
    #[arg(long, value_name = "WORD", value_parser = tag, help_heading = "Session")]
    pub(crate) tag: Option<String>,
    /// File with an access token, which SQL Server takes in place of a password (Microsoft Entra ID)
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    pub(crate) access_token_file: Option<PathBuf>,
    /// Do not ask before more than 20 logins on a server that peaje did not start
    #[arg(long, short, help_heading = "Safety")]
    pub(crate) yes: bool,
    /// Print every statement that would be sent, and send nothing
    #[arg(long, help_heading = "Safety")]
    pub(crate) show_sql: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  peaje postgresql://peaje@db1/shop                      the same as peaje check …
  peaje check mysql://peaje@db1 --probe 0                no logins but those that read
  peaje check postgresql://db1 mssql://db2 --json all.json    two files: all-1.json and all-2.json
  peaje check postgresql://db1 --since monday.json       what the counters say of the days since
  peaje check --run run.json                             what a saved run shows

It only reads, makes no load, and takes less than a minute for each server. With several servers, PATH gets the server's
number before its ending; with `-` the documents come one after the other.
Exit codes: 0 nothing serious, 1 a finding of the severity of --fail-on [default here: warning] or worse stands, 2 it could
not be done, 130 interrupted; of several servers the highest.";
