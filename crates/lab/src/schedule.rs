//! When operations are due: a schedule is a value, an iterator of offsets from the start.

use std::time::Duration;

use peaje_model::Arrival;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, Exp};

/// Offsets from the start of a slice at which operations are due; endless.
#[derive(Debug)]
pub struct Schedule {
    gaps: Gaps,
    next_s: f64,
}

#[derive(Debug)]
enum Gaps {
    /// Distribution, mean gap, generator.
    Exponential(Exp<f64>, f64, Box<StdRng>),
    Even(f64),
    Burst {
        every_s: f64,
        size: u32,
        given: u32,
    },
}

impl Schedule {
    /// The share `part` of `parts` of an offered rate; `None` in a closed loop or without a rate above zero.
    ///
    /// Poisson streams split into independent Poisson streams; even gaps are interleaved; bursts are dealt out.
    pub fn new(arrival: Arrival, part: u32, parts: u32, seed: u64) -> Option<Self> {
        let rate = arrival.rate_per_s().filter(|r| r.is_finite() && *r > 0.0)?;
        let share = rate / f64::from(parts);
        let mut schedule = match arrival {
            Arrival::Closed => return None,
            Arrival::Poisson { .. } => {
                let mut rng = StdRng::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(part));
                let exp = Exp::new(share).ok()?;
                let first = exp.sample(&mut rng);
                Self { gaps: Gaps::Exponential(exp, 1.0 / share, Box::new(rng)), next_s: first }
            }
            Arrival::Constant { .. } => Self { gaps: Gaps::Even(1.0 / share), next_s: f64::from(part) / rate },
            Arrival::Burst { size, .. } => {
                let size = size.max(1);
                let own = size / parts + u32::from(part < size % parts);
                Self {
                    gaps: Gaps::Burst { every_s: f64::from(size) / rate, size: own, given: 0 },
                    next_s: if own == 0 { f64::INFINITY } else { 0.0 },
                }
            }
        };
        if !schedule.next_s.is_finite() {
            schedule.next_s = f64::MAX;
        }
        Some(schedule)
    }

    /// Goes on where another slice of the same series stopped: this slice's clock starts
    /// `elapsed` after the series'. Only even gaps have a phase worth keeping.
    pub fn resumed_at(mut self, elapsed: Duration) -> Self {
        if let Gaps::Even(gap) = self.gaps {
            let elapsed_s = elapsed.as_secs_f64();
            let passed = ((elapsed_s - self.next_s) / gap).ceil().max(0.0);
            self.next_s = (self.next_s + passed * gap - elapsed_s).max(0.0);
        }
        self
    }

    /// How many of the instants to come lie before `time`: exact for even gaps and bursts; for random gaps the expected
    /// number, because nobody walks through billions of them.
    pub fn due_before(&self, time: Duration) -> u64 {
        let left_s = time.as_secs_f64() - self.next_s;
        if left_s <= 0.0 {
            return 0;
        }
        match &self.gaps {
            Gaps::Exponential(_, mean_gap_s, _) => 1 + (left_s / mean_gap_s) as u64,
            Gaps::Even(gap) => (left_s / gap).ceil() as u64,
            Gaps::Burst { every_s, size, given } => {
                (left_s / every_s).ceil() as u64 * u64::from(*size) - u64::from(*given)
            }
        }
    }
}

impl Iterator for Schedule {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let due = Duration::try_from_secs_f64(self.next_s).unwrap_or(Duration::MAX);
        match &mut self.gaps {
            Gaps::Exponential(exp, _, rng) => self.next_s += exp.sample(rng.as_mut()),
            Gaps::Even(gap) => self.next_s += *gap,
            Gaps::Burst { every_s, size, given } => {
                *given += 1;
                if *given >= *size {
                    *given = 0;
                    self.next_s += *every_s;
                }
            }
        }
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(schedule: Schedule, seconds: u64) -> Vec<Duration> {
        schedule.take_while(|d| *d < Duration::from_secs(seconds)).collect()
    }

    #[test]
    fn a_closed_loop_has_no_schedule() {
        assert!(Schedule::new(Arrival::Closed, 0, 1, 1).is_none());
        assert!(Schedule::new(Arrival::Poisson { rate_per_s: 0.0 }, 0, 1, 1).is_none());
    }

    #[test]
    fn even_gaps_of_all_parts_interleave_to_the_offered_rate() {
        let arrival = Arrival::Constant { rate_per_s: 100.0 };
        let mut all: Vec<_> =
            (0..3).flat_map(|part| within(Schedule::new(arrival, part, 3, 7).expect("open loop"), 3)).collect();
        all.sort();
        assert_eq!(all.len(), 300);
        for pair in all.windows(2) {
            let gap = pair[1].as_secs_f64() - pair[0].as_secs_f64();
            assert!((gap - 0.01).abs() < 1e-6, "{gap}");
        }
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() {
        let schedule = Schedule::new(Arrival::Poisson { rate_per_s: 1000.0 }, 0, 1, 42).expect("open loop");
        let due: Vec<f64> = within(schedule, 60).iter().map(Duration::as_secs_f64).collect();
        let gaps: Vec<f64> = due.windows(2).map(|w| w[1] - w[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // 60,000 gaps: the standard error of the mean is 0.4 %, that of the coefficient of variation about 0.6 %.
        assert!((mean * 1000.0 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.03);
    }

    #[test]
    fn a_seed_gives_the_same_schedule_again_and_parts_differ() {
        let make =
            |part| within(Schedule::new(Arrival::Poisson { rate_per_s: 50.0 }, part, 2, 9).expect("open loop"), 2);
        assert_eq!(make(0), make(0));
        assert_ne!(make(0), make(1));
    }

    #[test]
    fn bursts_are_dealt_out_to_the_parts() {
        let arrival = Arrival::Burst { rate_per_s: 50.0, size: 5 };
        let counts: Vec<usize> =
            (0..2).map(|part| within(Schedule::new(arrival, part, 2, 1).expect("open loop"), 1).len()).collect();
        assert_eq!(counts, [30, 20]);
        let first = Schedule::new(arrival, 0, 2, 1).expect("open loop").take(4).collect::<Vec<_>>();
        assert_eq!(first[0], first[2]);
        assert_eq!(first[3], Duration::from_millis(100));
    }

    #[test]
    fn even_gaps_go_on_from_slice_to_slice() {
        let arrival = Arrival::Constant { rate_per_s: 1000.0 };
        let slice = Duration::from_secs_f64(10.0 / 3.0);
        let due: usize = (0..3)
            .map(|n| {
                let schedule = Schedule::new(arrival, 0, 1, 1).expect("open loop").resumed_at(slice * n);
                schedule.take_while(|d| *d < slice).count()
            })
            .sum();
        assert_eq!(due, 10_000);
    }

    #[test]
    fn what_is_still_due_is_counted_without_walking() {
        let at = Duration::from_secs(2);
        for arrival in [Arrival::Constant { rate_per_s: 70.0 }, Arrival::Burst { rate_per_s: 50.0, size: 7 }] {
            let mut schedule = Schedule::new(arrival, 0, 1, 3).expect("open loop");
            schedule.by_ref().take(17).for_each(drop);
            let counted = schedule.due_before(at);
            assert_eq!(counted, schedule.take_while(|d| *d < at).count() as u64, "{arrival:?}");
        }
        let poisson = Schedule::new(Arrival::Poisson { rate_per_s: 1e9 }, 0, 1, 3).expect("open loop");
        assert!((poisson.due_before(at) as f64 / 2e9 - 1.0).abs() < 0.01);
    }
}
