//! CPU time of a thread, readable from any other thread.
//!
//! A newcomer would read `/proc/self/task/*/schedstat`: of a running thread it is up to a scheduler tick old. The
//! thread's own CPU clock is exact at any moment.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The CPU clock of one thread. Made on that thread; read anywhere; kept after its end.
#[derive(Debug)]
pub(crate) struct CpuClock {
    clock: libc::clockid_t,
    /// 1 + nanoseconds when the thread ended; 0 = it runs.
    ended: AtomicU64,
}

impl CpuClock {
    /// The clock of the calling thread.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: the thread is the calling one, so its identity is valid; `clock` is written, not read.
        let code = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
        (code == 0).then_some(Self { clock, ended: AtomicU64::new(0) })
    }

    /// CPU time used so far.
    pub(crate) fn read(&self) -> Duration {
        match self.ended.load(Ordering::Acquire) {
            0 => read_clock(self.clock).unwrap_or_else(|| self.at_end()),
            _ => self.at_end(),
        }
    }

    /// To be called by the thread itself as its last act: the clock ends with the thread.
    pub(crate) fn end(&self) {
        let total = read_clock(self.clock).unwrap_or_default();
        self.ended.store(1 + total.as_nanos() as u64, Ordering::Release);
    }

    fn at_end(&self) -> Duration {
        Duration::from_nanos(self.ended.load(Ordering::Acquire).saturating_sub(1))
    }
}

fn read_clock(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to; an unknown clock is an error code, not undefined behaviour.
    let code = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (code == 0).then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use peaje_engine::ThreadCpu;

    use super::*;

    #[test]
    fn another_thread_sees_the_work_while_it_runs_and_after_its_end() {
        let (give, clock) = mpsc::channel();
        let (go, wait) = mpsc::channel::<()>();
        let worker = std::thread::spawn(move || {
            let clock = Arc::new(CpuClock::of_this_thread().expect("this system has thread clocks"));
            give.send(clock.clone()).expect("the test waits");
            let start = ThreadCpu::now();
            while ThreadCpu::now().since(start) < Duration::from_millis(20) {}
            give.send(clock.clone()).expect("the test waits");
            wait.recv().expect("the test goes on");
            clock.end();
        });
        let seen: Arc<CpuClock> = clock.recv().unwrap();
        let before = seen.read();
        clock.recv().unwrap();
        let during = seen.read();
        go.send(()).unwrap();
        worker.join().unwrap();
        let after = seen.read();
        assert!(during >= Duration::from_millis(20) && during < Duration::from_secs(2), "{during:?}");
        assert!(before <= during && during <= after, "{before:?} {during:?} {after:?}");
    }
}
