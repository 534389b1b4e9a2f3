//! Sessions in event loops: threads, each with its own loop and its own listening socket.

use std::convert::Infallible;
use std::future::pending;
use std::net::TcpListener;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::RefServerError;
use crate::connection::{Connection, Stream};
use crate::server::{Shared, Speak};
use crate::system::CpuClock;

/// A thread with an event loop. Dropping it ends its sessions.
#[derive(Debug)]
pub(crate) struct EventLoop {
    clock: Option<Arc<CpuClock>>,
    /// Dropping it stops the thread.
    stop: Option<oneshot::Sender<Infallible>>,
    handle: Option<JoinHandle<()>>,
}

impl EventLoop {
    pub(crate) fn start<P: Speak>(
        n: usize,
        listener: TcpListener,
        shared: Arc<Shared<P>>,
    ) -> Result<Self, RefServerError> {
        let runtime = runtime(listener, shared)?;
        let (stop, stopped) = oneshot::channel();
        let (give, clock) = mpsc::sync_channel(1);
        let handle = std::thread::Builder::new()
            .name(format!("peaje-ref-{n}"))
            .spawn(move || {
                let clock = CpuClock::of_this_thread().map(Arc::new);
                // The starter may have gone; the thread then stops at once.
                let _ = give.send(clock.clone());
                // The sender is dropped, never used: an error is the stop.
                let _ = runtime.block_on(stopped);
                // Every task is dropped with the runtime, and with it its socket.
                drop(runtime);
                if let Some(clock) = clock {
                    clock.end();
                }
            })
            .map_err(RefServerError::Thread)?;
        let clock = clock.recv().ok().flatten();
        Ok(Self { clock, stop: Some(stop), handle: Some(handle) })
    }

    /// CPU time so far.
    pub(crate) fn cpu(&self) -> Duration {
        self.clock.as_ref().map(|clock| clock.read()).unwrap_or_default()
    }
}

impl Drop for EventLoop {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(handle) = self.handle.take() {
            // A panic of the thread has been reported by the panic hook already.
            let _ = handle.join();
        }
    }
}

/// Serves on this thread and as many others as are needed, until the process ends.
pub(crate) fn serve_for_ever<P: Speak>(
    listeners: Vec<TcpListener>,
    shared: &Arc<Shared<P>>,
) -> Result<Infallible, RefServerError> {
    let mut listeners = listeners.into_iter().enumerate();
    let own = listeners.next().map(|(_, listener)| runtime(listener, shared.clone())).transpose()?;
    let others: Result<Vec<EventLoop>, _> = listeners.map(|(n, l)| EventLoop::start(n, l, shared.clone())).collect();
    let _others = others?;
    match own {
        Some(own) => own.block_on(pending()),
        None => loop {
            std::thread::park();
        },
    }
}

fn runtime<P: Speak>(listener: TcpListener, shared: Arc<Shared<P>>) -> Result<Runtime, RefServerError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RefServerError::Thread)?;
    let listener = {
        let _inside = runtime.enter();
        tokio::net::TcpListener::from_std(listener).map_err(RefServerError::Thread)?
    };
    runtime.spawn(accept(listener, shared));
    Ok(runtime)
}

async fn accept<P: Speak>(listener: tokio::net::TcpListener, shared: Arc<Shared<P>>) {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => {
                // Without a seat the connection is closed, and has been counted.
                if let Some((number, seat)) = shared.receive() {
                    let connection = Connection::new(Stream::InLoop(stream), client, seat);
                    tokio::spawn(P::serve(connection, shared.clone(), number));
                }
            }
            // The client has left already, or the process has no file descriptor left: later ones may succeed.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

impl<P> Shared<P> {
    /// Counts a connection; gives its number and its seat.
    pub(crate) fn receive(&self) -> Option<(u64, crate::seats::Seat)> {
        let number = 1 + self.counters.accepted.fetch_add(1, Relaxed);
        let seat = self.seats.take(number);
        if seat.is_none() {
            self.counters.failed.fetch_add(1, Relaxed);
        }
        Some((number, seat?))
    }
}
