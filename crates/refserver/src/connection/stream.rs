//! The socket of a connection: one of many in an event loop, or the only one of its thread or process.
//!
//! A newcomer would give each thread an event loop of its own. A session that is a thread or a process simply waits in
//! `recv`, as those of the real servers do: the same code then never has to be woken, and its futures are always ready.

use std::io::{self, ErrorKind, Read, Write};
use std::mem::MaybeUninit;
use std::net::{Shutdown, TcpStream};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};

/// What is received at once. It stands on the stack while it is received: who waits needs no room for it.
const AT_ONCE: usize = 8192;

/// A client's socket.
#[derive(Debug)]
pub(crate) enum Stream {
    /// One of many in an event loop.
    InLoop(tokio::net::TcpStream),
    /// The only one of its thread: each call waits.
    Alone {
        /// The socket, blocking.
        socket: TcpStream,
        /// The login has to be over by then.
        deadline: Option<Instant>,
    },
}

impl Stream {
    /// The only socket of this thread, whose login has so much time.
    pub(crate) fn alone(socket: TcpStream, for_login: Duration) -> io::Result<Self> {
        socket.set_nonblocking(false)?;
        // One wait may not be longer than all of them together; `read` sees to the sum.
        socket.set_read_timeout(Some(for_login))?;
        Ok(Self::Alone { socket, deadline: Instant::now().checked_add(for_login) })
    }

    /// Appends what comes; 0 = the client has closed its side.
    pub(super) async fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::InLoop(stream) => std::future::poll_fn(|cx| poll_read(stream, cx, buffer)).await,
            Self::Alone { socket, deadline } => {
                if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                    return Err(late());
                }
                let mut room = [0; AT_ONCE];
                let got = loop {
                    match socket.read(&mut room) {
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        Err(error) if error.kind() == ErrorKind::WouldBlock => return Err(late()),
                        other => break other?,
                    }
                };
                buffer.extend_from_slice(&room[..got]);
                Ok(got)
            }
        }
    }

    pub(super) async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::InLoop(stream) => stream.write_all(bytes).await,
            Self::Alone { socket, .. } => socket.write_all(bytes),
        }
    }

    pub(super) async fn shutdown(&mut self) -> io::Result<()> {
        match self {
            Self::InLoop(stream) => stream.shutdown().await,
            Self::Alone { socket, .. } => socket.shutdown(Shutdown::Write),
        }
    }

    /// Takes what has come and drops it.
    pub(super) fn discard(&self) {
        let mut room = [0; 4096];
        let _ = match self {
            Self::InLoop(stream) => stream.try_read(&mut room),
            Self::Alone { socket, .. } => socket.set_nonblocking(true).and_then(|()| (&mut &*socket).read(&mut room)),
        };
    }

    pub(super) fn reset_on_close(&self) {
        let socket = match self {
            Self::InLoop(stream) => socket2::SockRef::from(stream),
            Self::Alone { socket, .. } => socket2::SockRef::from(socket),
        };
        // Without it the close is a polite one: nothing worse.
        let _ = socket.set_linger(Some(Duration::ZERO));
    }

    pub(super) fn end_deadline(&mut self) -> io::Result<()> {
        match self {
            Self::InLoop(_) => Ok(()),
            Self::Alone { socket, deadline } => {
                *deadline = None;
                socket.set_read_timeout(None)
            }
        }
    }

    pub(super) fn waits_for_input(&self, longest: Duration) -> Option<io::Result<bool>> {
        let Self::Alone { socket, .. } = self else { return None };
        let came = || {
            // No time at all would mean: for ever.
            socket.set_read_timeout(Some(longest.max(Duration::from_millis(1))))?;
            let came = match socket.peek(&mut [0]) {
                Ok(_) => true,
                Err(error) if error.kind() == ErrorKind::WouldBlock => false,
                Err(error) => return Err(error),
            };
            socket.set_read_timeout(None)?;
            Ok(came)
        };
        Some(came())
    }

    pub(super) fn has_time_to_send(&self, longest: Duration) {
        if let Self::Alone { socket, .. } = self {
            // Without it the last message waits for the client: it leaves with it.
            let _ = socket.set_write_timeout(Some(longest));
        }
    }
}

fn late() -> io::Error {
    io::Error::other("the login took too long")
}

fn poll_read(
    stream: &mut tokio::net::TcpStream,
    cx: &mut Context<'_>,
    buffer: &mut Vec<u8>,
) -> Poll<io::Result<usize>> {
    let mut room = [MaybeUninit::uninit(); AT_ONCE];
    let mut room = ReadBuf::uninit(&mut room);
    std::task::ready!(Pin::new(stream).poll_read(cx, &mut room))?;
    buffer.extend_from_slice(room.filled());
    Poll::Ready(Ok(room.filled().len()))
}

/// Runs a session whose socket is the only one of this thread.
pub(crate) fn run_alone(session: impl Future<Output = ()>) {
    let ended = pin!(session).poll(&mut Context::from_waker(Waker::noop()));
    debug_assert!(ended.is_ready(), "where every call waits, nothing is pending");
}

/// Waits, in an event loop or on a thread alone.
pub(crate) async fn pause(time: Duration) {
    if tokio::runtime::Handle::try_current().is_ok() {
        tokio::time::sleep(time).await;
    } else {
        std::thread::sleep(time);
    }
}

/// Gives up after a while, in an event loop. On a thread alone, the socket's own limits have to.
pub(crate) async fn at_most<T>(longest: Duration, work: impl Future<Output = T>) -> Option<T> {
    if tokio::runtime::Handle::try_current().is_ok() {
        tokio::time::timeout(longest, work).await.ok()
    } else {
        Some(work.await)
    }
}
