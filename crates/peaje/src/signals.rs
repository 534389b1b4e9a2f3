//! Ctrl-C and termination signals end the stage; what was measured is printed.

use peaje_host::Host;
use peaje_lab::{Stop, StopRule};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Turns the first signal into an interruption. A second one ends the process at once; servers that peaje started are
/// still stopped, by the guard beside them. A signal that the process was started to ignore stays ignored.
///
/// The signals have a thread of their own: while a report is written to a pipe that nobody reads, the main thread hears
/// nothing.
pub(crate) fn watch(stop: Stop, host: &dyn Host) -> std::io::Result<()> {
    let heard: Vec<SignalKind> = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
        .into_iter()
        .filter(|kind| !host.ignores_signal(kind.as_raw_value().unsigned_abs()))
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let signals = {
        let _inside = runtime.enter();
        // Once it is handled, a file at its limit of size (`ulimit -f`) is an error of the write, as a full disk is; by
        // itself the signal ends the process. The handler stays when this is dropped.
        drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
        heard.into_iter().map(signal).collect::<std::io::Result<Vec<_>>>()?
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(listen(signals, &stop)))?;
    Ok(())
}

async fn listen(mut signals: Vec<Signal>, stop: &Stop) {
    loop {
        std::future::poll_fn(|context| {
            if signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready()) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        if stop.rule() == Some(StopRule::Interrupted) {
            end_now();
        }
        stop.stop(StopRule::Interrupted);
    }
}

#[expect(clippy::exit, reason = "the second Ctrl-C means: now, whatever is still going on")]
fn end_now() -> ! {
    peaje_tui::restore();
    std::process::exit(130)
}
