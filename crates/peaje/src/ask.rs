//! Questions at the terminal. They block, so they are asked on a thread of their own: a signal must find the command
//! awake, and whoever waits for the answer may stop waiting.

use std::io::{self, BufRead, ErrorKind, Write};
use std::time::Duration;

use peaje_model::Secret;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// A line, with echo.
pub(crate) async fn line(question: &str) -> io::Result<String> {
    let mut stderr = io::stderr();
    write!(stderr, "{question}")?;
    stderr.flush()?;
    on_a_thread(|| {
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map(|_| answer)
    })
    .await
}

/// A password, without echo. Dropping the future gives the echo back.
pub(crate) async fn password(question: String) -> io::Result<Secret> {
    let _echo = Echo::now();
    match on_a_thread(move || rpassword::prompt_password(question)).await {
        // Ctrl-C was read as a key, and the signal that stands for it is on its way.
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Err(error)
        }
        answer => answer.map(Secret::new),
    }
}

async fn on_a_thread<T: Send + 'static>(ask: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(ask).await.unwrap_or_else(|gone| Err(io::Error::other(gone)))
}

/// The terminal as it was. A thread that waits for a key cannot be ended, and would leave the echo off.
struct Echo(Option<(std::fs::File, Termios)>);

impl Echo {
    fn now() -> Self {
        let tty = std::fs::File::open("/dev/tty").ok();
        Self(tty.and_then(|tty| tcgetattr(&tty).ok().map(|state| (tty, state))))
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        if let Some((tty, state)) = &self.0 {
            // The terminal is gone when this fails.
            let _ = tcsetattr(tty, OptionalActions::Now, state);
        }
    }
}
