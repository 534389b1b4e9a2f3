//! When to read: once in every interval, at a random moment of it.

use std::time::Duration;

use rand::Rng;
use rand::rngs::StdRng;
use tokio::time::Instant;

/// Two readings are at least this part of an interval apart.
const LEAST_GAP: f64 = 0.1;
/// The longest pause between two attempts to log in.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Draws the moments of one server.
#[derive(Debug)]
pub(super) struct Moments {
    interval: Duration,
    origin: Instant,
    rng: StdRng,
    /// Number of the interval that was read last.
    last: Option<u64>,
    attempts: u32,
}

impl Moments {
    pub(super) fn new(interval: Duration, origin: Instant, rng: StdRng) -> Self {
        Self { interval, origin, rng, last: None, attempts: 0 }
    }

    pub(super) fn interval(&self) -> Duration {
        self.interval
    }

    /// The next moment after `now`. The first one is now: what is known at once is shown at once.
    pub(super) fn next(&mut self, now: Instant) -> Instant {
        let running = (now.saturating_duration_since(self.origin).as_nanos() / self.interval.as_nanos().max(1)) as u64;
        let Some(last) = self.last else {
            self.last = Some(running);
            return now;
        };
        // An interval that went by while the server kept us waiting is not made up for.
        let number = running.max(last + 1);
        self.last = Some(number);
        let start = self.origin + self.interval.mul_f64(number as f64);
        let moment = start + self.interval.mul_f64(self.rng.random_range(0.0..1.0));
        moment.max(now + self.interval.mul_f64(LEAST_GAP))
    }

    /// How long to wait after a failed login: twice as long each time, never in step with other watches.
    pub(super) fn pause(&mut self, refused: bool) -> Duration {
        let first = self.interval.min(Duration::from_secs(1));
        let doubled = first.mul_f64(f64::from(2_u32.saturating_pow(self.attempts.min(16))));
        self.attempts += 1;
        let longest = if refused { LONGEST_PAUSE } else { doubled.min(LONGEST_PAUSE) };
        longest.mul_f64(self.rng.random_range(0.5..1.0))
    }

    /// A reading succeeded.
    pub(super) fn succeeded(&mut self) {
        self.attempts = 0;
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_in_every_interval_at_any_place_of_it() {
        let origin = Instant::now();
        let mut moments = Moments::new(Duration::from_secs(10), origin, StdRng::seed_from_u64(5));
        let mut now = moments.next(origin);
        assert_eq!(now, origin);
        let mut phases = [0; 10];
        for number in 1..=1000_u32 {
            let next = moments.next(now);
            assert!(next > now);
            let at = next.duration_since(origin).as_secs_f64();
            // One may be pushed a little by the reading before it.
            assert!((f64::from(number) * 10.0..f64::from(number) * 10.0 + 11.0).contains(&at), "{number}: {at}");
            phases[(at / 1.0) as usize % 10] += 1;
            now = next;
        }
        assert!(phases.iter().all(|count| (60..150).contains(count)), "{phases:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reading_is_not_made_up_for() {
        let origin = Instant::now();
        let mut moments = Moments::new(Duration::from_secs(10), origin, StdRng::seed_from_u64(5));
        moments.next(origin);
        let late = origin + Duration::from_secs(47);
        let next = moments.next(late);
        assert!(next > late && next < origin + Duration::from_secs(51));
        assert!(moments.next(next) >= origin + Duration::from_secs(50));
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_to_a_minute() {
        let mut moments = Moments::new(Duration::from_secs(10), Instant::now(), StdRng::seed_from_u64(5));
        let pauses: Vec<f64> = (0..10).map(|_| moments.pause(false).as_secs_f64()).collect();
        assert!((0.5..1.0).contains(&pauses[0]) && (2.0..4.0).contains(&pauses[2]), "{pauses:?}");
        assert!(pauses.iter().all(|pause| *pause <= 60.0) && pauses[9] >= 30.0);
        moments.succeeded();
        assert!(moments.pause(false).as_secs_f64() <= 1.0);
        assert!(moments.pause(true).as_secs_f64() >= 30.0);
    }
}
