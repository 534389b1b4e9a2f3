//! The throwaway server, started.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::account::other_account;
use crate::guard::{Event, Guard};
use crate::port::free_port;
use crate::{Folder, Recipe, Started, ThrowawayError, certificate};

const INITIALISE_LIMIT: Duration = Duration::from_secs(120);
const READY_LIMIT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(15);
/// Another process may take the port between the test and the start.
const PORT_TRIES: u32 = 5;

/// A running server. It stops, and its folder goes, when this value is dropped or this process ends.
#[derive(Debug)]
pub struct Server {
    guard: Guard,
    started: Started,
}

impl Server {
    /// Makes and starts a server. It blocks; within an asynchronous program call it where blocking is allowed.
    pub fn start<R: Recipe>(recipe: &R) -> Result<Self, ThrowawayError> {
        let account = other_account(R::PRODUCT, R::ACCOUNTS)?;
        let (made, folder) = Folder::make(R::PREFIX, account)?;
        recipe.before_initialising(&folder)?;
        let mut guard = Guard::start(folder.path(), &recipe.initialise(&folder), R::STOP_SIGNALS, account)?;
        // From here on the folder is the guard's to remove.
        let _ = made.keep();

        // An RSA key takes as long as the data: both at once.
        let (key, state) = recipe.identity();
        let identity = certificate::make(key, state)?;
        wait_for_data::<R>(&guard, &folder)?;
        folder.write("server.key", &identity.key)?;
        folder.write("server.crt", &identity.certificate)?;
        folder.write("root.crt", &identity.authority)?;
        recipe.after_initialising(&folder)?;
        let started = run(recipe, &mut guard, &folder)?;
        Ok(Self { guard, started })
    }

    /// Port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.started.port
    }

    /// Process id of the server.
    pub fn pid(&self) -> u32 {
        self.started.pid
    }

    /// The temporary folder.
    pub fn folder(&self) -> &Path {
        self.started.folder.path()
    }

    /// Certificate of the authority that signed the server's.
    pub fn root_certificate(&self) -> PathBuf {
        self.started.root_certificate()
    }

    /// The last lines of the server's log.
    pub fn log_tail(&self) -> String {
        self.started.folder.log_tail()
    }

    /// Stops the server and removes its folder; dropping does the same, silently.
    pub fn stop(mut self) -> Result<(), ThrowawayError> {
        self.guard.stop()
    }
}

fn wait_for_data<R: Recipe>(guard: &Guard, folder: &Folder) -> Result<(), ThrowawayError> {
    match guard.event(INITIALISE_LIMIT)? {
        Event::Initialised(0) => Ok(()),
        Event::Initialised(status) | Event::Exited(status) => {
            Err(ThrowawayError::Initialise { product: R::PRODUCT, status, log: folder.log_tail() })
        }
        Event::Running(_) => Err(ThrowawayError::Guard(std::io::ErrorKind::InvalidData.into())),
    }
}

/// Starts the server on a free port.
fn run<R: Recipe>(recipe: &R, guard: &mut Guard, folder: &Folder) -> Result<Started, ThrowawayError> {
    let mut tries = 0;
    loop {
        tries += 1;
        let port = free_port()?;
        recipe.configure(folder, port)?;
        guard.start_server(&recipe.serve(folder, port))?;
        let pid = match guard.event(Duration::from_secs(10))? {
            Event::Running(pid) => pid,
            Event::Initialised(status) | Event::Exited(status) => {
                return Err(ThrowawayError::Exited { status, log: folder.log_tail() });
            }
        };
        let started = Started { folder: folder.clone(), port, pid };
        match block_on(prepare(recipe, guard, &started)) {
            Ok(()) => return Ok(started),
            Err(ThrowawayError::Exited { log, .. }) if tries < PORT_TRIES && recipe.port_was_taken(&log) => {}
            Err(error) => return Err(error),
        }
    }
}

async fn prepare<R: Recipe>(recipe: &R, guard: &Guard, started: &Started) -> Result<(), ThrowawayError> {
    let since = Instant::now();
    while let Err(reason) = recipe.is_ready(started).await {
        if let Some(Event::Exited(status)) = guard.event_now() {
            return Err(ThrowawayError::Exited { status, log: started.folder.log_tail() });
        }
        if since.elapsed() > READY_LIMIT {
            let log = started.folder.log_tail();
            return Err(ThrowawayError::NotReady { limit_s: READY_LIMIT.as_secs(), reason, log });
        }
        tokio::time::sleep(PAUSE).await;
    }
    recipe.prepare(started).await
}

/// Runs a future on a runtime of its own in a thread of its own: the caller may be inside a runtime.
fn block_on<T: Send>(future: impl Future<Output = Result<T, ThrowawayError>> + Send) -> Result<T, ThrowawayError> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(ThrowawayError::Guard)?;
                runtime.block_on(future)
            })
            .join()
            .unwrap_or_else(|_| Err(ThrowawayError::Prepare("the preparing thread panicked".to_owned())))
    })
}
