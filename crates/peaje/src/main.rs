//! The command `peaje`: arguments become settings, settings become a plan, a run becomes reports and an exit code.

mod args;
mod ask;
mod check;
mod consent;
mod defaults;
mod engines;
mod environment;
mod exit;
mod explain;
mod files;
mod language;
mod local_server;
mod login;
mod overview;
mod printer;
mod progress;
mod report;
mod reports;
mod serve;
mod sessions;
mod signals;
mod subject;
mod target;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::printer::Printer;

fn main() -> ExitCode {
    let args = Args::parse_from(target::with_check(std::env::args_os()));
    let mut printer = Printer::new(args.quiet);
    if args.command.as_ref().is_some_and(Command::redacts) {
        printer = printer.redacting(std::env::args_os().filter_map(|arg| arg.into_string().ok()));
    }
    let result = match args.command {
        None => overview::run(printer),
        Some(Command::Check(check)) => check::run(&check, printer),
        Some(Command::Login(login)) => login::run(&login, printer),
        Some(Command::Sessions(sessions)) => sessions::run(&sessions, printer),
        Some(Command::Watch(watch)) => watch::run(&watch, printer),
        Some(Command::Serve(serve)) => serve::run(&serve, printer),
        Some(Command::Report(report)) => report::run(&report, printer),
        Some(Command::HoldSessions) => sessions::worker::run(),
        Some(Command::ReferenceServer) => serve::run_apart(),
        Some(Command::Explain(explain)) => explain::run(&explain, printer),
    };
    exit::code(result, printer)
}
