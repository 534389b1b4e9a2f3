//! Samples of another machine, and which of them belongs to an instant.
//!
//! Two clocks are in play. Samples that come through a pipe are told by when they arrived here; in a file there is no
//! arrival to be known, and their own clock counts.

use std::collections::VecDeque;

use peaje_model::MemorySample;

/// Samples kept: an hour of five a second.
const MOST: usize = 18_000;
/// What is further away from an instant than this, or than some intervals, does not speak of it.
const MOST_DISTANCE_US: i64 = 5_000_000;
const MOST_INTERVALS: i64 = 3;

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Samples {
    kept: VecDeque<(i64, MemorySample)>,
    /// Lines so far, also empty ones.
    lines: u64,
    /// Nothing more will come.
    pub(super) ended: bool,
    /// Why the rest cannot be read.
    pub(super) broken: Option<String>,
}

/// Which instant a sample has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// When it arrived here, by our clock.
    Arrival,
    /// What its own clock said.
    Clock,
}

impl Samples {
    /// Takes a whole line. A line that is no sample ends the reading: what follows would be of unknown meaning.
    pub(super) fn take(&mut self, line: &str, arrived_us: i64, by: By) {
        self.lines += 1;
        if line.trim().is_empty() || self.broken.is_some() {
            return;
        }
        match serde_json::from_str::<MemorySample>(line) {
            Ok(sample) => {
                let at = match by {
                    By::Arrival => arrived_us,
                    By::Clock => sample.clock_us,
                };
                if self.kept.len() == MOST {
                    self.kept.pop_front();
                }
                self.kept.push_back((at, sample));
            }
            Err(error) => self.broken = Some(format!("line {} is no sample of peaje: {error}", self.lines)),
        }
    }

    /// Instant of the newest sample.
    pub(super) fn newest(&self) -> Option<i64> {
        self.kept.back().map(|(at, _)| *at)
    }

    /// Time between the last two samples, if there are two.
    pub(super) fn interval_us(&self) -> Option<i64> {
        let mut last = self.kept.iter().rev().map(|(at, _)| *at);
        Some((last.next()? - last.next()?).max(0))
    }

    /// The sample nearest to an instant, and how far away it is.
    pub(super) fn nearest(&self, at: i64) -> Option<(i64, &MemorySample)> {
        let distance = |(when, _): &&(i64, MemorySample)| when.abs_diff(at);
        // Of two that are equally near the later one: it was seen after what the instant stands for.
        let (when, sample) = self.kept.iter().rev().min_by_key(distance)?;
        Some((when.saturating_sub(at), sample))
    }

    /// How far away a sample may be.
    pub(super) fn reach_us(&self) -> i64 {
        MOST_DISTANCE_US.max(self.interval_us().unwrap_or(0).saturating_mul(MOST_INTERVALS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(clock_us: i64) -> String {
        serde_json::to_string(&MemorySample { clock_us, ..MemorySample::default() }).expect("plain data")
    }

    fn clocks(samples: &Samples, instants: &[i64]) -> Vec<i64> {
        instants.iter().map(|at| samples.nearest(*at).expect("there are some").1.clock_us).collect()
    }

    #[test]
    fn the_nearest_one_counts() {
        let mut samples = Samples::default();
        assert!(samples.nearest(5).is_none() && samples.interval_us().is_none());
        for (arrived, clock) in [(1_000, 500_000), (2_000, 501_000), (3_500, 502_500)] {
            samples.take(&line(clock), arrived, By::Arrival);
        }
        assert_eq!(clocks(&samples, &[0, 1_400, 1_500, 2_700, 9_000]), [500_000, 500_000, 501_000, 501_000, 502_500]);
        assert_eq!((samples.newest(), samples.interval_us()), (Some(3_500), Some(1_500)));
        assert_eq!(samples.nearest(3_000).map(|(distance, _)| distance), Some(500));
        let mut by_clock = Samples::default();
        by_clock.take(&line(500_000), 7, By::Clock);
        assert_eq!(by_clock.newest(), Some(500_000));
    }

    #[test]
    fn a_bad_line_is_named_and_ends_it() {
        let mut samples = Samples::default();
        samples.take(&line(1), 1, By::Arrival);
        samples.take("", 2, By::Arrival);
        samples.take("{\"clock_us\": 2, \"server\": nu", 3, By::Arrival);
        samples.take(&line(4), 4, By::Arrival);
        let broken = samples.broken.as_deref().expect("it is no sample");
        assert!(broken.starts_with("line 3 is no sample"), "{broken}");
        assert_eq!(clocks(&samples, &[9]), [1], "what came before it was well");
    }

    #[test]
    fn a_newer_peaje_may_tell_more() {
        let mut samples = Samples::default();
        samples.take(
            "{\"clock_us\":5,\"server\":null,\"host\":{\"total\":1,\"moons\":2},\"cgroup\":null}",
            1,
            By::Clock,
        );
        assert_eq!((samples.broken.as_deref(), samples.newest()), (None, Some(5)));
    }

    #[test]
    fn old_samples_are_forgotten() {
        let mut samples = Samples::default();
        for at in 0..MOST as i64 + 10 {
            samples.take(&line(at), at, By::Arrival);
        }
        assert_eq!((samples.kept.len(), clocks(&samples, &[0])), (MOST, vec![10]));
    }
}
