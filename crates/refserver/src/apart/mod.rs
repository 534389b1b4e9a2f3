//! A server in processes of its own: this side starts it, reads its counters, and ends it.
//!
//! A newcomer would fork. The starter has threads, and may not: it starts a fresh process of a program, which then has one
//! thread and may fork as it likes. The two are bound by a socket, which the kernel closes however either of them ends.

mod handover;
mod top;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::RefServerError;
use crate::area::{Area, Words};
use crate::counters::Counters;
use crate::options::{Launch, ServerOptions};
use crate::seats::Seats;

use handover::{Hello, send_options};
pub use top::{ApartError, run_apart};

/// A server has this long to say that it serves: it may have to touch much memory, on a machine that swaps.
const LONGEST_START: Duration = Duration::from_secs(120);

/// The processes of a server beside those of its sessions.
#[derive(Debug)]
struct Processes(Words);

impl Processes {
    /// As many as a server has at most.
    const MOST: usize = 64;

    fn new(area: &mut Area) -> Self {
        Self(area.words(Self::MOST))
    }
}

/// A server in processes of its own.
#[derive(Debug)]
pub(crate) struct Apart {
    top: Child,
    /// Its end is the server's end.
    control: UnixStream,
    processes: Processes,
    seats: Seats,
}

/// What a server is told of the memory it shares with its starter: the words that both know.
#[derive(Debug)]
struct Common {
    processes: Processes,
}

impl Common {
    /// The area's first words, before anything else of it is handed out.
    fn new(area: &mut Area) -> Self {
        Self { processes: Processes::new(area) }
    }
}

impl Apart {
    /// Starts a server; it accepts logins when this returns.
    pub(crate) fn start(launch: &Launch, options: &ServerOptions) -> Result<(Self, Counters, Hello), RefServerError> {
        let silent = RefServerError::Silent;
        let (control, theirs) = UnixStream::pair().map_err(RefServerError::Thread)?;
        let mut top = Top(Some(spawn(launch, theirs)?));
        if let Some(spawned) = &launch.spawned {
            let process = top.id();
            spawned(process).map_err(|source| RefServerError::Place { process, source })?;
        }
        send_options(&control, options).map_err(silent)?;
        control.set_read_timeout(Some(LONGEST_START)).map_err(silent)?;
        let (told, memory) = handover::receive_hello(&control).map_err(silent)?;
        let hello = told.map_err(RefServerError::Told)?;
        let mut area = Area::of_file(memory.as_fd(), hello.area_bytes).map_err(RefServerError::Memory)?;
        let Common { processes } = Common::new(&mut area);
        let counters = Counters::new(&mut area);
        let seats = Seats::new(&mut area);
        Ok((Self { top: top.keep(), control, processes, seats }, counters, hello))
    }

    pub(crate) fn top_process(&self) -> u32 {
        self.top.id()
    }

    pub(crate) fn processes(&self) -> Vec<u32> {
        let others = self.processes.0.iter().map(|word| word.load(Relaxed) as u32).filter(|pid| *pid != 0);
        [self.top.id()].into_iter().chain(others).chain(self.seats.processes()).collect()
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        // It may have ended already: then there is nobody to tell.
        let _ = self.control.shutdown(std::net::Shutdown::Both);
        let _ = self.top.wait();
    }
}

/// A process that is killed unless the start succeeds.
struct Top(Option<Child>);

impl Top {
    fn id(&self) -> u32 {
        self.0.as_ref().map_or(0, Child::id)
    }

    fn keep(&mut self) -> Child {
        self.0.take().expect("taken once, at the end of the start")
    }
}

impl Drop for Top {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // Its children end with it. It may have ended itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn spawn(launch: &Launch, control: UnixStream) -> Result<Child, RefServerError> {
    Command::new(&launch.program)
        .args(&launch.arguments)
        .stdin(OwnedFd::from(control))
        .stdout(Stdio::null())
        // Ctrl-C at the terminal is for the starter, which then ends the server in its own time.
        .process_group(0)
        .spawn()
        .map_err(|source| RefServerError::Launch { program: launch.program.clone(), source })
}

/// The end of a file too early, in one word for both sides.
fn left() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}
