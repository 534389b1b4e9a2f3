//! What can be typed after `peaje sessions`.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

use super::values::{self, HoldArg, Ladder, Share};
use crate::args::{OutputArgs, OwnServerArgs, ProtocolArg, ReadingArgs, SessionArgs, TlsArg, positive_time};

/// `peaje sessions`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SessionsArgs {
    /// Connection strings (a pooler's or a socket's too); `postgres:` or `mariadb:` starts a throwaway server;
    /// `serve:thread`, `serve:process` or `serve:event` an embedded one of that model [default: serve:thread
    /// serve:process]
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,

    #[command(flatten)]
    pub(crate) ladder: LadderArgs,
    #[command(flatten)]
    pub(crate) safety: SessionsSafetyArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) own: OwnServerArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  peaje sessions                                         no database: a thread server and a process server, side by side
  peaje sessions postgresql://app@db1/shop --dry-run     the plan and the walls; opens no sessions but those that read
  peaje sessions postgresql://app@db1/shop --steps 50,100,200 --warm-query report.sql
  peaje sessions postgres: mariadb: serve:thread serve:process --steps 100,200,400
  peaje sessions postgres: --to 800 --active 1% --html sessions.html
  peaje sessions mysql://app@db1 --to 400 --hold         look at the server with 400 sessions; Enter closes them
  peaje sessions --observe --server-pid 812 > db1.jsonl      on the server's machine, then (or through ssh, as `-`)
  peaje sessions postgresql://app@db1/shop --observed-by db1.jsonl

Sessions are opened step by step, held, measured, and closed. The run stops before the server's machine suffers: see Safety.
Exit codes: 0 measured, also when a guard for memory ended the ladder, 1 --fail-on was met, 2 it could not be done, 130
interrupted.";

/// How many sessions, and what is done with them.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Ladder")]
pub(crate) struct LadderArgs {
    /// Open sessions at each step: 100,200,400 or 50,100,...,400 [default: 50 to 200 on a server that peaje starts; 5 to
    /// 20 elsewhere]
    #[arg(long, value_name = "N,N,…", value_parser = values::ladder, conflicts_with_all = ["to", "by", "factor"])]
    pub(crate) steps: Option<Ladder>,
    /// The last step; those before it come from --factor or --by
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) to: Option<u64>,
    /// With --to: each step is so many times the one before [default: 2]
    #[arg(long, value_name = "F", requires = "to", value_parser = values::factor, conflicts_with = "by")]
    pub(crate) factor: Option<f64>,
    /// With --to: each step has so many sessions more
    #[arg(long, value_name = "N", requires = "to", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) by: Option<u64>,
    /// Logins at the same time while a step is opened; 1 is one after the other
    #[arg(long, short = 'c', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) concurrency: u32,
    /// Wait between a step's last login and its measurement [default: 500ms; 300ms on a server that peaje starts]
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub(crate) settle: Option<Duration>,
    /// Part of the sessions that work while a step is measured (1%)
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = values::share)]
    pub(crate) active: Share,
    /// Statement (or a file with one) that each session runs once after its login: a session that never worked is far
    /// smaller
    #[arg(long, value_name = "SQL|FILE")]
    pub(crate) warm_query: Option<String>,
    /// Close and reopen so many sessions a second while a step is measured
    #[arg(long, value_name = "PER_S", value_parser = values::rate)]
    pub(crate) churn: Option<f64>,
    /// Keep the last step's sessions open: for a time, or until Enter is pressed
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "key", value_parser = values::hold)]
    pub(crate) hold: Option<HoldArg>,
    /// TLS setting; wins over the connection string [default: as-url; off on a server that peaje starts]
    #[arg(long, value_enum)]
    pub(crate) tls: Option<TlsArg>,
    /// Addresses of 127.0.0.0/8 to connect from, for servers on 127.0.0.0/8 [default: 1 for each 10,000 sessions on servers
    /// that peaje starts; elsewhere 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) source_addresses: Option<u32>,
}

/// What protects servers and their machines.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Safety")]
pub(crate) struct SessionsSafetyArgs {
    /// Print the plan, the walls and what the logins will write to the server's log; open nothing but the sessions that
    /// read
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask before a load on a server that peaje did not start
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Part of the memory (of the server's machine, or of its control group) that must stay available; the run stops
    /// and closes its sessions before that. 0 switches it off, only on servers that peaje started
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = values::share)]
    pub(crate) memory_floor: Share,
    /// Whether swapping stops the run; off only on servers that peaje started
    #[arg(long, value_enum, default_value = "on")]
    pub(crate) swap_guard: GuardArg,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Where the server's memory is read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Memory")]
pub(crate) struct MemoryArgs {
    /// Part of the memory that the prediction of how many sessions fit leaves free
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = values::share)]
    pub(crate) reserve: Share,
    /// The server's process on this machine [default: found by its socket]
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) server_pid: Option<u32>,
    /// Print this machine's memory (and that of --server-pid) as JSON lines until Ctrl-C, for --observed-by elsewhere
    #[arg(long, conflicts_with_all = ["targets", "dry_run", "observed_by"])]
    pub(crate) observe: bool,
    /// Read the server's memory from what `peaje sessions --observe` prints on its machine: a file that grows, or `-`
    #[arg(long, value_name = "FILE|-", conflicts_with = "server_pid")]
    pub(crate) observed_by: Option<PathBuf>,
    /// With --observe: the server is whoever listens on this port
    #[arg(long, value_name = "PORT", requires = "observe", conflicts_with = "server_pid")]
    pub(crate) server_port: Option<u16>,
    /// Time between two lines of --observe
    #[arg(long, value_name = "TIME", default_value = "200ms", value_parser = positive_time, requires = "observe")]
    pub(crate) interval: Duration,
}

/// The embedded server of `serve:MODEL`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Embedded server (serve:MODEL)")]
pub(crate) struct ModelArgs {
    /// Memory that each session touches [default: 700KiB for thread, 1.8MiB for process, none for event]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) session_memory: Option<u64>,
    /// Memory that the server touches at its start, shared by all sessions [default: 0]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub(crate) shared_memory: Option<u64>,
    /// Control group (its folder) that the server joins before it touches any memory: a smaller machine to try it on
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cgroup: Option<PathBuf>,
    /// Protocol that it speaks
    #[arg(long, value_enum, default_value = "postgres")]
    pub(crate) protocol: ProtocolArg,
}

/// `--swap-guard`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GuardArg {
    /// Swapping stops the run
    On,
    /// Go on
    Off,
}
