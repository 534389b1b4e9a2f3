//! Memory seen by one peaje for another: `--observe` prints a sample as a JSON line at each interval, `--observed-by`
//! reads such a stream while sessions are opened from elsewhere.
//!
//! The observer needs no database and no network: it reads processes of its own machine, and stops when nobody reads.

mod follow;
mod samples;

use std::time::Duration;

use anyhow::Context;
use peaje_host::{Host, ProcessSet, this_host};
use peaje_lab::Stop;

use crate::exit::hinted;
use crate::printer::{Heard, Printer};
use crate::signals;

pub(crate) use follow::Observed;

/// What is observed.
#[derive(Debug, Clone)]
pub(crate) struct Observe {
    /// The server's first process; its descendants belong to it.
    pub(crate) server_pid: Option<u32>,
    /// Or whoever listens on this port. Without either only the machine is observed.
    pub(crate) port: Option<u16>,
    /// Time between two samples.
    pub(crate) interval: Duration,
}

/// Prints samples until it is stopped, or nobody reads them any more.
pub(crate) fn run(observe: &Observe, printer: Printer) -> anyhow::Result<()> {
    let host = this_host();
    let server = server(observe, host.as_ref())?;
    if let Some(pid) = server.as_ref().and_then(ProcessSet::root) {
        let name = host.process_name(pid).unwrap_or_default();
        printer.say(&format!("observing process {pid} ({name}) and its descendants; Ctrl-C ends it"));
    } else {
        printer.say("observing this machine only: name the server with --server-pid or --server-port; Ctrl-C ends it");
    }
    let stop = Stop::new();
    signals::watch(stop.clone(), host.as_ref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(print(observe.interval, host.as_ref(), server.as_ref(), &stop, printer))
}

async fn print(
    interval: Duration,
    host: &dyn Host,
    server: Option<&ProcessSet>,
    stop: &Stop,
    printer: Printer,
) -> anyhow::Result<()> {
    let mut ticks = tokio::time::interval(interval);
    // A look that takes longer than the interval must not be followed by several at once.
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut said = None;
    loop {
        tokio::select! {
            biased;
            () = stop.aborted() => return Ok(()),
            _ = ticks.tick() => {}
        }
        let look = host.memory_sample(server);
        // Each reason once: the sample itself has no place for it.
        if look.gap != said {
            if let Some(gap) = &look.gap {
                let next = gap.next_step.as_ref().map(|step| format!("\n  next: {step}")).unwrap_or_default();
                printer.always_say(&format!("{} not known: {}{next}", gap.what, gap.why));
            }
            said = look.gap;
        }
        let line = serde_json::to_string(&look.sample).context("a sample always has a JSON form")?;
        if printer.stream(&line).context("cannot write to standard output")? == Heard::ReaderGone {
            return Ok(());
        }
    }
}

fn server(observe: &Observe, host: &dyn Host) -> anyhow::Result<Option<ProcessSet>> {
    if let Some(pid) = observe.server_pid {
        return match host.process_name(pid) {
            Some(_) => Ok(Some(ProcessSet::tree(pid))),
            None => Err(hinted(
                format!("there is no process {pid} here"),
                "give --server-pid the number of the postmaster, mysqld or sqlservr on this machine, outside containers",
            )),
        };
    }
    let Some(port) = observe.port else { return Ok(None) };
    match host.port_pid(port) {
        Some(pid) => Ok(Some(ProcessSet::tree(pid))),
        None => Err(hinted(
            format!("no process of this machine is known to listen on port {port}"),
            "run it as root or as the server's own account, or name the process with --server-pid",
        )),
    }
}
