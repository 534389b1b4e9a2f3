//! Waits for an instant with a precision of microseconds; the runtime's own timer has one of milliseconds.
#![allow(unsafe_code, reason = "registering a descriptor with the runtime is unsafe since tokio 1.54")]

use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec};
use tokio::io::unix::AsyncFd;

/// A timer of the operating system. One task waits at a time.
#[derive(Debug)]
pub(crate) struct Pacer(AsyncFd<OwnedFd>);

impl Pacer {
    /// A timer in the current runtime.
    pub(crate) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = rustix::time::timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // SAFETY: the `OwnedFd` is given away here: it stays open, and the same, until the `AsyncFd` is dropped.
        Ok(Self(unsafe { AsyncFd::register(timer) }?))
    }

    /// Waits until `due`; returns at once when it has passed.
    pub(crate) async fn wait_until(&self, due: Instant) -> io::Result<()> {
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let value = Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            };
            let once = Itimerspec { it_interval: Timespec::default(), it_value: value };
            rustix::time::timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::empty(), &once)?;
            let mut ready = self.0.readable().await?;
            let mut expirations = [0_u8; 8];
            match rustix::io::read(self.0.get_ref(), &mut expirations) {
                Ok(_) | Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn never_early_and_at_once_when_late() {
        let pacer = Pacer::new().expect("timers are there");
        for micros in [50, 700, 2_300] {
            let due = Instant::now() + Duration::from_micros(micros);
            pacer.wait_until(due).await.expect("the timer works");
            assert!(Instant::now() >= due);
        }
        let late = Instant::now().checked_sub(Duration::from_secs(1)).expect("the clock is past its first second");
        pacer.wait_until(late).await.expect("the timer works");
    }
}
