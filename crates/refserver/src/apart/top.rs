//! The top process of a server apart: it prepares everything once, and then has sessions served by processes, by threads, or
//! by processes with event loops.
//!
//! A newcomer would prepare in each process. Certificate, keys of tickets and cache of passwords have to be the same for
//! all, and are: a forked child has what its parent had.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::area::Area;
use crate::connection::{Connection, Stream, run_alone};
use crate::event::serve_for_ever;
use crate::options::{Model, ServerOptions};
use crate::seats::Seat;
use crate::server::{Shared, Speak, Start, raise_open_files, session_limit};
use crate::steps::longest_login;
use crate::system::{Alone, Deaths};
use crate::{Protocol, RefServerError, mysql, postgres, tds};

use super::handover::{Hello, receive_options, send_hello};
use super::{Common, Processes};

/// Connections taken before anything else is looked at.
const AT_ONCE: usize = 64;
/// Files that a process needs beside its sessions' sockets.
const OTHER_FILES: u64 = 64;
/// Room for a thread's stack. Only what is touched of it is memory.
const STACK: usize = 512 * 1024;
/// Logins under way beyond the sessions that are let in.
const LOGINS: u64 = 4096;

/// Why a process did not become a server, or did not stay one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApartError {
    /// There are threads already: it has to be the first thing that a program does.
    #[error("a server apart has to be begun before any thread (this is a fault of the program)")]
    Threads,
    /// Standard input is not the socket of a starter.
    #[error("this command is begun by peaje itself, for its embedded server: {0}")]
    Starter(io::Error),
    /// The operating system has refused what every server needs.
    #[error("the reference server has to end: {0}")]
    System(io::Error),
}

/// Makes this process the top process of a server, until its starter drops it or ends. To be called by the program that a
/// [`crate::Launch`] names, before it does anything else.
pub fn run_apart() -> Result<(), ApartError> {
    let alone = Alone::here().map_err(ApartError::System)?.ok_or(ApartError::Threads)?;
    let control = io::stdin().as_fd().try_clone_to_owned().map_err(ApartError::Starter)?;
    let control = UnixStream::from(control);
    let options = receive_options(&control).map_err(ApartError::Starter)?;
    match options.protocol {
        Protocol::Postgres => serve::<postgres::Prepared>(options, alone, &control),
        Protocol::Mysql => serve::<mysql::Prepared>(options, alone, &control),
        Protocol::SqlServer => serve::<tds::Prepared>(options, alone, &control),
    }
}

/// How a server is spread over processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spread {
    /// Processes with event loops, none in the other models.
    processes: usize,
    /// Seats of each, or of the whole server.
    seats: usize,
    /// Sessions that are let in if nobody has said how many.
    most: u64,
}

impl Spread {
    /// `files` is how many a process may open, `pids` how many processes and threads there may be.
    fn new(options: &ServerOptions, files: u64, pids: u64) -> Self {
        let files = files.saturating_sub(OTHER_FILES).max(1);
        let most = match options.model {
            Model::Event => files,
            Model::Thread => files.min(pids),
            Model::Process => pids,
        };
        let limit = session_limit(options, Some(most));
        let processes = match options.model {
            // The system spreads connections by chance: nine tenths full on average is never quite full.
            Model::Event => limit.div_ceil((files * 9 / 10).max(1)).clamp(1, Processes::MOST as u64) as usize,
            Model::Thread | Model::Process => 0,
        };
        // A connection that is refused has a seat too, and is an open file, a thread or a process.
        let seats = if options.model == Model::Event { files } else { most.min(limit.saturating_add(LOGINS)) };
        Self { processes, seats: usize::try_from(seats).unwrap_or(1 << 20).min(1 << 20), most }
    }
}

fn serve<P: Speak>(options: ServerOptions, alone: Alone, control: &UnixStream) -> Result<(), ApartError> {
    let files = raise_open_files();
    let spread = Spread::new(&options, files, pids());
    let bytes = Area::bytes(spread.seats * spread.processes.max(1));
    let system = ApartError::System;
    let memory = memfd_create("peaje-reference-server", MemfdFlags::CLOEXEC).map_err(|e| system(e.into()))?;
    ftruncate(&memory, bytes as u64).map_err(|e| system(e.into()))?;
    let started = Top::<P>::start(options, alone, &memory, bytes, spread);
    let told = match &started {
        Ok((_, hello)) => send_hello(control, Ok(hello), memory.as_fd()),
        Err(error) => send_hello(control, Err(&error.to_string()), memory.as_fd()),
    };
    drop(memory);
    match (started, told) {
        // A starter that has left needs no server, and has heard why there is none.
        (Err(_), _) | (_, Err(_)) => Ok(()),
        (Ok((top, _)), Ok(())) => top.run(control).map_err(system),
    }
}

/// How many processes and threads there may be, some left to others.
fn pids() -> u64 {
    let most = std::fs::read_to_string("/proc/sys/kernel/pid_max").ok().and_then(|text| text.trim().parse().ok());
    (most.unwrap_or(32_768_u64) * 15 / 16).min(1 << 18)
}

/// What a child serves.
#[derive(Debug)]
enum Duty {
    /// One session.
    Session(Seat),
    /// Event loops: the process's position, and its seats.
    Loops(usize, Range<usize>),
}

#[derive(Debug)]
struct Top<P> {
    alone: Alone,
    shared: Arc<Shared<P>>,
    processes: Processes,
    deaths: Option<Deaths>,
    /// None where the processes with event loops have their own.
    listener: Option<TcpListener>,
    children: HashMap<Pid, Duty>,
}

impl<P: Speak> Top<P> {
    fn start(
        options: ServerOptions,
        alone: Alone,
        memory: &OwnedFd,
        bytes: usize,
        spread: Spread,
    ) -> Result<(Self, Hello), RefServerError> {
        let mut area = Area::of_file(memory.as_fd(), bytes).map_err(RefServerError::Memory)?;
        let Common { processes } = Common::new(&mut area);
        let threads = options.threads.max(1);
        let sockets = if spread.processes == 0 { 1 } else { spread.processes * threads };
        let Start { shared, mut listeners } = Start::<P>::new(options, &mut area, sockets, Some(spread.most))?;
        let address = listeners[0].local_addr().map_err(RefServerError::Thread)?;
        let root_pem = shared.tls.as_ref().and_then(|tls| tls.root_pem.clone());
        let deaths = Some(Deaths::watch(alone).map_err(RefServerError::Thread)?);
        let listener = if spread.processes == 0 { listeners.pop() } else { None };
        let mut top = Self { alone, shared, processes, deaths, listener, children: HashMap::new() };
        for n in 0..spread.processes {
            let own = listeners.split_off(listeners.len() - threads);
            // The child has a copy of what the other processes listen on, and must not keep it.
            top.begin_loops(n, n * spread.seats..(n + 1) * spread.seats, own, &mut listeners)?;
        }
        Ok((top, Hello { address, root_pem, area_bytes: bytes }))
    }

    fn begin_loops(
        &mut self,
        n: usize,
        seats: Range<usize>,
        own: Vec<TcpListener>,
        others: &mut Vec<TcpListener>,
    ) -> Result<(), RefServerError> {
        let shared = self.shared.clone();
        let (mut own, range) = (Some(own), seats.clone());
        let alone = self.alone;
        let forked = alone.fork(|| {
            others.clear();
            self.forget();
            shared.seats.keep_to(range);
            // A child that cannot serve ends, and its port's share with it.
            let _ = serve_for_ever(own.take().unwrap_or_default(), &shared);
        });
        let pid = forked.map_err(RefServerError::Thread)?;
        self.processes.0[n].store(pid.as_raw_nonzero().get() as u64, Relaxed);
        self.children.insert(pid, Duty::Loops(n, seats));
        Ok(())
    }

    /// What only the top process needs. Called in its children.
    fn forget(&mut self) {
        self.listener = None;
        self.deaths = None;
        // Dropped here, they would empty seats that others sit on.
        std::mem::forget(std::mem::take(&mut self.children));
    }

    /// Serves until the starter has gone.
    fn run(mut self, control: &UnixStream) -> io::Result<()> {
        let ended = self.work(control);
        for pid in self.children.keys() {
            // One that has ended is waited for all the same.
            let _ = kill_process(*pid, Signal::KILL);
        }
        for (pid, duty) in self.children.drain() {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            drop(duty);
        }
        ended
    }

    fn work(&mut self, control: &UnixStream) -> io::Result<()> {
        loop {
            let (told, died, came) = self.wait(control)?;
            if told {
                // The starter has nothing more to say: this is its end.
                return Ok(());
            }
            if died {
                for pid in self.deaths.as_ref().map(Deaths::take).unwrap_or_default() {
                    self.bury(pid);
                }
            }
            if came {
                for _ in 0..AT_ONCE {
                    match self.listener.as_ref().map(TcpListener::accept) {
                        Some(Ok((stream, client))) => self.receive(stream, client),
                        // None is left, or the client has left already, or there is no file to be had: later.
                        _ => break,
                    }
                }
            }
        }
    }

    /// Whether the starter, a child's end, or a client is there.
    fn wait(&self, control: &UnixStream) -> io::Result<(bool, bool, bool)> {
        let mut all = vec![PollFd::new(control, PollFlags::IN)];
        all.extend(self.deaths.iter().map(|deaths| PollFd::new(deaths, PollFlags::IN)));
        all.extend(self.listener.iter().map(|listener| PollFd::new(listener, PollFlags::IN)));
        match poll(&mut all, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok((false, false, false)),
            Err(error) => return Err(error.into()),
        }
        let is = |n: usize| all.get(n).is_some_and(|fd| !fd.revents().is_empty());
        Ok((is(0), is(1), is(2)))
    }

    fn receive(&mut self, stream: TcpStream, client: SocketAddr) {
        let Some((number, seat)) = self.shared.receive() else { return };
        let begun = match self.shared.options.model {
            Model::Thread => begin_thread(self.shared.clone(), stream, client, number, seat),
            _ => self.begin_process(stream, client, number, seat),
        };
        if begun.is_err() {
            self.shared.counters.failed.fetch_add(1, Relaxed);
        }
    }

    fn begin_process(&mut self, stream: TcpStream, client: SocketAddr, number: u64, seat: Seat) -> io::Result<()> {
        let shared = self.shared.clone();
        let alone = self.alone;
        let mut stream = Some(stream);
        let pid = alone.fork(|| {
            self.forget();
            seat.served_by(std::process::id());
            if let Some(stream) = stream.take() {
                serve_alone(shared.clone(), stream, client, number, seat.twin());
            }
        });
        self.children.insert(pid?, Duty::Session(seat));
        Ok(())
    }

    fn bury(&mut self, pid: Pid) {
        let seats = self.shared.seats.clone();
        match self.children.remove(&pid) {
            None => {}
            Some(Duty::Session(seat)) => {
                // One that has ended in order holds nothing any more.
                self.shared.lost(&seats.clear(seat.at()));
            }
            Some(Duty::Loops(n, range)) => {
                self.processes.0[n].store(0, Relaxed);
                seats.clear_range(range).for_each(|left| self.shared.lost(&left));
            }
        }
    }
}

fn begin_thread<P: Speak>(
    shared: Arc<Shared<P>>,
    stream: TcpStream,
    client: SocketAddr,
    number: u64,
    seat: Seat,
) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("session".to_owned()).stack_size(STACK);
    thread.spawn(move || serve_alone(shared, stream, client, number, seat)).map(drop)
}

/// Serves a session on this thread.
fn serve_alone<P: Speak>(shared: Arc<Shared<P>>, stream: TcpStream, client: SocketAddr, number: u64, seat: Seat) {
    match Stream::alone(stream, longest_login(&shared.options)) {
        Ok(stream) => run_alone(P::serve(Connection::new(stream, client, seat), shared, number)),
        // The client has left already.
        Err(_) => {
            shared.counters.abandoned.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_spread_over_as_many_processes_as_they_need() {
        let spread = |model, protocol, max_sessions| {
            let options = ServerOptions { protocol, max_sessions, model, ..ServerOptions::default() };
            let spread = Spread::new(&options, 20_000, 30_000);
            (spread.processes, spread.seats)
        };
        let postgres = Protocol::Postgres;
        for (model, protocol, asked, expected) in [
            (Model::Event, postgres, None, (2, 19_936)),
            (Model::Event, postgres, Some(100), (1, 19_936)),
            (Model::Event, postgres, Some(250_000), (14, 19_936)),
            (Model::Event, Protocol::SqlServer, Some(40_000), (2, 19_936)),
            (Model::Thread, postgres, Some(400), (0, 4_496)),
            (Model::Thread, postgres, None, (0, 19_936)),
            (Model::Process, postgres, None, (0, 30_000)),
        ] {
            assert_eq!(spread(model, protocol, asked), expected, "{model:?} {protocol:?} {asked:?}");
        }
    }
}
