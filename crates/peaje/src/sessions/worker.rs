//! Worker processes: this program again, holding the part of the sessions for which one process may not open enough files.
//!
//! What a worker needs to log in, secrets included, goes over its standard input: arguments and environment of a process can
//! be read by others. A worker ends when its input ends, however peaje ends.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::Command;

use anyhow::Context;
use peaje_engine::SourceAddresses;
use peaje_lab::Stop;
use peaje_lab::sessions::{self, Held, HoldNumbers, HoldPlan};
use peaje_model::{CloseMode, ResolveMode, ScramCache, Secret, TlsMode};
use serde::{Deserialize, Serialize};

use crate::engines;
use crate::exit::Status;
use crate::login::{LoginPlan, Site};

/// The hidden subcommand of a worker.
pub(crate) const WORD: &str = "hold-sessions";

/// Whether files and variables of the user have a say in a connection string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Around {
    /// They have: somebody's server.
    User,
    /// They have not: a server that peaje started.
    Nothing,
}

/// A connection string with which a worker comes to the same server.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub(crate) text: Secret,
    pub(crate) around: Around,
}

impl Way {
    pub(crate) fn of_user(text: &str) -> Self {
        Self { text: Secret::new(text), around: Around::User }
    }

    pub(crate) fn of_own(text: &str) -> Self {
        Self { text: Secret::new(text), around: Around::Nothing }
    }
}

/// The first line to a worker. It is sent as it is: no `Debug`, so that it reaches nothing else.
#[derive(Serialize, Deserialize)]
struct Hello {
    engine: String,
    text: String,
    around: Around,
    /// The password that is known by now, wherever it came from.
    password: Option<String>,
    access_token: Option<String>,
    tls: TlsMode,
    query: String,
    warm: Vec<String>,
    close: CloseMode,
    scram_cache: ScramCache,
    resolve: ResolveMode,
    sources: u32,
    skip: Vec<SocketAddr>,
    tag: Option<String>,
}

/// What an engine needs to become a worker.
pub(crate) struct Job {
    hello: Hello,
    input: Box<dyn BufRead + Send>,
}

impl Job {
    pub(crate) fn text(&self) -> &str {
        &self.hello.text
    }

    pub(crate) fn around(&self) -> Around {
        self.hello.around
    }
}

/// Those who hold the sessions of a ladder: threads of this process, or so many worker processes.
pub(crate) fn hold<S: Site>(
    site: &S,
    tls: TlsMode,
    plan: &LoginPlan,
    warm: &[String],
    workers: u32,
    numbers: HoldNumbers,
    stop: &Stop,
) -> anyhow::Result<Held> {
    if workers == 0 {
        let (connector, warm) = connectors(site, tls, plan, warm)?;
        return Ok(Held::here(HoldPlan { connector, warm, numbers }, stop)?);
    }
    let hello = hello(site, tls, plan, warm);
    let line = Secret::new(serde_json::to_string(&hello)?);
    let program = program()?;
    let command = || {
        let mut command = Command::new(&program);
        command.arg(WORD);
        command
    };
    Ok(Held::spread(workers, numbers, &line, &command, stop)?)
}

/// This program. On Linux also when its file has been replaced meanwhile.
fn program() -> anyhow::Result<std::path::PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    std::env::current_exe().context("the file of this program is not known, and its workers need it")
}

fn hello<S: Site>(site: &S, tls: TlsMode, plan: &LoginPlan, warm: &[String]) -> Hello {
    let way = site.way();
    let exposed = |secret: Option<Secret>| secret.map(|s| s.expose().to_owned());
    Hello {
        engine: S::ENGINE.to_owned(),
        text: way.text.expose().to_owned(),
        around: way.around,
        password: exposed(site.password()),
        access_token: exposed(plan.access_token.clone()),
        tls,
        query: plan.query.clone(),
        warm: warm.to_vec(),
        close: plan.close,
        scram_cache: plan.scram_cache,
        resolve: plan.resolve,
        sources: plan.sources.count(),
        skip: plan.skip.clone(),
        tag: plan.tag.clone(),
    }
}

/// The connector of the ladder, and one for each warm statement.
fn connectors<S: Site>(
    site: &S,
    tls: TlsMode,
    plan: &LoginPlan,
    warm: &[String],
) -> anyhow::Result<(S::Connector, Vec<S::Connector>)> {
    let with = |query: &String| site.connector(tls, &LoginPlan { query: query.clone(), ..plan.clone() });
    Ok((site.connector(tls, plan)?, warm.iter().map(with).collect::<anyhow::Result<_>>()?))
}

/// `peaje hold-sessions`: a worker.
pub(crate) fn run() -> anyhow::Result<Status> {
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    input.read_line(&mut line).context("the first line could not be read")?;
    let hello: Hello = serde_json::from_str(&line)
        .map_err(|_| anyhow::anyhow!("`{WORD}` is for peaje itself: it is told what to do on its standard input"))?;
    let engine = engines::by_name(&hello.engine)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let worked = runtime.block_on((engine.work)(Job { hello, input: Box::new(input) }));
    // A look-up that hangs in the resolver must not hold the worker up.
    runtime.shutdown_background();
    if let Err(error) = &worked {
        sessions::refuse(&format!("{error:#}"), std::io::stdout());
    }
    worked
}

/// The course of a worker once its engine has understood the connection string.
pub(crate) async fn work<S: Site>(mut site: S, job: Job) -> anyhow::Result<Status> {
    let hello = job.hello;
    if let Some(password) = hello.password {
        site.give_password(Secret::new(password));
    }
    let plan = LoginPlan {
        query: hello.query,
        close: hello.close,
        scram_cache: hello.scram_cache,
        resolve: hello.resolve,
        sources: SourceAddresses::new(hello.sources),
        skip: hello.skip,
        tag: hello.tag,
        access_token: hello.access_token.map(Secret::new),
    };
    let (connector, warm) = connectors(&site, hello.tls, &plan, &hello.warm)?;
    sessions::work(connector, warm, job.input, std::io::stdout()).await?;
    Ok(Status::Done)
}
