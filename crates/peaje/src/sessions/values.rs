//! Words that stand for numbers: ladders, shares, sizes. A newcomer would take `--memory-floor 10` for 10 %: it is refused.

use std::time::Duration;

/// Steps, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ladder(pub(crate) Vec<u64>);

/// A part of a whole, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share(pub(crate) f64);

/// `--hold`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldArg {
    /// Until Enter.
    UntilKey,
    /// For a time.
    For(Duration),
}

/// The highest step, and the most steps.
const MOST_SESSIONS: u64 = 1_000_000;
const MOST_STEPS: usize = 1000;

/// `100,200,400`, or `50,100,...,400` (also with `…`): the distance of the two before the dots goes on.
pub(super) fn ladder(text: &str) -> Result<Ladder, String> {
    let mut steps: Vec<u64> = Vec::new();
    let mut words = text.split(',').map(str::trim).peekable();
    while let Some(word) = words.next() {
        if matches!(word, "..." | "…") {
            let last = number(words.next().ok_or("the dots need a last step after them: 50,100,...,400")?)?;
            go_on(&mut steps, last)?;
        } else {
            steps.push(number(word)?);
        }
    }
    if steps.len() > MOST_STEPS {
        return Err(format!("{} steps: {MOST_STEPS} at most", steps.len()));
    }
    if !steps.is_sorted_by(|a, b| a < b) {
        return Err("each step must have more sessions than the one before".to_owned());
    }
    Ok(Ladder(steps))
}

fn number(word: &str) -> Result<u64, String> {
    match word.replace('_', "").parse::<u64>() {
        Ok(n) if (1..=MOST_SESSIONS).contains(&n) => Ok(n),
        _ => Err(format!("`{word}` is no number of sessions: 1 to {MOST_SESSIONS}")),
    }
}

/// Up to `last`, which is a step whether the distance meets it or not.
fn go_on(steps: &mut Vec<u64>, last: u64) -> Result<(), String> {
    let by = match steps[..] {
        [.., a, b] if b > a => b - a,
        _ => return Err("the dots need two ascending steps before them: 50,100,...,400".to_owned()),
    };
    let first = steps.last().copied().unwrap_or(0) + by;
    steps.extend(evenly(first, by, last));
    Ok(())
}

/// From `first` in distances of `by`, and `last` at the end.
pub(super) fn evenly(first: u64, by: u64, last: u64) -> Vec<u64> {
    let step = usize::try_from(by).unwrap_or(usize::MAX).max(1);
    let mut steps: Vec<u64> = (first..last).step_by(step).take(MOST_STEPS).collect();
    steps.push(last);
    steps
}

/// `10%`, `0.1`, or 0.
pub(super) fn share(text: &str) -> Result<Share, String> {
    let unclear = || format!("`{text}` is no part of a whole: write 10%, 0.1 or 0");
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
        None => text.parse::<f64>(),
    };
    match value {
        Ok(part) if (0.0..1.0).contains(&part) => Ok(Share(part)),
        _ => Err(unclear()),
    }
}

/// `700KiB`, `1.8MiB`, `2GB`, or plain bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let unclear = || format!("`{text}` is no size: write 700KiB, 1.8MiB, 2GiB, or bytes");
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        _ => return Err(unclear()),
    };
    let bytes = digits.parse::<f64>().map_err(|_| unclear())? * factor;
    if bytes <= 1e13 { Ok(bytes.round() as u64) } else { Err(unclear()) }
}

/// Of two steps.
pub(super) fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if (1.05..=1000.0).contains(&factor) => Ok(factor),
        _ => Err(format!("`{text}` is no factor: from 1.05 to 1000")),
    }
}

/// Per second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= 100_000.0 => Ok(rate),
        _ => Err(format!("`{text}` is no rate: a number above 0, sessions per second")),
    }
}

/// A time, or `key`.
pub(super) fn hold(text: &str) -> Result<HoldArg, String> {
    if text == "key" { Ok(HoldArg::UntilKey) } else { crate::args::positive_time(text).map(HoldArg::For) }
}

/// A time, or none.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { crate::args::positive_time(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ladders() {
        for (text, expected) in [
            ("100,200,400", Some(vec![100, 200, 400])),
            ("50,100,...,400", Some(vec![50, 100, 150, 200, 250, 300, 350, 400])),
            ("50,100,…,400", Some(vec![50, 100, 150, 200, 250, 300, 350, 400])),
            ("10, 20, ..., 45", Some(vec![10, 20, 30, 40, 45])),
            ("7", Some(vec![7])),
            ("32_767", Some(vec![32_767])),
            ("200,100", None),
            ("100,100", None),
            ("0,100", None),
            ("", None),
            ("...,400", None),
            ("50,...,400", None),
            ("50,100,...", None),
            ("50,100,...,90", None),
            ("1,2,...,1000000", None),
        ] {
            assert_eq!(ladder(text).ok(), expected.map(Ladder), "{text}");
        }
    }

    #[test]
    fn shares() {
        for (text, expected) in [
            ("10%", Some(0.1)),
            ("0.1", Some(0.1)),
            ("0", Some(0.0)),
            ("0%", Some(0.0)),
            ("1%", Some(0.01)),
            ("10", None),
            ("100%", None),
            ("-1%", None),
            ("nan", None),
            ("ten", None),
        ] {
            assert_eq!(share(text).ok(), expected.map(Share), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("700KiB", Some(716_800)),
            ("1.8MiB", Some(1_887_437)),
            ("200 MiB", Some(209_715_200)),
            ("2g", Some(2_147_483_648)),
            ("1.5MB", Some(1_500_000)),
            ("4096", Some(4096)),
            ("", None),
            ("1.8 mebi", None),
            ("-1", None),
            ("1e9", None),
        ] {
            assert_eq!(size(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn holding_is_for_a_time_or_until_a_key() {
        assert_eq!(hold("key"), Ok(HoldArg::UntilKey));
        assert_eq!(hold("2s"), Ok(HoldArg::For(Duration::from_secs(2))));
        assert!(hold("long").is_err());
    }
}
