//! A worker process, as peaje sees it: orders go to its standard input, reports come from its standard output.
//!
//! Secrets go the same way, in the first line: arguments and environment of a process are open to others. A worker ends
//! when its input ends, so that whatever ends peaje ends its workers.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use peaje_model::Secret;

use super::HeldError;
use super::gauge::{Counters, Gauge};
use super::holder::all_dropped;
use super::order::{Beginning, FromWorker, Order, ToWorker};
use super::thread::{Reports, Said};
use crate::stop::{Stop, StopRule};

/// Time for the goodbyes of a worker that is not needed any more, and for its end.
const LEAVE_LIMIT: Duration = Duration::from_secs(5);

/// One worker.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    counters: Arc<Counters>,
}

/// A worker that was started and has not said yet that it is ready.
pub(super) struct Starting {
    process: Process,
    output: Lines<BufReader<ChildStdout>>,
}

impl Starting {
    /// Starts a worker and tells it what it needs to know.
    pub(super) fn start(
        mut command: Command,
        hello: &Secret,
        beginning: Beginning,
        counters: Arc<Counters>,
    ) -> Result<Self, HeldError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C of a terminal goes to a whole group: peaje alone decides what its workers do then.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(HeldError::Process)?;
        let output = child.stdout.take().expect("it was asked for");
        let mut process = Process { input: child.stdin.take(), child, counters };
        process.line(hello.expose());
        process.say(&ToWorker::Begin(beginning));
        Ok(Self { process, output: BufReader::new(output).lines() })
    }

    /// Waits until the worker is ready; from then on its words are listened to.
    pub(super) fn ready(
        mut self,
        number: usize,
        reports: Reports,
        gauge: Gauge,
        stop: Stop,
    ) -> Result<Process, HeldError> {
        match self.output.next().map(|line| line.map(|line| parse(&line))) {
            Some(Ok(Ok(FromWorker::Ready))) => {}
            Some(Ok(Ok(FromWorker::Refused(words)))) => return Err(HeldError::Refused(words)),
            Some(Ok(Ok(other))) => return Err(HeldError::Words(format!("{other:?} in place of a beginning"))),
            Some(Ok(Err(error))) => return Err(HeldError::Words(error.to_string())),
            Some(Err(error)) => return Err(HeldError::Process(error)),
            None => return Err(HeldError::Refused("it ended before it began".to_owned())),
        }
        let counters = self.process.counters.clone();
        let listen = move || listen(number, self.output, &counters, &reports, &gauge, &stop);
        std::thread::Builder::new().name(format!("worker-{number}")).spawn(listen).map_err(HeldError::Thread)?;
        Ok(self.process)
    }
}

fn parse(line: &str) -> Result<FromWorker, serde_json::Error> {
    serde_json::from_str(line)
}

fn listen(
    number: usize,
    lines: Lines<BufReader<ChildStdout>>,
    counters: &Counters,
    reports: &Reports,
    gauge: &Gauge,
    stop: &Stop,
) {
    let mut dropped = 0;
    for line in lines.map_while(Result::ok) {
        match parse(&line) {
            Ok(FromWorker::Report(report)) => {
                let _ = reports.send((number, Said::Report(report)));
            }
            Ok(FromWorker::State(state)) => {
                counters.set(state);
                if state.dropped > dropped
                    && let Some(sessions) = gauge.all_dropped()
                {
                    stop.stop(all_dropped(sessions));
                }
                dropped = state.dropped;
            }
            // An interruption is peaje's own word.
            Ok(FromWorker::Stopped(StopRule::Interrupted)) => {}
            Ok(FromWorker::Stopped(rule)) => stop.stop(rule),
            Ok(FromWorker::Ready | FromWorker::Refused(_)) | Err(_) => break,
        }
    }
    let _ = reports.send((number, Said::Lost("a worker process that held sessions has ended".to_owned())));
}

impl Process {
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(super) fn order(&mut self, order: Order) {
        self.say(&ToWorker::Order(order));
    }

    pub(super) fn stop(&mut self, rule: &StopRule) {
        self.say(&ToWorker::Stop(rule.clone()));
    }

    /// Lets the worker end, without waiting for it.
    pub(super) fn dismiss(&mut self) {
        self.input = None;
    }

    fn say(&mut self, words: &ToWorker) {
        let line = serde_json::to_string(words).expect("numbers and words have a JSON form");
        self.line(&line);
    }

    /// A worker that does not listen any more has ended, which shows where its words are awaited.
    fn line(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(format!("{line}\n").as_bytes()).and_then(|()| input.flush());
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.dismiss();
        let deadline = Instant::now() + LEAVE_LIMIT;
        while Instant::now() < deadline {
            if let Ok(Some(_)) | Err(_) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
