//! Curves of one line.

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Where there was a gap: not the level of a zero.
const GAP: char = '·';

/// The last `width` figures as a curve that begins at zero, padded to the left. A zero has the lowest level, a gap a dot.
pub(crate) fn curve(history: &[Option<f64>], width: usize) -> String {
    let shown = &history[history.len().saturating_sub(width)..];
    let most = shown.iter().flatten().copied().fold(0.0, f64::max);
    let level = |value: f64| {
        let part = if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
        LEVELS[(part * (LEVELS.len() - 1) as f64).round() as usize]
    };
    let padding = std::iter::repeat_n(' ', width - shown.len());
    padding.chain(shown.iter().map(|value| value.map_or(GAP, level))).collect()
}

/// A bar of `width` columns filled to `share`; what is not zero shows, and what is not full does not look it.
pub(crate) fn bar(share: f64, width: usize) -> String {
    let share = share.clamp(0.0, 1.0);
    let mut filled = (share * width as f64).round() as usize;
    if share > 0.0 {
        filled = filled.max(1);
    }
    if share < 1.0 {
        filled = filled.min(width.saturating_sub(1));
    }
    "█".repeat(filled) + &"░".repeat(width - filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_begins_at_zero_and_tells_a_gap_from_a_zero() {
        let table: [(&[Option<f64>], usize, &str); 5] = [
            (&[Some(0.0), Some(7.0), Some(3.0)], 3, "▁█▄"),
            (&[Some(1.0), None, Some(0.0)], 4, " █·▁"),
            (&[Some(9.0), Some(1.0), Some(1.0)], 2, "██"),
            (&[Some(0.0), Some(0.0)], 2, "▁▁"),
            (&[], 3, "   "),
        ];
        for (history, width, shown) in table {
            assert_eq!(curve(history, width), shown);
        }
    }

    #[test]
    fn a_bar_shows_little_and_does_not_look_full() {
        let table = [(0.0, "░░░░"), (0.01, "█░░░"), (0.5, "██░░"), (0.99, "███░"), (1.0, "████"), (1.3, "████")];
        for (share, shown) in table {
            assert_eq!(bar(share, 4), shown, "{share}");
        }
    }
}
