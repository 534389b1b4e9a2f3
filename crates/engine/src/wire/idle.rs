//! A connection that is held and not used: it costs as little memory as it can, and the server's end of it is noticed.
//!
//! A newcomer would give each idle connection a task that reads. Tens of thousands of tasks cost memory; polling with a
//! waker needs none, because the socket keeps the waker itself.

use std::io;
use std::task::{Context, Poll, ready};

use peaje_model::Phase;

use super::{Socket, Wire};
use crate::{Failure, Trace};

/// Read at once from an idle connection: an error message, or a notice.
const IDLE_READ: usize = 2048;

impl Socket {
    fn poll_read_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Socket::Tcp(s) => s.poll_read_ready(context),
            Socket::Unix(s) => s.poll_read_ready(context),
        }
    }

    fn try_read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.try_read(bytes),
            Socket::Unix(s) => s.try_read(bytes),
        }
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(s) => s.try_write(bytes),
            Socket::Unix(s) => s.try_write(bytes),
        }
    }
}

impl Wire {
    /// Gives back the memory of buffers that hold nothing. They come again with the next use.
    pub fn settle(&mut self) {
        self.received.drain(..self.read_from);
        self.read_from = 0;
        for buffer in [&mut self.received, &mut self.queued, &mut self.records, &mut self.sealed] {
            buffer.shrink_to_fit();
        }
    }

    /// Takes in what the server says to an idle connection. `Ok(0)` = it has closed; `Pending` = nothing has come, and
    /// the context is woken when something does. A reset is an error.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<Result<usize, Failure>> {
        let mut bytes = [0; IDLE_READ];
        loop {
            let got = ready!(self.socket.poll_read_ready(context)).and_then(|()| self.socket.try_read(&mut bytes));
            let got = match got {
                Ok(got) => got,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Poll::Ready(Err(Failure::from_io(&error, None))),
            };
            if got == 0 {
                return Poll::Ready(Ok(0));
            }
            let plain = self.take_in(&bytes[..got])?;
            if plain > 0 {
                return Poll::Ready(Ok(plain));
            }
        }
    }

    /// Waits for the end of an idle session. `heard` takes what has come whole and says why the session ends, if it does;
    /// `closed` is what a close without a word means.
    pub fn poll_ended(
        &mut self,
        context: &mut Context<'_>,
        mut heard: impl FnMut(&mut Self) -> Option<Failure>,
        closed: impl FnOnce() -> Failure,
    ) -> Poll<Failure> {
        loop {
            if let Some(failure) = heard(self) {
                return Poll::Ready(failure);
            }
            match ready!(self.poll_idle(context)) {
                Ok(0) => return Poll::Ready(closed()),
                Ok(_) => {}
                Err(failure) => return Poll::Ready(failure),
            }
        }
    }

    /// Bytes as they came from the socket; returns how many plain ones they gave.
    fn take_in(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        if self.tls.is_none() {
            self.received.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        self.records.extend_from_slice(bytes);
        let mut trace = Trace::start();
        trace.enter(Phase::Session);
        let plain = self.decrypt(&mut trace).map_err(|failure| Failure { phase: None, ..failure });
        // TLS may want to answer; what does not leave now leaves with the next message.
        if let Ok(sent) = self.socket.try_write(&self.queued) {
            self.queued.drain(..sent);
        }
        self.records.shrink_to_fit();
        plain
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncWriteExt;
    use tokio::net::UnixStream;

    use super::*;

    #[tokio::test]
    async fn settling_keeps_what_was_not_consumed_and_nothing_else() {
        let (ours, mut theirs) = UnixStream::pair().expect("two sockets");
        let mut wire = Wire::new(Socket::Unix(ours));
        theirs.write_all(b"used, and not used").await.expect("room");
        wire.fill(&mut Trace::start()).await.expect("bytes");
        wire.consume(5);
        wire.settle();
        assert_eq!(wire.buffered(), b" and not used");
        assert!(wire.received.capacity() <= 16, "{}", wire.received.capacity());
        wire.consume(13);
        wire.settle();
        assert_eq!((wire.received.capacity(), wire.queued.capacity()), (0, 0));
        theirs.write_all(b"more").await.expect("room");
        wire.fill(&mut Trace::start()).await.expect("bytes");
        assert_eq!(wire.buffered(), b"more");
    }

    #[tokio::test]
    async fn an_idle_connection_wakes_for_bytes_and_for_the_end() {
        let (ours, mut theirs) = UnixStream::pair().expect("two sockets");
        let mut wire = Wire::new(Socket::Unix(ours));
        let pending = poll_fn(|context| Poll::Ready(wire.poll_idle(context).is_pending())).await;
        assert!(pending);
        theirs.write_all(&[7; 5000]).await.expect("room");
        let mut got = 0;
        while got < 5000 {
            got += poll_fn(|context| wire.poll_idle(context)).await.expect("bytes");
        }
        assert_eq!(wire.buffered(), [7; 5000]);
        drop(theirs);
        assert_eq!(poll_fn(|context| wire.poll_idle(context)).await.expect("the end"), 0);
    }
}
