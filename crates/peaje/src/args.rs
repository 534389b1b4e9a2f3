//! What can be typed. Arguments are words; what they mean together is decided in `defaults` and `target`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use peaje_diagnose::Language;
use peaje_model::{CloseMode, Mode, ResolveMode, ScramCache, Severity, TlsMode};
use peaje_refserver::{Model, Protocol};

use crate::check::CheckArgs;

/// Measures, explains and predicts what a database charges around the query.
#[derive(Debug, Parser)]
#[command(name = "peaje", version, about, long_about = None, disable_help_subcommand = true)]
pub(crate) struct Args {
    /// Say nothing but results and errors.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// One question each.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Everything that can be found without load, on one screen (`peaje URL` is the same)
    Check(Box<CheckArgs>),
    /// What does a login cost, phase by phase; pooled, unpooled, over TLS; how many a second?
    Login(Box<LoginArgs>),
    /// What does an open session cost; how many fit; where is the knee?
    Sessions(Box<crate::sessions::SessionsArgs>),
    /// Who logs in and out right now; who does not pool? (live screen, recorder, Prometheus endpoint)
    Watch(Box<crate::watch::WatchArgs>),
    /// The embedded reference server: logins without a database
    Serve(Box<ServeArgs>),
    /// A saved run as text, JSON, CSV or an HTML page
    Report(ReportArgs),
    /// Holds sessions for another peaje, which tells it on its standard input what to do
    #[command(name = crate::sessions::worker::WORD, hide = true)]
    HoldSessions,
    /// A reference server in a process of its own, for another peaje, which tells it on its standard input what to be
    #[command(name = crate::serve::WORD, hide = true)]
    ReferenceServer,
    /// The page of a finding: what it means, how it is measured, what to do, when it is wrong
    Explain(ExplainArgs),
}

impl Command {
    /// Whether `--redact` was given: then errors and talk are redacted too.
    pub(crate) fn redacts(&self) -> bool {
        match self {
            Command::Check(check) => check.output.redact,
            Command::Login(login) => login.output.redact,
            Command::Watch(watch) => watch.output.redact,
            Command::Sessions(sessions) => sessions.output.redact,
            Command::Report(report) => report.output.redact,
            Command::Serve(_) | Command::Explain(_) | Command::HoldSessions | Command::ReferenceServer => false,
        }
    }
}

/// `peaje login`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = LOGIN_EXAMPLES)]
pub(crate) struct LoginArgs {
    /// Connection string (postgresql://…, mysql://…, mssql://…, jdbc:…, or an application's key=value form);
    /// `postgres:` or `mariadb:` starts a throwaway server; nothing starts the embedded reference server
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<String>,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) safety: SafetyArgs,
    #[command(flatten)]
    pub(crate) own: OwnServerArgs,
    #[command(flatten)]
    pub(crate) delays: DelayArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const LOGIN_EXAMPLES: &str = "\
Examples:
  peaje login                                        no database: the embedded reference server
  peaje login postgresql://app@db1/shop              20 logins, one after the other
  peaje login postgresql://app@db1/shop --tls off,full --concurrency 4 --logins 200 --yes
  peaje login postgres: --concurrency 50 --iterations 100 --mode unpooled,pooled --tls off,full
  peaje login mysql://app@db1/shop                   MySQL or MariaDB
  peaje login 'Server=tcp:db1,1433;Database=shop;User ID=app;Encrypt=True'      SQL Server
  peaje login postgres: --rate 100 --duration 10s    open loop: latency from the scheduled instant

Passwords come from the connection string, from PGPASSWORD or ~/.pgpass, MYSQL_PWD or ~/.my.cnf, SQLCMDPASSWORD, or a prompt.
Exit codes: 0 measured, 1 --fail-on was met, 2 it could not be done, 130 interrupted.";

/// How much, and how.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadArgs {
    /// How an operation gets its connection, several separated by commas [default: unpooled; on a server that peaje
    /// starts unpooled,pooled]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) mode: Vec<ModeArg>,
    /// TLS settings to compare; wins over the connection string [default: as-url; on a server that peaje starts off,full]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) tls: Vec<TlsArg>,
    /// Workers; in an open loop, operations in flight at most [default: 1; on a server that peaje starts, and with --rate,
    /// 50]
    #[arg(long, short = 'c', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) concurrency: Option<u32>,
    /// Operations of each worker, in each series
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["logins", "rate"])]
    pub(crate) iterations: Option<u64>,
    /// Operations of each series, all workers together [default: 20 on somebody's server when no load option is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) logins: Option<u64>,
    /// Measurement of each series (10s, 2m) [default: 10s when nothing else limits it; 2s and 3s on servers that peaje
    /// starts]
    #[arg(long, short = 'd', value_name = "TIME", value_parser = positive_time)]
    pub(crate) duration: Option<Duration>,
    /// Open loop: operations that become due each second, whatever the server does
    #[arg(long, value_name = "PER_S", value_parser = positive_rate)]
    pub(crate) rate: Option<f64>,
    /// Gaps of the open loop
    #[arg(long, value_enum, requires = "rate", conflicts_with = "burst")]
    pub(crate) arrival: Option<ArrivalArg>,
    /// Open loop in bursts of N operations
    #[arg(long, value_name = "N", requires = "rate", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) burst: Option<u32>,
    /// Warm-up of each series, not counted: a time, 0, or auto (until the rate is stationary) [default: auto; none when
    /// operations are counted]
    #[arg(long, value_name = "TIME|auto", value_parser = warm_up)]
    pub(crate) warm_up: Option<WarmUpArg>,
    /// Slices of each series; series take turns slice by slice [default: 2 when there are several, else 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) slices: Option<u32>,
    /// Worker threads of peaje [default: one for each core; half as many beside a server on this machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Addresses of 127.0.0.0/8 to connect from, for servers on 127.0.0.0/8
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) source_addresses: Option<u32>,
    /// Seed of the random gaps
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Connections the pool keeps open [default: what the connection string says, else 0]
    #[arg(long, value_name = "N")]
    pub(crate) pool_min: Option<u32>,
    /// Connections of the pool at most [default: what the connection string says, else --concurrency or --pool-min]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) pool_max: Option<u32>,
    /// Idle connections above the minimum are closed after this time
    #[arg(long, value_name = "TIME", value_parser = positive_time)]
    pub(crate) pool_idle_timeout: Option<Duration>,
    /// Connections are closed at this age
    #[arg(long, value_name = "TIME", value_parser = positive_time)]
    pub(crate) pool_lifetime: Option<Duration>,
}

/// What each session does.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionArgs {
    /// The query of each operation; empty for none
    #[arg(long, value_name = "SQL", default_value = "select 1")]
    pub(crate) query: String,
    /// How sessions are closed
    #[arg(long, value_enum, default_value = "polite")]
    pub(crate) close: CloseArg,
    /// Whether keys derived from the password are kept between logins
    #[arg(long, value_enum, default_value = "off")]
    pub(crate) scram_cache: SwitchArg,
    /// When host names are resolved
    #[arg(long, value_enum, default_value = "each")]
    pub(crate) resolve: ResolveArg,
    /// File with an access token, which SQL Server takes in place of a password (Microsoft Entra ID)
    #[arg(long, value_name = "FILE")]
    pub(crate) access_token_file: Option<PathBuf>,
    /// Limit of a whole login [default: what the connection string says, else 15s]
    #[arg(long, value_name = "TIME", value_parser = positive_time)]
    pub(crate) login_timeout: Option<Duration>,
    /// Word added to the program name that the server sees (a change number)
    #[arg(long, value_name = "WORD", value_parser = tag)]
    pub(crate) tag: Option<String>,
}

/// What protects a server that peaje did not start.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Safety")]
pub(crate) struct SafetyArgs {
    /// Do not ask before a load on a server that peaje did not start
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Rejected logins do not stop the run (only on servers that peaje started)
    #[arg(long)]
    pub(crate) expect_rejects: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// What is read beside a load, and with which rights.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ReadingArgs {
    /// No session beside the load: nothing is read from the server's views
    #[arg(long)]
    pub(crate) no_observer: bool,
    /// Print every statement that would be sent, and send nothing
    #[arg(long)]
    pub(crate) show_sql: bool,
    /// Print the script that gives the target's role (or one named peaje) the rights peaje needs, for this engine
    #[arg(long, value_name = "ENGINE")]
    pub(crate) grants: Option<String>,
}

/// Servers that peaje starts: embedded, throwaway, `peaje serve`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Servers that peaje starts")]
pub(crate) struct OwnServerArgs {
    /// How users prove who they are [default: trust; with a password, and on a throwaway server, the engine's usual way]
    #[arg(long, value_enum)]
    pub(crate) auth: Option<AuthArg>,
    /// Kind of the server's key [default: ecdsa, or rsa on a throwaway server]
    #[arg(long, value_enum)]
    pub(crate) server_key: Option<KeyArg>,
    /// Sessions the server allows at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_sessions: Option<u32>,
}

/// Delays and faults of the reference server.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reference server")]
pub(crate) struct DelayArgs {
    /// Delay before the server's answer to the request for TLS
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) negotiate_delay: Option<Duration>,
    /// Delay before the TLS handshake
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) tls_delay: Option<Duration>,
    /// Delay before the authentication: a far directory service
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) auth_delay: Option<Duration>,
    /// Delay before the session is ready
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) session_delay: Option<Duration>,
    /// Delay before each answer to a query
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) query_delay: Option<Duration>,
    /// Refuse every Nth login as a full server does
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) refuse_every: Option<u64>,
    /// Reset (TCP RST) every Nth connection when its start-up message has come
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) reset_every: Option<u64>,
    /// Close the connection after this step
    #[arg(long, value_enum, value_name = "STEP")]
    pub(crate) drop_after: Option<StepArg>,
    /// With --drop-after: only every Nth login
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) drop_every: u64,
    /// Threads of the reference server
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) server_threads: u32,
}

/// Where results go.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write the run (JSON) to a file, or `-`
    #[arg(long, value_name = "PATH")]
    pub(crate) json: Option<PathBuf>,
    /// Write one line for each series (CSV) to a file, or `-`
    #[arg(long, value_name = "PATH")]
    pub(crate) csv: Option<PathBuf>,
    /// Write one self-contained page (HTML) to a file, or `-`
    #[arg(long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,
    /// Replace hosts, logins, applications, addresses and paths by stable aliases, in everything that is printed or
    /// written but a recording
    #[arg(long)]
    pub(crate) redact: bool,
    /// Language of reports and pages [default: from the locale]
    #[arg(long, value_enum)]
    pub(crate) lang: Option<LanguageArg>,
    /// Exit with 1 when a finding of this severity, or a higher one, was found
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<SeverityArg>,
}

/// `peaje serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Protocol spoken; several separated by commas listen on a port each
    #[arg(long, value_enum, value_delimiter = ',', default_value = "postgres")]
    pub(crate) protocol: Vec<ProtocolArg>,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
    /// User that may log in
    #[arg(long, default_value = "peaje")]
    pub(crate) user: String,
    /// Its password (better: the variable PEAJE_SERVE_PASSWORD)
    #[arg(long, env = "PEAJE_SERVE_PASSWORD", hide_env_values = true)]
    pub(crate) password: Option<String>,
    /// Certificate chain (PEM); without one, a certificate is made at start
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Offer no TLS
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) no_tls: bool,
    /// Write the certificate that clients must trust to this file (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) write_root_cert: Option<PathBuf>,
    /// What serves a session: `thread` as in MySQL and MariaDB, `process` as in PostgreSQL, or loops for all (never SQL
    /// Server's way, whose idle sessions own no thread)
    #[arg(long, value_enum, default_value = "event")]
    pub(crate) model: ModelArg,
    /// Private memory of each session (700KiB, 1.8MiB), touched when it is let in and at each request [default: none]
    #[arg(long, value_name = "SIZE", value_parser = crate::sessions::size, default_value = "0", hide_default_value = true)]
    pub(crate) session_memory: u64,
    /// Memory that all sessions share (200MiB), touched once at the start [default: none]
    #[arg(long, value_name = "SIZE", value_parser = crate::sessions::size, default_value = "0", hide_default_value = true)]
    pub(crate) shared_memory: u64,
    #[command(flatten)]
    pub(crate) own: OwnServerArgs,
    #[command(flatten)]
    pub(crate) delays: DelayArgs,
    /// Write addresses and connection strings as JSON to a file, or `-`
    #[arg(long, value_name = "PATH")]
    pub(crate) json: Option<PathBuf>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = positive_time)]
    pub(crate) for_time: Option<Duration>,
}

/// `peaje report`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// A run file, or `-` for standard input
    pub(crate) run: PathBuf,
    /// Diagnose again, with the rules of this version
    #[arg(long)]
    pub(crate) diagnose: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `peaje explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The finding's code; without one, all codes are listed
    pub(crate) code: Option<String>,
    /// Language [default: from the locale]
    #[arg(long, value_enum)]
    pub(crate) lang: Option<LanguageArg>,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident => $target:ty { $($(#[$variant_doc:meta])* $variant:ident => $value:expr),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($(#[$variant_doc])* $variant),+ }

        impl From<$name> for $target {
            fn from(word: $name) -> Self {
                match word { $($name::$variant => $value),+ }
            }
        }
    };
}

words! {
    /// `--mode`
    ModeArg => Mode {
        /// A new login for each operation
        Unpooled => Mode::Unpooled,
        /// From a pool, and given back
        Pooled => Mode::Pooled,
        /// One session for each worker
        Persistent => Mode::Persistent,
    }
}
words! {
    /// `--tls`
    TlsArg => TlsMode {
        /// What the connection string says
        AsUrl => TlsMode::AsUrl,
        /// No TLS
        Off => TlsMode::Off,
        /// A full handshake at each login
        Full => TlsMode::Full,
        /// Sessions resumed where the server allows it
        Resumed => TlsMode::Resumed,
    }
}
words! {
    /// `--close`
    CloseArg => CloseMode {
        /// Say goodbye and wait until the server has closed
        Polite => CloseMode::Polite,
        /// Say goodbye and close at once
        Quick => CloseMode::Quick,
        /// TCP reset, no goodbye
        Reset => CloseMode::Reset,
    }
}
words! {
    /// `--scram-cache`
    SwitchArg => ScramCache {
        /// Derive at each login, as most drivers do
        Off => ScramCache::Off,
        /// Derive once
        On => ScramCache::On,
    }
}
words! {
    /// `--resolve`
    ResolveArg => ResolveMode {
        /// At each login, as most drivers do
        Each => ResolveMode::Each,
        /// Once, before the load
        Once => ResolveMode::Once,
    }
}
words! {
    /// `--lang`
    LanguageArg => Language {
        /// English
        En => Language::English,
        /// Español
        Es => Language::Spanish,
    }
}
words! {
    /// `--fail-on`
    SeverityArg => Severity {
        /// Any finding
        Info => Severity::Info,
        /// Warnings and worse
        Warning => Severity::Warning,
        /// Critical findings
        Critical => Severity::Critical,
    }
}

/// `--arrival`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArrivalArg {
    /// Random gaps, as independent clients make them
    Poisson,
    /// Even gaps
    Constant,
}

/// `--auth`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuthArg {
    /// Everybody is let in
    Trust,
    /// Password in clear
    Password,
    /// PostgreSQL's MD5 challenge
    Md5,
    /// PostgreSQL's SCRAM-SHA-256
    Scram,
    /// MySQL's and MariaDB's mysql_native_password
    Native,
    /// MySQL's caching_sha2_password
    #[value(name = "caching-sha2")]
    CachingSha2,
    /// MySQL's sha256_password
    Sha256,
    /// MariaDB's ed25519
    Ed25519,
    /// The operating system's account, over a Unix socket (throwaway MariaDB)
    Socket,
}

impl AuthArg {
    /// The error of an engine that has no such authentication.
    pub(crate) fn not_known_to(self, engine: &str, known: &str) -> anyhow::Error {
        crate::exit::hinted(
            format!("{engine} has no authentication `{}`", typed(&self)),
            format!("leave --auth out, or use {known}"),
        )
    }
}

/// `--server-key`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyArg {
    /// RSA, 2048 bits
    Rsa,
    /// ECDSA on P-256
    Ecdsa,
}

/// `--drop-after`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StepArg {
    /// After the connection was accepted
    Connect,
    /// After the answer to the request for TLS
    Negotiate,
    /// After the TLS handshake
    Tls,
    /// After the authentication
    Authenticate,
    /// When the session is ready
    Session,
    /// After the first query
    Query,
}

words! {
    /// `--protocol`
    ProtocolArg => Protocol {
        /// PostgreSQL
        Postgres => Protocol::Postgres,
        /// MySQL and MariaDB
        Mysql => Protocol::Mysql,
        /// SQL Server (TDS)
        Sqlserver => Protocol::SqlServer,
    }
}

words! {
    /// `--model`, and the model of `serve:MODEL`
    ModelArg => Model {
        /// A thread for each session
        Thread => Model::Thread,
        /// A process for each session
        Process => Model::Process,
        /// One loop (or a few) for all sessions
        Event => Model::Event,
    }
}

/// A word as it is typed.
pub(crate) fn typed(word: &impl ValueEnum) -> String {
    word.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// `--warm-up`
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WarmUpArg {
    /// Until the rate is stationary.
    Auto,
    /// A fixed time, or none.
    For(Duration),
}

fn warm_up(text: &str) -> Result<WarmUpArg, String> {
    if text == "auto" { Ok(WarmUpArg::Auto) } else { time(text).map(WarmUpArg::For) }
}

/// A time with a unit (`500ms`, `10s`, `1m 30s`), or plain seconds.
fn time(text: &str) -> Result<Duration, String> {
    let unclear = || format!("`{text}` is no time: write 500ms, 10s, 2m, or plain seconds");
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| unclear());
    }
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| unclear())?;
    Duration::try_from(parsed).map_err(|_| unclear())
}

pub(crate) fn positive_time(text: &str) -> Result<Duration, String> {
    match time(text)? {
        Duration::ZERO => Err("must be more than nothing".to_owned()),
        time => Ok(time),
    }
}

fn positive_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err(format!("`{text}` is no rate: a number above 0, operations per second")),
    }
}

/// The program name is short, and stands in the server's log: plain words only.
pub(crate) fn tag(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/#".contains(c);
    if !text.is_empty() && text.len() <= 40 && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("up to 40 letters, digits and -_.:/#".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn times() {
        let table = [
            ("15", Some(15_000)),
            ("0.5", Some(500)),
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("2m", Some(120_000)),
            ("1m 30s", Some(90_000)),
            ("-1", None),
            ("-1s", None),
            ("nan", None),
            ("1e300", None),
            ("ten", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(time(text).ok(), expected.map(Duration::from_millis), "{text}");
        }
        assert!(positive_time("0").is_err());
    }

    #[test]
    fn a_tag_is_plain() {
        assert!(tag("CHG0012345").is_ok());
        assert!(tag("a b").is_err());
        assert!(tag("x'; drop").is_err());
        assert!(tag("").is_err());
    }
}
