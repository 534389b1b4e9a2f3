//! A bar of shares that reads without colour: each part begins with its letter.
//!
//! The bar is always full: it shows shares of one operation, so two bars compare the parts, not the totals.

use anstyle::AnsiColor;

use crate::parts::Part;

/// Neighbouring parts are filled differently, so that they stay apart in black and white.
const FILLS: [char; 2] = ['█', '▒'];

const COLOURS: [AnsiColor; 12] = [
    AnsiColor::White,
    AnsiColor::Cyan,
    AnsiColor::BrightBlue,
    AnsiColor::Magenta,
    AnsiColor::BrightMagenta,
    AnsiColor::Yellow,
    AnsiColor::Green,
    AnsiColor::Blue,
    AnsiColor::BrightBlack,
    AnsiColor::BrightCyan,
    AnsiColor::BrightGreen,
    AnsiColor::BrightYellow,
];

/// The colour of a part.
pub(super) fn colour(index: usize) -> AnsiColor {
    COLOURS[index % COLOURS.len()]
}

/// The bar's parts as colour and text, `width` columns in all; a part below half a column is left out.
pub(super) fn segments(parts: &[Part], width: usize) -> Vec<(usize, String)> {
    let shares: Vec<f64> = parts.iter().map(|p| p.share).collect();
    parts
        .iter()
        .zip(apportion(&shares, width))
        .filter(|(_, cells)| *cells > 0)
        .enumerate()
        .map(|(i, (part, cells))| {
            let fill = std::iter::repeat_n(FILLS[i % FILLS.len()], cells - 1);
            (part.colour, std::iter::once(part.letter).chain(fill).collect())
        })
        .collect()
}

/// Whole columns for each share: rounded down, the rest to the largest remainders (Hamilton's method).
fn apportion(shares: &[f64], width: usize) -> Vec<usize> {
    let exact: Vec<f64> = shares.iter().map(|share| share * width as f64).collect();
    let mut cells: Vec<usize> = exact.iter().map(|e| e.floor() as usize).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    let left = width.saturating_sub(cells.iter().sum());
    for index in order.into_iter().take(left) {
        cells[index] += 1;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(letter: char, share: f64) -> Part {
        Part { letter, name: String::new(), mean_us: share, share, colour: 0 }
    }

    #[test]
    fn a_bar_is_full_and_begins_each_part_with_its_letter() {
        let parts = [part('C', 0.2), part('T', 0.5), part('A', 0.3)];
        let bar: String = segments(&parts, 10).into_iter().map(|(_, text)| text).collect();
        assert_eq!(bar, "C█T▒▒▒▒A██");
    }

    #[test]
    fn columns_add_up_to_the_width_whatever_the_shares() {
        for (shares, width) in [(vec![1.0 / 3.0; 3], 10), (vec![0.999, 0.0005, 0.0005], 12), (vec![1.0], 7)] {
            let cells = apportion(&shares, width);
            assert_eq!(cells.iter().sum::<usize>(), width, "{shares:?}");
        }
        assert_eq!(apportion(&[0.999, 0.0005, 0.0005], 12), [12, 0, 0]);
        assert!(segments(&[], 10).is_empty());
    }
}
