//! A scripted server: each connection is a closure that plays it. Blocking, on its own thread.

use std::marker::PhantomData;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::free_listener;

/// One scripted connection, played by the server's end of it.
pub type Play<P> = Box<dyn FnOnce(&mut P) + Send>;

/// A running script. An engine's tests bring the server's end, made of a connection.
#[derive(Debug)]
pub struct Scripted<P> {
    /// Where it listens on 127.0.0.1.
    pub port: u16,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    peer: PhantomData<fn(P)>,
}

impl<P: From<TcpStream> + 'static> Scripted<P> {
    /// Plays one script for each connection, in order.
    pub fn start(scripts: Vec<Play<P>>) -> Self {
        let listener = free_listener();
        let port = listener.local_addr().expect("it is bound").port();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut left = scripts.into_iter();
            loop {
                let (stream, _) = listener.accept().expect("a connection");
                if stopped.load(Ordering::SeqCst) {
                    assert_eq!(left.count(), 0, "connections that were expected did not come");
                    return;
                }
                let script = left.next().expect("a connection that was not expected");
                script(&mut P::from(stream));
            }
        });
        Self { port, stop, thread, peer: PhantomData }
    }

    /// Plays one connection.
    pub fn one(script: impl FnOnce(&mut P) + Send + 'static) -> Self {
        Self::start(vec![Box::new(script)])
    }

    /// Ends the server; a failed expectation of a script fails here.
    pub fn done(self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}
