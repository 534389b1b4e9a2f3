//! `peaje login`: prepares the server and the plan, lets the experiment run, and hands the run to the reports.

mod ports;
mod preflight;
mod site;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use peaje_engine::{Failure, Observer, SourceAddresses};
use peaje_host::Host;
use peaje_lab::{Context, Experiment, Guards, SeriesPlan, Stop};
use peaje_model::{
    Ended, Fact, FirstLogin, Gap, LoginResult, LoginSettings, Mode, Run, SCHEMA, Secret, SeriesSettings, Settings,
    Target, TargetKind, TlsMode, WhatAnswered,
};

use crate::args::LoginArgs;
use crate::consent::{self, Room};
use crate::defaults::{self, Known};
use crate::engines;
use crate::exit::{Status, hinted};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::reports;
use crate::signals;
use crate::target::{self, Choice};

pub(crate) use preflight::{Outcome, error};
pub(crate) use site::{LoginPlan, PoolWords, Site, target};

/// What an engine is asked to measure.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) args: &'a LoginArgs,
    pub(crate) choice: Choice<'a>,
    pub(crate) printer: Printer,
}

pub(crate) fn run(args: &LoginArgs, printer: Printer) -> anyhow::Result<Status> {
    if let Some(name) = &args.safety.reading.grants {
        printer.result(&(engines::by_name(name)?.grants)(grants_target(args, name)?)?)?;
        return Ok(Status::Done);
    }
    let choice = target::choose(args.target.as_deref())?;
    let engine = match choice {
        Choice::Embedded => engines::embedded(),
        Choice::Throwaway(engine) | Choice::Url(engine, _) => engine,
    };
    if args.safety.reading.show_sql {
        printer.result(&(engine.show_sql)())?;
        return Ok(Status::Done);
    }
    check_options(args, choice)?;
    reports::check_places(&args.output)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on((engine.measure)(Request { args, choice, printer }));
    // A look-up that hangs in the resolver must not hold the command up.
    runtime.shutdown_background();
    status
}

/// The connection string that names role and database, when one was typed.
fn grants_target<'a>(args: &'a LoginArgs, engine: &str) -> anyhow::Result<Option<&'a str>> {
    match target::choose(args.target.as_deref())? {
        Choice::Url(of, text) if of.name == engine => Ok(Some(text)),
        Choice::Url(..) | Choice::Embedded | Choice::Throwaway(_) => Ok(None),
    }
}

/// Options that contradict each other, or only make sense for servers that peaje starts.
fn check_options(args: &LoginArgs, choice: Choice<'_>) -> anyhow::Result<()> {
    let load = &args.load;
    if let (Some(min), Some(max)) = (load.pool_min, load.pool_max)
        && max < min
    {
        return Err(hinted(
            format!("--pool-min {min} is more than --pool-max {max}"),
            "raise --pool-max, or lower --pool-min",
        ));
    }
    let d = &args.delays;
    let delays = [d.negotiate_delay, d.tls_delay, d.auth_delay, d.session_delay, d.query_delay];
    let faults = d.refuse_every.is_some() || d.reset_every.is_some() || d.drop_after.is_some();
    let reference = delays.iter().any(Option::is_some) || faults;
    if reference && !matches!(choice, Choice::Embedded) {
        return Err(hinted(
            "delays and faults are for the reference server only",
            "leave the target out, or give them to `peaje serve`",
        ));
    }
    if args.session.access_token_file.is_some() && !matches!(choice, Choice::Url(engine, _) if engine.takes_token) {
        let (those, example) = (engines::titles(|e| e.takes_token), engines::example(|e| e.takes_token));
        return Err(hinted(
            format!("--access-token-file is only for {those}, with a connection string"),
            format!("leave it out, or name the server: {example}"),
        ));
    }
    if matches!(choice, Choice::Url(..)) {
        if args.safety.expect_rejects {
            return Err(hinted(
                "--expect-rejects is only for servers that peaje started: rejected logins can lock an account",
                "leave it out, or try it on the embedded server: `peaje login` without a target",
            ));
        }
        let own = &args.own;
        if own.auth.is_some() || own.server_key.is_some() || own.max_sessions.is_some() {
            return Err(hinted(
                "--auth, --server-key and --max-sessions are only for servers that peaje starts",
                "leave them out: the server itself decides",
            ));
        }
    }
    Ok(())
}

/// Everything known before the load.
pub(crate) struct Prepared {
    pub(crate) settings: LoginSettings,
    pub(crate) target: Target,
    pub(crate) first_login: FirstLogin,
    pub(crate) what_answered: Option<WhatAnswered>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) observer: Option<Box<dyn Observer>>,
    pub(crate) access_token: Option<Secret>,
}

/// When and where a run is made.
#[derive(Clone, Copy)]
pub(crate) struct Occasion<'a> {
    pub(crate) request: Request<'a>,
    pub(crate) host: &'a dyn Host,
    pub(crate) started_at: Timestamp,
}

impl Occasion<'_> {
    /// The run file of logins, before anything is diagnosed.
    pub(crate) fn draft(&self, prepared: &Prepared, ended: Ended, login: LoginResult, more_gaps: Vec<Gap>) -> Run {
        let typed = self.request.args.target.as_deref();
        Run {
            schema: SCHEMA.to_owned(),
            experiment: peaje_model::Experiment::Login,
            target: prepared.target.clone(),
            what_answered: prepared.what_answered.clone(),
            environment: crate::environment::describe(
                self.host,
                typed.map(|typed| (typed, prepared.target.url.as_str())).as_slice(),
            ),
            started_at: self.started_at.to_string(),
            finished_at: Timestamp::now().to_string(),
            ended,
            settings: Settings::Login(prepared.settings.clone()),
            facts: prepared.facts.clone(),
            gaps: prepared.gaps.iter().cloned().chain(more_gaps).collect(),
            findings: Vec::new(),
            watch: None,
            check: None,
            sessions: None,
            login: Some(login),
        }
    }

    /// The run file when the first login, made alone, failed.
    pub(crate) fn draft_of_failure(&self, prepared: &Prepared, failure: &Failure) -> Run {
        let ended = Ended::Stopped { rule: failure.kind.name().to_owned(), message: failure.words() };
        let first_login = Some(prepared.first_login.clone());
        self.draft(prepared, ended, LoginResult { first_login, rtt_us: None, series: Vec::new() }, Vec::new())
    }
}

/// Measures one site: the shared course of all engines.
pub(crate) async fn measure<S: Site>(mut site: S, request: Request<'_>) -> anyhow::Result<Status> {
    let started_at = Timestamp::now();
    let host = peaje_host::this_host();
    let _ = host.raise_open_files_limit();
    let stop = Stop::new();
    signals::watch(stop.clone(), host.as_ref())?;
    for warning in site.warnings() {
        request.printer.say(&format!("note: {warning}"));
    }
    let prepared = tokio::select! {
        biased;
        () = stop.aborted() => return Ok(Status::Interrupted),
        prepared = prepare(&mut site, request, &host) => prepared?,
    };
    let occasion = Occasion { request, host: host.as_ref(), started_at };
    let mut prepared = match prepared {
        preflight::Outcome::Ready(prepared) => *prepared,
        preflight::Outcome::Failed { prepared, failure } => {
            let mut run = occasion.draft_of_failure(&prepared, &failure);
            run.findings = peaje_diagnose::diagnose(&run);
            reports::write_views(&mut run, &request.args.output, request.printer)?;
            return Err(preflight::error(&failure));
        }
    };
    tokio::select! {
        biased;
        () = stop.aborted() => return Ok(Status::Interrupted),
        agreed = agree(&site, &mut prepared, host.as_ref(), request) => agreed?,
    }
    let measured = load(&site, &mut prepared, &host, &stop, request).await?;
    let login = LoginResult {
        first_login: Some(prepared.first_login.clone()),
        rtt_us: measured.rtt_us,
        series: measured.series,
    };
    drop(site);
    let mut run = occasion.draft(&prepared, measured.ended, login, measured.gaps);
    run.findings = peaje_diagnose::diagnose(&run);
    reports::write(&mut run, &request.args.output, request.printer)?;
    Ok(reports::status(&run, &request.args.output))
}

/// Whatever comes before the load: addresses, the login made alone, the server's own words.
pub(crate) async fn prepare<S: Site>(
    site: &mut S,
    request: Request<'_>,
    host: &Arc<dyn Host>,
) -> anyhow::Result<preflight::Outcome> {
    let timeout = request.args.session.login_timeout.or(site.login_timeout()).unwrap_or(DEFAULT_LOGIN_TIMEOUT);
    let (addresses, resolve_us) = preflight::probe(site, timeout).await;
    let local = preflight::is_local(site, &addresses, host.as_ref());
    let known = Known {
        kind: site.kind(),
        local,
        cores: host.identity().cores,
        url_sets_tls: site.kind() == TargetKind::User && site.url_sets_tls(),
        pool: site.pool(),
        login_timeout: timeout,
    };
    let settings = defaults::settings(request.args, known);
    let target = site::target(site, local, (addresses, resolve_us), timeout);
    let access_token = access_token(request.args.session.access_token_file.as_deref())?;
    preflight::run(site, request, settings, target, access_token).await
}

impl Prepared {
    /// A reference server is peaje's own, wherever it was started.
    fn is_reference(&self) -> bool {
        self.what_answered.as_ref().is_some_and(|w| w.reference_server)
    }
}

/// Plans the load, and asks for consent where the server is somebody's.
pub(crate) async fn agree<S: Site>(
    site: &S,
    prepared: &mut Prepared,
    host: &dyn Host,
    request: Request<'_>,
) -> anyhow::Result<()> {
    let reference = prepared.is_reference();
    if reference && request.args.load.source_addresses.is_none() {
        // It lets every loopback address in.
        prepared.settings.source_addresses = defaults::source_addresses(TargetKind::Embedded, &prepared.settings);
    }
    let mut plan = consent::plan(&prepared.settings, prepared.first_login.total_us / 1e6);
    if site.kind() == TargetKind::User {
        plan.log_lines = site.log_lines(&prepared.facts);
        plan.room = if reference { Room::OwnServer } else { room(prepared).await };
        consent::obtain(&plan, &prepared.target.url, request.args.safety.yes, request.printer).await?;
    }
    if let Some(warning) = ports::warning(&prepared.settings, plan.rate_per_s, host) {
        request.printer.say(&format!("note: {warning}"));
    }
    Ok(())
}

/// Free sessions of somebody's server, as the server itself tells.
async fn room(prepared: &mut Prepared) -> Room {
    let Some(observer) = &mut prepared.observer else {
        // Why the observer could not log in, if it was let to try.
        let why = prepared.gaps.first().map(|gap| gap.why.as_str());
        return Room::Unknown(why.unwrap_or("there is no session beside the load").to_owned());
    };
    observer.limits().await.map_or_else(|gap| Room::Unknown(gap.why), Room::Known)
}

/// Runs the experiment.
pub(crate) async fn load<S: Site>(
    site: &S,
    prepared: &mut Prepared,
    host: &Arc<dyn Host>,
    stop: &Stop,
    request: Request<'_>,
) -> anyhow::Result<peaje_lab::Measured> {
    let user_server = site.kind() == TargetKind::User;
    let production = user_server && !prepared.is_reference();
    let server_cpu = site.server_cpu(host, &prepared.target, prepared.what_answered.as_ref());
    // An address of this machine is not yet a server on this machine: a tunnel or a proxy may listen there.
    prepared.target.local &= server_cpu.is_some() || !user_server;
    let series = series(site, prepared)?;
    let mut notes: Vec<String> = Vec::new();
    for note in series.iter().flat_map(|s| site.notes(&s.connector)) {
        if !notes.contains(&note) {
            request.printer.say(&format!("note: {note}"));
            notes.push(note);
        }
    }
    room_for_files(&prepared.settings, site.kind(), host.as_ref())?;
    let progress = Progress::new(series.iter().map(|s| s.label.clone()).collect(), request.printer);
    let progress = std::rc::Rc::new(progress);
    let shown = progress.clone();
    let mut context = Context {
        observer: prepared.observer.take(),
        server_cpu,
        server_cpu_step: server_cpu_step(site.kind()),
        embedded: site.kind() == TargetKind::Embedded,
        host: host.clone(),
        local: prepared.target.local,
        guards: Guards { production, expect_rejects: request.args.safety.expect_rejects },
        stop: stop.clone(),
        tell: Box::new(move |event| shown.show(&event)),
    };
    let experiment = Experiment { series, seed: prepared.settings.seed };
    let measured = peaje_lab::run(experiment, &mut context).await;
    progress.finish();
    if let Some(observer) = context.observer.take() {
        observer.close().await;
    }
    Ok(measured)
}

/// Open files that the command needs beside its sessions.
const OTHER_FILES: u64 = 64;

/// Each session is an open file, and in the embedded server's process two.
fn room_for_files(settings: &LoginSettings, kind: TargetKind, host: &dyn Host) -> anyhow::Result<()> {
    let sessions = u64::from(settings.concurrency.max(settings.pool.max));
    let needed = sessions * if kind == TargetKind::Embedded { 2 } else { 1 } + OTHER_FILES;
    match host.open_files_limit() {
        Some(limit) if limit < needed => Err(hinted(
            format!("{sessions} sessions need about {needed} open files, and this process may have {limit}"),
            format!("raise the limit (ulimit -n {needed}), or lower --concurrency"),
        )),
        _ => Ok(()),
    }
}

/// The embedded server reads its threads' own clocks; of other processes the kernel tells ticks of a hundredth second.
fn server_cpu_step(kind: TargetKind) -> Duration {
    if kind == TargetKind::Embedded { Duration::ZERO } else { Duration::from_millis(10) }
}

/// Series in the order `--mode` outer, `--tls` inner.
fn series<S: Site>(site: &S, prepared: &Prepared) -> anyhow::Result<Vec<SeriesPlan<S::Connector>>> {
    let settings = &prepared.settings;
    let connectors = settings
        .tls
        .iter()
        .map(|&tls| Ok((tls, site.connector(tls, &plan_of(prepared, settings.source_addresses))?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut list = Vec::new();
    for &mode in &settings.modes {
        for (tls, connector) in &connectors {
            list.push(SeriesPlan {
                label: label(mode, *tls),
                mode,
                tls: *tls,
                connector: connector.clone(),
                settings: series_settings(settings, mode),
            });
        }
    }
    Ok(list)
}

/// How each login is made.
pub(crate) fn plan_of(prepared: &Prepared, sources: u32) -> LoginPlan {
    LoginPlan {
        query: prepared.settings.query.clone(),
        close: prepared.settings.close,
        scram_cache: prepared.settings.scram_cache,
        resolve: prepared.settings.resolve,
        sources: SourceAddresses::new(sources),
        skip: preflight::dead(&prepared.target),
        tag: prepared.settings.tag.clone(),
        access_token: prepared.access_token.clone(),
    }
}

/// Tokens are a few thousand bytes long.
const LONGEST_TOKEN: u64 = 1 << 16;

/// The token in the file of `--access-token-file`.
pub(crate) fn access_token(path: Option<&Path>) -> anyhow::Result<Option<Secret>> {
    let Some(path) = path else { return Ok(None) };
    // It may be a pipe from the program that fetches tokens; it ends somewhere.
    let read = std::fs::File::open(path).and_then(|file| {
        let mut text = String::new();
        file.take(LONGEST_TOKEN).read_to_string(&mut text).map(|_| text)
    });
    let text = read.map_err(|e| {
        hinted(
            format!("the access token in {} cannot be read: {e}", path.display()),
            "write the token alone into a file that only you can read",
        )
    })?;
    match text.trim() {
        "" => Err(hinted(format!("{} is empty", path.display()), "write the access token into it")),
        token => Ok(Some(Secret::new(token))),
    }
}

fn label(mode: Mode, tls: TlsMode) -> String {
    match tls {
        TlsMode::AsUrl => mode.name().to_owned(),
        other => format!("{}, TLS {}", mode.name(), other.name()),
    }
}

fn series_settings(s: &LoginSettings, mode: Mode) -> SeriesSettings {
    SeriesSettings {
        arrival: s.arrival,
        concurrency: s.concurrency,
        iterations: s.iterations,
        operations: s.operations,
        duration_s: s.duration_s,
        warm_up: s.warm_up,
        slices: s.slices,
        threads: if mode == Mode::Pooled { 1 } else { s.threads },
        query: s.query.clone(),
        close: s.close,
        scram_cache: s.scram_cache,
        resolve: s.resolve,
        pool: (mode == Mode::Pooled).then_some(s.pool),
        login_timeout_s: s.login_timeout_s,
    }
}

/// That of ADO.NET, and of most who set one.
pub(crate) const DEFAULT_LOGIN_TIMEOUT: Duration = Duration::from_secs(15);

/// The login timeout of the settings.
fn login_timeout(settings: &LoginSettings) -> Duration {
    Duration::from_secs_f64(settings.login_timeout_s)
}
