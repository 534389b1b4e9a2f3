//! The terminal in its full-screen state, and back: whatever ends the screen, the terminal is as it was.
//!
//! A panic anywhere in the process restores it before the panic's message is printed.

use std::io::{BufWriter, IsTerminal, Stdout, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::{
    execute,
    terminal::{EnterAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Why there is no screen.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// Stdout or stdin is no terminal: plain lines are for that.
    #[error("stdout or stdin is not a terminal, so there is no screen to draw on")]
    NoTerminal,
    /// The terminal does not do what it is asked for, or is gone.
    #[error("the terminal does not answer: {0}")]
    Terminal(#[from] std::io::Error),
    /// Another part of the program failed; its message is on the terminal.
    #[error("the screen was given up because another part of the program panicked")]
    Panicked,
}

/// Whether the terminal is in its full-screen state.
static ON_SCREEN: AtomicBool = AtomicBool::new(false);

/// The full-screen state; dropped, it ends.
pub(crate) struct FullScreen {
    pub(crate) terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl FullScreen {
    pub(crate) fn enter() -> Result<Self, ScreenError> {
        if !stdout().is_terminal() || !std::io::stdin().is_terminal() {
            return Err(ScreenError::NoTerminal);
        }
        restore_on_panic();
        // What is entered so far is left again when a later step fails.
        ON_SCREEN.store(true, Ordering::SeqCst);
        let entered = enable_raw_mode()
            .and_then(|()| execute!(stdout(), EnterAlternateScreen))
            .and_then(|()| Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, stdout()))))
            .and_then(|mut terminal| terminal.clear().map(|()| terminal));
        match entered {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                restore();
                Err(error.into())
            }
        }
    }

    /// Whether a panic has taken the screen away.
    pub(crate) fn is_lost() -> bool {
        !ON_SCREEN.load(Ordering::SeqCst)
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back as it was, when a screen is on it; for a process that ends without unwinding. Waits for a
/// terminal that takes nothing more (a line that is stopped, a laptop that sleeps) half a second and no longer.
pub fn restore() {
    if ON_SCREEN.swap(false, Ordering::SeqCst) {
        // Nobody is left to tell when the terminal is gone.
        let _ = disable_raw_mode();
        // Past the lock of `stdout()`: whoever draws may hold it, and stand still for ever.
        let stdout = rustix::stdio::stdout();
        let mut ready = [PollFd::from_borrowed_fd(stdout, PollFlags::OUT)];
        let takes_more = matches!(poll(&mut ready, Some(&HALF_A_SECOND)), Ok(1..));
        if takes_more && ready[0].revents().contains(PollFlags::OUT) {
            let _ = rustix::io::write(stdout, LEAVE);
        }
    }
}

const HALF_A_SECOND: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };
/// No attributes, the normal screen, the cursor.
const LEAVE: &[u8] = b"\x1b[0m\x1b[?1049l\x1b[?25h";

fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}
