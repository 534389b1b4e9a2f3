//! The console's times: text to the second, in the time zone of PgBouncer's process, named by an abbreviation.
//!
//! The console tells nobody what time it is, but the client that asks is in its own answer, with the time of its
//! request. A newcomer would take the abbreviation for an offset: `IST` is one of three.

use std::collections::HashMap;
use std::time::SystemTime;

const SECOND_US: i64 = 1_000_000;
/// Time zones differ by multiples of this.
const QUARTER_US: i64 = 900 * SECOND_US;

/// Microseconds since 1970 of this machine's clock.
pub(super) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// A time as it stands there: without its zone, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shown<'a> {
    local_us: i64,
    zone: &'a str,
}

impl<'a> Shown<'a> {
    /// `2026-11-30 20:47:21 UTC`; old versions leave the zone out.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let mut date = words.next()?.splitn(3, '-').map(str::parse::<i64>);
        let mut time = words.next()?.splitn(3, ':').map(str::parse::<i64>);
        let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
        let (h, m, s) = (time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?);
        let seconds = days_since_1970(year, month, day)? * 86_400 + h * 3600 + m * 60 + s;
        Some(Self { local_us: seconds * SECOND_US, zone: words.next().unwrap_or_default() })
    }
}

/// The day's number; only years that a connection can have been made in.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // March is the first month, so that the leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    Some(year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468)
}

/// How the console's clock and zones relate to ours.
#[derive(Debug, Default)]
pub(super) struct ConsoleClock {
    /// What to subtract from a time shown with this abbreviation.
    offsets: HashMap<String, i64>,
    /// Console's clock minus ours, when they differ by more than what the console can show.
    ahead_us: i64,
}

impl ConsoleClock {
    /// Learns from the request that has just been made: it is shown with `shown`, and was sent and answered at these
    /// times of our clock. Gives the console's clock at the answer.
    pub(super) fn learn(&mut self, shown: Option<Shown<'_>>, sent_us: i64, answered_us: i64) -> i64 {
        if let Some(shown) = shown {
            let offset = *self
                .offsets
                .entry(shown.zone.to_owned())
                .or_insert_with(|| ((shown.local_us - sent_us) as f64 / QUARTER_US as f64).round() as i64 * QUARTER_US);
            // The second it shows may have begun up to a second before the request.
            let seen = shown.local_us - offset;
            let (least, most) = (seen - answered_us, seen + SECOND_US - sent_us);
            if !(least..=most).contains(&self.ahead_us) {
                self.ahead_us = if (least..=most).contains(&0) { 0 } else { i64::midpoint(least, most) };
            }
        }
        answered_us + self.ahead_us
    }

    /// A time in microseconds since 1970 on the console's clock.
    pub(super) fn absolute(&self, shown: Shown<'_>) -> i64 {
        // A zone never seen at a request is the other half of a year with daylight saving time: one hour off at most.
        let known = self.offsets.get(shown.zone).or_else(|| self.offsets.values().next());
        shown.local_us - known.copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, local_s, zone) in [
            ("1970-01-01 00:00:00 UTC", 0, "UTC"),
            ("2000-03-01 00:00:01", 951_868_801, ""),
            ("2024-02-29 12:00:00 CET", 1_709_208_000, "CET"),
            ("2026-11-30 20:47:21 UTC", 1_796_071_641, "UTC"),
        ] {
            assert_eq!(Shown::parse(text), Some(Shown { local_us: local_s * SECOND_US, zone }), "{text}");
        }
        for text in ["", "2026-11-30", "0000-00-00 00:00:00", "2026-13-01 00:00:00 UTC", "x-y-z 1:2:3"] {
            assert_eq!(Shown::parse(text), None, "{text}");
        }
    }

    #[test]
    fn zones_and_clocks_are_told_apart() {
        let second = |n: i64| n * SECOND_US;
        let shown = |s, zone| Shown { local_us: second(s), zone };
        // Kolkata: five hours and a half ahead; the clocks agree.
        let mut clock = ConsoleClock::default();
        let request = second(1_000_000) + 400_000;
        assert_eq!(clock.learn(Some(shown(1_019_800, "IST")), request, request + 1_000), request + 1_000);
        assert_eq!(clock.absolute(shown(1_019_700, "IST")), second(999_900));
        // A clock 40 s ahead: within half a second.
        let mut clock = ConsoleClock::default();
        let there = clock.learn(Some(shown(1_000_040, "UTC")), request, request + 1_000);
        assert!((there - request - second(40)).abs() <= SECOND_US, "{there}");
        // It does not jitter while both seconds pass.
        let later = clock.learn(Some(shown(1_000_041, "UTC")), request + second(1), request + second(1) + 1_000);
        assert_eq!(later - there, second(1));
        // It steps: that is seen.
        let stepped = clock.learn(Some(shown(1_000_102, "UTC")), request + second(2), request + second(2) + 1_000);
        assert!((stepped - later - second(61)).abs() <= SECOND_US, "{stepped}");
        // Without an answer our own clock has to do.
        assert_eq!(ConsoleClock::default().learn(None, 5, 7), 7);
    }
}
