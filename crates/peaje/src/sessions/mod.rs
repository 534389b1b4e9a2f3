//! `peaje sessions`: opens the targets one after the other, climbs each ladder, and puts one run together.
//!
//! Targets are never measured at the same time: what one of them takes would be seen as the other's.

mod args;
mod climb;
mod eye;
mod ground;
mod guard;
mod ladder;
mod observe;
mod outcome;
mod plan;
mod screen;
mod served;
mod settings;
mod targets;
mod told;
mod values;
pub(crate) mod worker;

use clap::Parser;
use jiff::Timestamp;
use peaje_lab::Stop;
use peaje_report::StepTable;

use self::climb::{Climbed, Shared};
use self::screen::{Rows, Screen};
use self::settings::Owner;
use self::targets::Word;
use crate::args::{Args, Command, LoginArgs, ModeArg, TlsArg};
use crate::engines;
use crate::exit::{Status, hinted};
use crate::login::{self, Request};
use crate::printer::Printer;
use crate::target::Choice;
use crate::{files, language, reports, signals};

pub(crate) use args::SessionsArgs;
pub(crate) use climb::{Ask, End, climb};
pub(crate) use values::size;

/// Sessions that a server which peaje starts takes beside those of the ladder: observers, probes, whoever looks.
const ROOM_TO_SPARE: u64 = 40;

pub(crate) fn run(args: &SessionsArgs, printer: Printer) -> anyhow::Result<Status> {
    if args.memory.observe {
        let memory = &args.memory;
        let watched =
            observe::Observe { server_pid: memory.server_pid, port: memory.server_port, interval: memory.interval };
        observe::run(&watched, printer)?;
        return Ok(Status::Done);
    }
    if let Some(name) = &args.safety.reading.grants {
        let engine = engines::by_name(name)?;
        let target = args.targets.first().map(String::as_str).filter(|text| (engine.is_target)(text));
        printer.result(&(engine.grants)(target)?)?;
        return Ok(Status::Done);
    }
    let words = targets::understand(&args.targets)?;
    if args.safety.reading.show_sql {
        return show_sql(&words, args, printer);
    }
    let owner = targets::owner(&words);
    check_options(args, &words)?;
    reports::check_places(&args.output)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(measure(args, &words, owner, printer));
    // A look-up that hangs in the resolver, and a question that nobody answers, must not hold the command up.
    runtime.shutdown_background();
    status
}

fn show_sql(words: &[Word<'_>], args: &SessionsArgs, printer: Printer) -> anyhow::Result<Status> {
    let mut shown: Vec<&str> = Vec::new();
    for word in words {
        let engine = match word {
            Word::Serve(_) => engines::of_protocol(args.model.protocol.into()),
            Word::Choice(Choice::Throwaway(engine) | Choice::Url(engine, _), _) => engine,
            Word::Choice(Choice::Embedded, _) => engines::embedded(),
        };
        if !shown.contains(&engine.name) {
            shown.push(engine.name);
            printer.result(&(engine.show_sql)())?;
        }
    }
    Ok(Status::Done)
}

/// Options that make no sense for these targets.
fn check_options(args: &SessionsArgs, words: &[Word<'_>]) -> anyhow::Result<()> {
    let memory = &args.memory;
    if words.len() > 1 && (memory.server_pid.is_some() || memory.observed_by.is_some()) {
        return Err(hinted(
            "--server-pid and --observed-by speak of one server, and several targets were named",
            "measure that server alone",
        ));
    }
    let own = &args.own;
    let typed = own.auth.is_some() || own.server_key.is_some() || own.max_sessions.is_some();
    if typed && words.iter().all(|word| matches!(word, Word::Choice(Choice::Url(..), _))) {
        return Err(hinted(
            "--auth, --server-key and --max-sessions are only for servers that peaje starts",
            "leave them out: the server itself decides",
        ));
    }
    let model = &args.model;
    let typed = model.session_memory.is_some() || model.shared_memory.is_some() || model.cgroup.is_some();
    if typed && !words.iter().any(|word| matches!(word, Word::Serve(_))) {
        return Err(hinted(
            "--session-memory, --shared-memory and --cgroup are only for `serve:MODEL`",
            "leave them out, or measure serve:thread, serve:process or serve:event",
        ));
    }
    if args.session.access_token_file.is_some()
        && !words.iter().all(|word| matches!(word, Word::Choice(Choice::Url(engine, _), _) if engine.takes_token))
    {
        return Err(hinted(
            format!("--access-token-file is only for {}", engines::titles(|engine| engine.takes_token)),
            "leave it out, or name such servers alone",
        ));
    }
    Ok(())
}

async fn measure(args: &SessionsArgs, words: &[Word<'_>], owner: Owner, printer: Printer) -> anyhow::Result<Status> {
    let started_at = Timestamp::now();
    let host = peaje_host::this_host();
    let interrupted = Stop::new();
    signals::watch(interrupted.clone(), host.as_ref())?;
    let timeout = args.session.login_timeout.unwrap_or(login::DEFAULT_LOGIN_TIMEOUT);
    let settings = settings::settings(args, owner, timeout)?;
    let shared = Shared { args, settings, host, interrupted: interrupted.clone(), screen: screen(args, printer) };
    if args.targets.is_empty() {
        printer.say("reference server: these numbers describe this machine, not your database");
    }
    let mut climbed: Vec<Climbed> = Vec::new();
    let mut status = Status::Done;
    for (position, word) in words.iter().enumerate() {
        if interrupted.rule().is_some() {
            break;
        }
        match one(*word, args.targets.get(position), &shared, printer).await {
            Ok(End::Measured(target)) => {
                if let Some(failure) = &target.failure {
                    printer.error(&login::error(failure));
                    status = Status::CouldNot;
                }
                climbed.push(*target);
            }
            Ok(End::Planned) => {}
            Ok(End::Interrupted) => status = Status::Interrupted,
            // With others measured already, their figures are worth more than an early end.
            Err(error) if words.len() > 1 => {
                printer.error(&error);
                status = Status::CouldNot;
            }
            Err(error) => return Err(error),
        }
    }
    if climbed.is_empty() {
        return Ok(status);
    }
    let written = outcome::write(climbed, &shared, started_at, printer)?;
    Ok(if written == Status::Interrupted || status == Status::Done { written } else { status })
}

fn screen(args: &SessionsArgs, printer: Printer) -> Screen {
    let documents = [&args.output.json, &args.output.csv, &args.output.html];
    let document = documents.iter().any(|place| place.as_deref().is_some_and(files::is_stdout));
    let table = StepTable::new(language::choose(args.output.lang), reports::width());
    Screen::new(table, printer, if document { Rows::Talk } else { Rows::Result })
}

/// Measures one target; a server that peaje starts for it is gone when this returns.
async fn one(word: Word<'_>, typed: Option<&String>, shared: &Shared<'_>, printer: Printer) -> anyhow::Result<End> {
    let args = shared.args;
    let last = shared.settings.steps.last().copied().unwrap_or(0);
    let sessions = u32::try_from(last + ROOM_TO_SPARE + u64::from(shared.settings.concurrency)).unwrap_or(u32::MAX);
    match word {
        Word::Serve(model) => {
            let served = served::start(model, args, sessions)?;
            let label = typed.cloned().unwrap_or_else(|| targets::word(model));
            let login = login_args(args, &served.url, sessions, TlsArg::Off);
            let choice = Choice::Url(served.engine, &served.url);
            let request = Request { args: &login, choice, printer };
            let ask = Ask {
                request,
                reference: Some(&served.url),
                served: Some(&served.server),
                model: Some(model),
                label: &label,
                shared,
            };
            (served.engine.sessions)(ask).await
        }
        Word::Choice(choice, text) => {
            let (engine, tls) = match choice {
                Choice::Throwaway(engine) => (engine, TlsArg::Off),
                Choice::Url(engine, _) => (engine, TlsArg::AsUrl),
                Choice::Embedded => (engines::embedded(), TlsArg::Off),
            };
            let login = login_args(args, text, sessions, tls);
            let request = Request { args: &login, choice, printer };
            let ask = Ask { request, reference: None, served: None, model: None, label: text, shared };
            (engine.sessions)(ask).await
        }
    }
}

/// A session as the login of `peaje login` that it begins with.
fn login_args(args: &SessionsArgs, target: &str, sessions: u32, tls: TlsArg) -> LoginArgs {
    let Some(Command::Login(login)) = Args::parse_from(["peaje", "login"]).command else {
        unreachable!("`login` was parsed")
    };
    let mut login = *login;
    login.target = Some(target.to_owned());
    login.load.logins = Some(1);
    login.load.concurrency = Some(1);
    login.load.mode = vec![ModeArg::Unpooled];
    login.load.tls = vec![args.ladder.tls.unwrap_or(tls)];
    login.session = args.session.clone();
    login.safety.reading.no_observer = args.safety.reading.no_observer;
    login.own = args.own.clone();
    login.own.max_sessions = login.own.max_sessions.or(Some(sessions));
    login.output = args.output.clone();
    login
}
