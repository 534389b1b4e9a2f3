//! The command `peaje`: arguments become settings, settings become a plan, a run becomes reports and an exit code.

mod args;
mod ask;
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
mod mysql;
mod overview;
mod postgres;
mod printer;
mod progress;
mod report;
mod reports;
mod serve;
mod signals;
mod sqlserver;
mod target;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::printer::Printer;

fn main() -> ExitCode {
    let args = Args::parse();
    let printer = Printer::new(args.quiet);
    let result = match args.command {
        None => overview::run(printer),
        Some(Command::Login(login)) => login::run(&login, printer),
        Some(Command::Serve(serve)) => serve::run(&serve, printer),
        Some(Command::Report(report)) => report::run(&report, printer),
        Some(Command::Explain(explain)) => explain::run(&explain, printer),
    };
    exit::code(result, printer)
}
