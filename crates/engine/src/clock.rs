//! The two clocks of every login: wall time (monotonic) and the CPU time of the calling thread.

use std::time::{Duration, Instant};

/// Resolution and cost of the wall clock, measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Smallest difference seen between two readings, nanoseconds.
    pub resolution_ns: f64,
    /// Mean cost of one reading, nanoseconds.
    pub cost_ns: f64,
}

impl Clock {
    /// Reads the clock some thousand times.
    pub fn measure() -> Self {
        const READINGS: u32 = 10_000;
        let start = Instant::now();
        let mut last = start;
        let mut least = Duration::MAX;
        for _ in 0..READINGS {
            let now = Instant::now();
            let step = now - last;
            if step > Duration::ZERO && step < least {
                least = step;
            }
            last = now;
        }
        Self { resolution_ns: least.as_nanos() as f64, cost_ns: (last - start).as_nanos() as f64 / f64::from(READINGS) }
    }
}

/// CPU time used so far by the calling thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadCpu(Duration);

impl ThreadCpu {
    /// Reads the thread's CPU clock.
    pub fn now() -> Self {
        Self(read(rustix::time::ClockId::ThreadCPUTime))
    }

    /// CPU time since an earlier reading *on the same thread*.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// CPU time used so far by all threads of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessCpu(Duration);

impl ProcessCpu {
    /// Reads the process's CPU clock.
    pub fn now() -> Self {
        Self(read(rustix::time::ClockId::ProcessCPUTime))
    }

    /// CPU time since an earlier reading.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

fn read(clock: rustix::time::ClockId) -> Duration {
    let t = rustix::time::clock_gettime(clock);
    Duration::new(t.tv_sec.unsigned_abs(), t.tv_nsec as u32)
}
