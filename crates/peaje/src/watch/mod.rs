//! `peaje watch`: opens the servers (or a recording), shows who logs in and out, and ends with a run.
//!
//! Everything that is said of a group comes from the record of readings alone, so a recording says the same again.

mod args;
mod judging;
mod live;
mod metrics;
mod outcome;
mod redacted;
mod replay;
mod rows;
mod said;
mod view;

pub(crate) use args::WatchArgs;

use crate::engines;
use crate::exit::{Status, hinted};
use crate::printer::Printer;
use crate::reports;
use crate::target::{self, Choice};

pub(crate) fn run(args: &WatchArgs, printer: Printer) -> anyhow::Result<Status> {
    if args.screen.rules {
        printer.result(&peaje_watch::prometheus_rules::yaml())?;
        return Ok(Status::Done);
    }
    if let Some(name) = &args.session.grants {
        let engine = engines::by_name(name)?;
        let target = args.targets.first().map(String::as_str).filter(|text| (engine.is_target)(text));
        printer.result(&(engine.grants)(target)?)?;
        return Ok(Status::Done);
    }
    reports::check_places(&args.output)?;
    if let Some(file) = &args.recording.replay {
        return replay::run(file, args, printer);
    }
    let servers = servers(args)?;
    if args.session.show_sql {
        let mut engines: Vec<_> = servers.iter().map(|(engine, _)| *engine).collect();
        engines.dedup_by_key(|engine| engine.name);
        for engine in engines {
            printer.result(&(engine.show_sql)())?;
        }
        return Ok(Status::Done);
    }
    live::run(&servers, args, printer)
}

/// The servers to watch, each with its engine.
fn servers(args: &WatchArgs) -> anyhow::Result<Vec<(&'static engines::Engine, &str)>> {
    if args.targets.is_empty() {
        return Err(hinted(
            "there is no server to watch",
            "name one (peaje watch postgresql://user@host/database), or a recording (peaje watch --replay FILE)",
        ));
    }
    args.targets.iter().map(|text| server(text)).collect()
}

fn server(text: &str) -> anyhow::Result<(&'static engines::Engine, &str)> {
    match target::choose(Some(text))? {
        Choice::Url(engine, text) => Ok((engine, text)),
        Choice::Throwaway(_) | Choice::Embedded => Err(hinted(
            format!("`{text}` would start a new server, where nobody logs in"),
            "name a server that is there; to try it out, start one in another terminal: peaje serve",
        )),
    }
}
