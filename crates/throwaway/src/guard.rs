//! The guard process: see `guard.sh`. This side holds the pipe.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::account::Account;
use crate::{CommandLine, ThrowawayError};

const SCRIPT: &str = include_str!("guard.sh");
/// More than the guard takes for its three signals.
const STOP_LIMIT: Duration = Duration::from_secs(20);

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What the guard reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The command that makes the data has ended.
    Initialised(i32),
    /// The server is running under this process id.
    Running(u32),
    /// The server has ended.
    Exited(i32),
}

/// A running guard. When it is dropped, so is everything it guards.
#[derive(Debug)]
pub(crate) struct Guard {
    child: Child,
    /// `None` once closed: the guard then cleans up.
    pipe: Option<ChildStdin>,
    /// Locked by nobody for long: only to be shareable between threads.
    events: Mutex<Receiver<Event>>,
    folder: PathBuf,
}

impl Guard {
    /// Starts the guard; it begins by making the data. From here on the folder is the guard's to remove.
    pub(crate) fn start(
        folder: &Path,
        initialise: &CommandLine,
        stop_signals: &str,
        account: Option<Account>,
    ) -> Result<Self, ThrowawayError> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(SCRIPT).arg("peaje-guard").arg(folder).arg(shell_line(initialise)?).arg(stop_signals);
        // Variables such as PGPORT and MYSQL_HOME must not steer it; the loader's path may be needed by the binaries.
        command.env_clear().env("PATH", PATH).env("LC_ALL", "C");
        if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
            command.env("LD_LIBRARY_PATH", path);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        if let Some(account) = account {
            command.uid(account.uid).gid(account.gid);
        }
        let mut child = command.spawn().map_err(ThrowawayError::Guard)?;
        let pipe = child.stdin.take();
        let output = child.stdout.take().expect("standard output is piped");
        let (sender, events) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            for event in lines.filter_map(|line| parse(&line)) {
                if sender.send(event).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, pipe, events: Mutex::new(events), folder: folder.to_owned() })
    }

    /// Lets the guard start the server.
    pub(crate) fn start_server(&mut self, command: &CommandLine) -> Result<(), ThrowawayError> {
        let mut line = std::ffi::OsString::from("start ");
        line.push(shell_line(command)?);
        line.push("\n");
        let pipe = self.pipe.as_mut().ok_or_else(|| ThrowawayError::Guard(io::ErrorKind::BrokenPipe.into()))?;
        pipe.write_all(line.as_encoded_bytes()).map_err(ThrowawayError::Guard)
    }

    /// The next event.
    pub(crate) fn event(&self, limit: Duration) -> Result<Event, ThrowawayError> {
        self.events().recv_timeout(limit).map_err(|error| {
            ThrowawayError::Guard(match error {
                RecvTimeoutError::Timeout => io::ErrorKind::TimedOut.into(),
                RecvTimeoutError::Disconnected => io::ErrorKind::UnexpectedEof.into(),
            })
        })
    }

    /// Whether something has happened since the last look.
    pub(crate) fn event_now(&self) -> Option<Event> {
        self.events().try_recv().ok()
    }

    fn events(&self) -> MutexGuard<'_, Receiver<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the pipe and waits until server, folder and guard are gone.
    pub(crate) fn stop(&mut self) -> Result<(), ThrowawayError> {
        self.pipe = None;
        let started = Instant::now();
        while started.elapsed() < STOP_LIMIT {
            // The channel ends when the guard's output does, which is when it exits.
            let event = self.events().recv_timeout(STOP_LIMIT.saturating_sub(started.elapsed()));
            match event {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return self.child.wait().map(|_| ()).map_err(ThrowawayError::Guard);
                }
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        self.kill();
        Err(ThrowawayError::Stop { limit_s: STOP_LIMIT.as_secs() })
    }

    /// The last resort: the guard's process group, then the folder.
    fn kill(&mut self) {
        let group = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.pipe.is_some() {
            let _ = self.stop();
        }
    }
}

fn shell_line(command: &CommandLine) -> Result<std::ffi::OsString, ThrowawayError> {
    let unfit = "a path of the command holds a line break";
    command.to_shell().ok_or_else(|| ThrowawayError::Guard(io::Error::new(io::ErrorKind::InvalidInput, unfit)))
}

fn parse(line: &str) -> Option<Event> {
    let (word, number) = line.split_once(' ')?;
    match word {
        "initialised" => number.parse().ok().map(Event::Initialised),
        "running" => number.parse().ok().map(Event::Running),
        "exited" => number.parse().ok().map(Event::Exited),
        _ => None,
    }
}
