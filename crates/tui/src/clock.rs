//! Times of day as the viewer's clock shows them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::View;

/// How exactly a time is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactly {
    Minute,
    Second,
}

/// `10:42` or `10:42:07` on the viewer's clock; with its date when that is another day than the view's. A time that is
/// none stands as it was given.
pub(crate) fn time(view: &View, rfc3339: &str, exactly: Exactly) -> String {
    let Some(time) = civil(rfc3339, view.utc_offset_s) else { return rfc3339.to_owned() };
    let other_day = civil(&view.at, view.utc_offset_s).is_some_and(|now| now.date() != time.date());
    let format = match exactly {
        Exactly::Minute => "%H:%M",
        Exactly::Second => "%H:%M:%S",
    };
    let date = if other_day { time.strftime("%Y-%m-%d ").to_string() } else { String::new() };
    date + &time.strftime(format).to_string()
}

/// When the view was, for a log: `2026-11-30T11:41:07+01:00`, `…Z` in UTC.
pub(crate) fn stamp(view: &View) -> String {
    let Some(at) = civil(&view.at, view.utc_offset_s) else { return view.at.clone() };
    let minutes = view.utc_offset_s / 60;
    let zone = match minutes {
        0 => "Z".to_owned(),
        _ => format!("{}{:02}:{:02}", if minutes < 0 { '-' } else { '+' }, minutes.abs() / 60, minutes.abs() % 60),
    };
    at.strftime("%Y-%m-%dT%H:%M:%S").to_string() + &zone
}

/// Seconds from one time to another; `None` where one of them is none.
pub(crate) fn seconds_between(from: &str, to: &str) -> Option<i64> {
    let second = |text: &str| text.parse::<Timestamp>().ok().map(Timestamp::as_second);
    Some(second(to)? - second(from)?)
}

fn civil(rfc3339: &str, offset_s: i32) -> Option<DateTime> {
    let at: Timestamp = rfc3339.parse().ok()?;
    let offset = Offset::from_seconds(offset_s).ok()?;
    Some(at.to_zoned(TimeZone::fixed(offset)).datetime())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_the_viewers_clock_and_name_another_day() {
        let view = |offset| View { at: "2026-11-30T22:41:07Z".into(), utc_offset_s: offset, ..View::default() };
        let table = [
            (0, "2026-11-30T22:42:00Z", Exactly::Minute, "22:42"),
            (3_600, "2026-11-30T22:42:09Z", Exactly::Second, "23:42:09"),
            (3_600, "2026-11-30T23:01:00Z", Exactly::Minute, "2026-12-01 00:01"),
            (-18_000, "2026-11-30T22:42:00Z", Exactly::Minute, "17:42"),
            (0, "soon", Exactly::Minute, "soon"),
        ];
        let stamps = [(0, "2026-11-30T22:41:07Z"), (19_800, "2026-12-01T04:11:07+05:30")];
        for (offset, said) in stamps.into_iter().chain([(-12_600, "2026-11-30T19:11:07-03:30")]) {
            assert_eq!(stamp(&view(offset)), said);
        }
        for (offset, at, exactly, said) in table {
            assert_eq!(time(&view(offset), at, exactly), said);
        }
    }
}
