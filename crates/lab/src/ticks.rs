//! Counts over time in steps of 10 ms: enough for a peak in a run of a second, small enough for a run of a day.

use std::time::Duration;

use peaje_model::Timeline;

/// Width of one step.
pub(crate) const TICK: Duration = Duration::from_millis(10);
/// Steps shown in a run file, at most.
const SHOWN: usize = 400;
/// About a day; what comes later is counted in the last step.
const MOST: usize = 8_640_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tick {
    started: u32,
    completed: u32,
    failed: u32,
}

/// Counts of one thread or, merged, of a series.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ticks(Vec<Tick>);

impl Ticks {
    fn at(&mut self, offset: Duration) -> &mut Tick {
        let index = ((offset.as_nanos() / TICK.as_nanos()) as usize).min(MOST - 1);
        if index >= self.0.len() {
            self.0.resize(index + 1, Tick::default());
        }
        &mut self.0[index]
    }

    pub(crate) fn started(&mut self, offset: Duration) {
        self.at(offset).started += 1;
    }

    pub(crate) fn completed(&mut self, offset: Duration) {
        self.at(offset).completed += 1;
    }

    pub(crate) fn failed(&mut self, offset: Duration) {
        self.at(offset).failed += 1;
    }

    /// Adds another thread of the same slice.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), Tick::default());
        }
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            own.started += more.started;
            own.completed += more.completed;
            own.failed += more.failed;
        }
    }

    /// Appends the next slice of the same series.
    pub(crate) fn append(&mut self, next: &Self) {
        self.0.extend_from_slice(&next.0);
    }

    /// Completed operations of each step.
    pub(crate) fn completed_counts(&self) -> Vec<u64> {
        self.0.iter().map(|t| u64::from(t.completed)).collect()
    }

    /// The whole course in at most [`SHOWN`] steps.
    pub(crate) fn timeline(&self) -> Timeline {
        let width = self.0.len().div_ceil(SHOWN).max(1);
        let mut timeline = Timeline { tick_s: TICK.as_secs_f64() * width as f64, ..Timeline::default() };
        let mut in_flight: i64 = 0;
        for chunk in self.0.chunks(width) {
            let (mut completed, mut failed, mut most) = (0, 0, in_flight);
            for tick in chunk {
                completed += u64::from(tick.completed);
                failed += u64::from(tick.failed);
                in_flight += i64::from(tick.started) - i64::from(tick.completed) - i64::from(tick.failed);
                most = most.max(in_flight);
            }
            timeline.completed.push(completed);
            timeline.failed.push(failed);
            timeline.in_flight.push(most.max(0) as u64);
        }
        timeline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn in_flight_is_what_was_started_and_has_not_ended() {
        let mut ticks = Ticks::default();
        ticks.started(ms(0));
        ticks.started(ms(5));
        ticks.completed(ms(12));
        ticks.started(ms(25));
        ticks.failed(ms(35));
        ticks.completed(ms(36));
        let timeline = ticks.timeline();
        assert_eq!(timeline.completed, [0, 1, 0, 1]);
        assert_eq!(timeline.failed, [0, 0, 0, 1]);
        assert_eq!(timeline.in_flight, [2, 2, 2, 2], "the most seen in or at the edge of each step");
    }

    #[test]
    fn two_threads_merge_and_two_slices_follow_each_other() {
        let (mut a, mut b) = (Ticks::default(), Ticks::default());
        a.started(ms(0));
        a.completed(ms(3));
        b.started(ms(0));
        b.failed(ms(17));
        a.merge(&b);
        assert_eq!(a.timeline().completed, [1, 0]);
        assert_eq!(a.timeline().failed, [0, 1]);
        let whole = a.clone();
        a.append(&whole);
        assert_eq!(a.timeline().completed, [1, 0, 1, 0]);
    }

    #[test]
    fn a_long_course_is_shown_in_few_steps_without_losing_a_count() {
        let mut ticks = Ticks::default();
        for i in 0..100_000_u64 {
            ticks.started(ms(i));
            ticks.completed(ms(i));
        }
        let timeline = ticks.timeline();
        assert!(timeline.completed.len() <= SHOWN);
        assert_eq!(timeline.completed.iter().sum::<u64>(), 100_000);
        assert!((timeline.tick_s - 0.25).abs() < 1e-9);
    }
}
