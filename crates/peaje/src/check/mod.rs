//! `peaje check URL…`: everything that can be found without load, on one screen; and the findings of a saved run.
//!
//! It is the visit of a doctor: it reads what the server tells, makes 20 logins one after the other, and says what stands
//! out. A newcomer would expect 0 whenever it could look: like a linter it exits with 1 when something serious stands.

mod args;
mod machine;
mod visit;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use peaje_model::{CheckResult, Run, Severity};

use crate::args::{Args, Command, LoginArgs, OutputArgs, SeverityArg};
use crate::engines::{Engine, Running};
use crate::exit::{Status, hinted};
use crate::files;
use crate::login::Request;
use crate::printer::Printer;
use crate::report;
use crate::reports;
use crate::target::{self, Choice};

pub(crate) use args::CheckArgs;
pub(crate) use visit::visit;

/// The probe ends by then, whatever the server does: the whole visit stays below a minute.
const PROBE_LIMIT: Duration = Duration::from_secs(12);

/// A server to be visited.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a> {
    /// The logins of the probe.
    pub(crate) login: Request<'a>,
    /// Whether there is a probe.
    pub(crate) probe: u32,
    /// The earlier visit.
    pub(crate) since: Option<&'a Earlier>,
    /// Connection strings of the other servers: they may hold passwords.
    pub(crate) others: &'a [String],
}

/// An earlier visit: where it lies, when it was, and what it saw.
pub(crate) struct Earlier {
    pub(crate) place: String,
    pub(crate) at: String,
    pub(crate) result: Option<CheckResult>,
}

pub(crate) fn run(args: &CheckArgs, printer: Printer) -> anyhow::Result<Status> {
    if let Some(path) = &args.run {
        return judge(report::load(path)?, &output_of(&args.output, None), printer);
    }
    let choices = choices(args)?;
    if args.show_sql {
        for choice in &choices {
            printer.result(&(choice.engine().show_sql)())?;
        }
        return Ok(Status::Done);
    }
    let outputs: Vec<OutputArgs> = numbers(choices.len()).map(|number| output_of(&args.output, number)).collect();
    for output in &outputs {
        reports::check_places(output)?;
    }
    check_html(&args.output, choices.len())?;
    let earlier = args.since.as_deref().map(earlier).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut worst = Status::Done;
    for (index, (choice, output)) in choices.into_iter().zip(outputs).enumerate() {
        if index > 0 {
            printer.say("");
        }
        let login = login_args(args, &args.targets[index], output);
        let request = Request { args: &login, choice, printer };
        let visit = Visit { login: request, probe: args.probe, since: earlier.as_ref(), others: &args.targets };
        let status = runtime.block_on((choice.engine().check)(visit)).unwrap_or_else(|error| {
            printer.error(&error);
            Status::CouldNot
        });
        worst = worse(worst, status);
        if status == Status::Interrupted {
            break;
        }
    }
    // A look-up that hangs in the resolver must not hold the command up.
    runtime.shutdown_background();
    Ok(worst)
}

/// What an engine does for a check.
pub(crate) type Check = for<'a> fn(Visit<'a>) -> Running<'a>;

/// The servers asked for; all words are understood before the first one is visited.
fn choices(args: &CheckArgs) -> anyhow::Result<Vec<Choice<'_>>> {
    if args.targets.is_empty() {
        return Err(hinted(
            "there is nothing to check: no server was named",
            "peaje check postgresql://USER@HOST/DATABASE (or mysql://…, mssql://…, a string pasted from an application); \
             `peaje check postgres:` shows the answer of a throwaway server; --run FILE judges a saved run",
        ));
    }
    let choices: Vec<Choice<'_>> =
        args.targets.iter().map(|word| target::choose(Some(word))).collect::<anyhow::Result<_>>()?;
    if args.since.is_some() && choices.len() > 1 {
        return Err(hinted("--since compares two visits to one server", "name that server alone"));
    }
    let takes_token = |choice: &Choice<'_>| matches!(choice, Choice::Url(engine, _) if engine.takes_token);
    if args.access_token_file.is_some() && !choices.iter().all(takes_token) {
        return Err(hinted("--access-token-file is only for SQL Server", "leave it out, or name such servers alone"));
    }
    Ok(choices)
}

impl Choice<'_> {
    fn engine(&self) -> &'static Engine {
        match self {
            Choice::Embedded => crate::engines::embedded(),
            Choice::Throwaway(engine) | Choice::Url(engine, _) => engine,
        }
    }
}

/// 130 before 2 before 1 before 0.
fn worse(a: Status, b: Status) -> Status {
    let order = [Status::Done, Status::NotHealthy, Status::CouldNot, Status::Interrupted];
    let place = |status| order.iter().position(|s| *s == status);
    if place(b) > place(a) { b } else { a }
}

/// The numbers of several servers; a single one has none.
fn numbers(servers: usize) -> impl Iterator<Item = Option<usize>> {
    (1..=servers).map(move |number| (servers > 1).then_some(number))
}

/// Where the results of this server go, and what fails.
fn output_of(output: &OutputArgs, number: Option<usize>) -> OutputArgs {
    let numbered = |path: &Option<PathBuf>| path.as_deref().map(|path| with_number(path, number));
    OutputArgs {
        json: numbered(&output.json),
        csv: numbered(&output.csv),
        html: numbered(&output.html),
        redact: output.redact,
        lang: output.lang,
        fail_on: output.fail_on.or(Some(SeverityArg::Warning)),
    }
}

/// `all.json` of the second server is `all-2.json`.
fn with_number(path: &Path, number: Option<usize>) -> PathBuf {
    let Some(number) = number.filter(|_| !files::is_stdout(path) && !path.starts_with("/dev")) else {
        return path.to_owned();
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(ending) => format!("{stem}-{number}.{}", ending.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    path.with_file_name(name)
}

fn check_html(output: &OutputArgs, servers: usize) -> anyhow::Result<()> {
    if servers > 1 && output.html.as_deref().is_some_and(files::is_stdout) {
        return Err(hinted("several pages cannot go to standard output", "give --html a file"));
    }
    Ok(())
}

fn earlier(path: &Path) -> anyhow::Result<Earlier> {
    let run = report::load(path)?;
    Ok(Earlier { place: path.display().to_string(), at: run.started_at, result: run.check })
}

/// The probe as the logins of `peaje login` that it is.
fn login_args(args: &CheckArgs, target: &str, output: OutputArgs) -> LoginArgs {
    let Some(Command::Login(login)) = Args::parse_from(["peaje", "login"]).command else {
        unreachable!("`login` was parsed")
    };
    let mut login = *login;
    login.target = Some(target.to_owned());
    login.load.logins = Some(u64::from(args.probe.max(1)));
    login.load.duration = Some(PROBE_LIMIT);
    login.load.concurrency = Some(1);
    login.load.mode = vec![crate::args::ModeArg::Unpooled];
    login.load.tls = vec![crate::args::TlsArg::AsUrl];
    login.session.tag.clone_from(&args.tag);
    login.session.login_timeout = args.login_timeout;
    login.session.access_token_file.clone_from(&args.access_token_file);
    login.safety.yes = args.yes;
    login.output = output;
    login
}

/// A saved run, with the rules of this version.
fn judge(mut run: Run, output: &OutputArgs, printer: Printer) -> anyhow::Result<Status> {
    reports::check_places(output)?;
    run.findings = peaje_diagnose::diagnose(&run);
    reports::write(&mut run, output, printer)?;
    let serious = output.fail_on.map_or(Severity::Warning, Severity::from);
    // What the run found decides: an old interruption is no failure of this command.
    Ok(if reports::stands(&run, serious) { Status::NotHealthy } else { Status::Done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_servers_have_a_file_each() {
        for (path, number, expected) in [
            ("all.json", None, "all.json"),
            ("all.json", Some(2), "all-2.json"),
            ("out/all", Some(1), "out/all-1"),
            ("-", Some(2), "-"),
            ("/dev/stderr", Some(2), "/dev/stderr"),
            ("a.b/x.tar.gz", Some(3), "a.b/x.tar-3.gz"),
        ] {
            assert_eq!(with_number(Path::new(path), number), Path::new(expected), "{path}");
        }
        assert_eq!(numbers(1).collect::<Vec<_>>(), [None]);
        assert_eq!(numbers(2).collect::<Vec<_>>(), [Some(1), Some(2)]);
    }

    #[test]
    fn the_worst_exit_code_wins() {
        use Status as S;
        for (a, b, expected) in [
            (S::Done, S::Done, S::Done),
            (S::NotHealthy, S::Done, S::NotHealthy),
            (S::NotHealthy, S::CouldNot, S::CouldNot),
            (S::Interrupted, S::CouldNot, S::Interrupted),
        ] {
            assert_eq!(worse(a, b), expected);
            assert_eq!(worse(b, a), expected);
        }
    }
}
