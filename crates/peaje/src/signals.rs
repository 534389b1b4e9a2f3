//! Ctrl-C and termination signals end the stage; what was measured is printed.

use peaje_lab::{Stop, StopRule};
use tokio::signal::unix::{SignalKind, signal};

/// Turns the first signal into an interruption. A second one ends the process at once; servers that peaje started are
/// still stopped, by the guard beside them.
pub(crate) fn watch(stop: Stop) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
            if stop.rule() == Some(StopRule::Interrupted) {
                end_now();
            }
            stop.stop(StopRule::Interrupted);
        }
    });
    Ok(())
}

#[expect(clippy::exit, reason = "the second Ctrl-C means: now, whatever is still going on")]
fn end_now() -> ! {
    std::process::exit(130)
}
