//! Numbers with their units, as each language writes them.
//!
//! One rule for each quantity, used by every output: the same value never looks different in text and HTML. The
//! digit groups are separated at every thousand (`12,345` in English, `12.345` in Spanish), the unit follows a space.
//! A value that is not there is [`ABSENT`], never zero.

use peaje_model::Param;

use crate::Language;

/// What stands where a figure could not be given.
pub(crate) const ABSENT: &str = "–";

/// The separators of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Units {
    decimal: char,
    thousands: char,
}

impl Units {
    /// The separators of `language`.
    pub(crate) const fn of(language: Language) -> Self {
        match language {
            Language::English => Self { decimal: '.', thousands: ',' },
            Language::Spanish => Self { decimal: ',', thousands: '.' },
        }
    }

    /// A whole number: `12,345`.
    pub(crate) fn count(self, n: u64) -> String {
        self.grouped(&n.to_string())
    }

    /// A number with a fixed number of decimal places: `1,234.50`.
    pub(crate) fn fixed(self, value: f64, places: usize) -> String {
        if !value.is_finite() {
            return ABSENT.to_owned();
        }
        let digits = format!("{:.places$}", value.abs());
        let sign = if value < 0.0 && digits.bytes().any(|b| (b'1'..=b'9').contains(&b)) { "-" } else { "" };
        match digits.split_once('.') {
            Some((whole, fraction)) => format!("{sign}{}{}{fraction}", self.grouped(whole), self.decimal),
            None => format!("{sign}{}", self.grouped(&digits)),
        }
    }

    /// About three digits that mean something: `1,234`, `412`, `41.2`, `4.12`.
    pub(crate) fn figure(self, value: f64) -> String {
        self.fixed(value, places(value, &[(9.995, 2), (99.95, 1)]))
    }

    /// A round number on an axis: as few decimals as it needs.
    pub(crate) fn figure_tick(self, value: f64) -> String {
        let needed = (0..4).find(|p| (value * 10_f64.powi(*p) - (value * 10_f64.powi(*p)).round()).abs() < 1e-6);
        self.fixed(value, needed.unwrap_or(4) as usize)
    }

    /// A round time on an axis, given in microseconds: `50 ms`, not `50.0 ms`.
    pub(crate) fn time_tick(self, us: f64) -> String {
        let (value, unit) = match us.abs() {
            0.0 => (0.0, "s"),
            size if size < 999.5 => (us, "µs"),
            size if size < 999_500.0 => (us / 1e3, "ms"),
            _ => (us / 1e6, "s"),
        };
        // A tick may come back from a logarithm a hair off its round value.
        let round = format!("{value:.6e}").parse().unwrap_or(value);
        format!("{} {unit}", self.figure_tick(round))
    }

    /// A ratio: `2.4` below ten, `24` above; `5` when it is whole (five round trips, not 5.0).
    pub(crate) fn ratio(self, value: f64) -> String {
        let whole = (value - value.round()).abs() < 0.005;
        self.fixed(value, if whole { 0 } else { places(value, &[(9.95, 1)]) })
    }

    /// A number of cores: `1.4`, `0.03`.
    pub(crate) fn cores(self, value: f64) -> String {
        self.fixed(value, places(value, &[(0.0995, 2), (99.95, 1)]))
    }

    /// A share (0 to 1) as per cent: `42 %`, `4.2 %`.
    pub(crate) fn share(self, value: f64) -> String {
        self.percent(value * 100.0)
    }

    /// A number that is per cent already.
    pub(crate) fn percent(self, percent: f64) -> String {
        let near_whole = (percent - percent.round()).abs() < 0.05;
        let places = usize::from(percent.abs() < 9.95 && !near_whole);
        self.with_unit(percent, places, "%")
    }

    /// A time given in microseconds: `0.4 µs`, `310 µs`, `4.2 ms`, `140 ms`, `1.30 s`, `12.5 s`, `140 s`.
    pub(crate) fn time(self, us: f64) -> String {
        let size = us.abs();
        if size < 999.5 {
            self.with_unit(us, if size == 0.0 { 0 } else { places(us, &[(9.95, 1)]) }, "µs")
        } else if size < 999_500.0 {
            let ms = us / 1000.0;
            self.with_unit(ms, places(ms, &[(99.95, 1)]), "ms")
        } else {
            self.seconds(us / 1e6)
        }
    }

    /// A time given in seconds, never shown in a smaller unit than milliseconds: `14.0 s`, `250 ms`.
    pub(crate) fn elapsed(self, s: f64) -> String {
        if s == 0.0 {
            self.with_unit(s, 0, "s")
        } else if s.abs() < 0.9995 {
            self.time(s * 1e6)
        } else {
            self.seconds(s)
        }
    }

    /// Memory: `512 B`, `8.3 KiB`, `1.8 MiB`, `768 MiB`, `1.5 GiB`.
    pub(crate) fn bytes(self, bytes: f64) -> String {
        const NAMES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let (mut value, mut name) = (bytes, 0);
        while value.abs() >= 1023.5 && name + 1 < NAMES.len() {
            value /= 1024.0;
            name += 1;
        }
        let whole = (value - value.round()).abs() < 0.005;
        let decimals = if whole || name == 0 { 0 } else { places(value, &[(9.95, 1)]) };
        self.with_unit(value, decimals, NAMES[name])
    }

    /// How long something lives, in seconds: `300 ms`, `6.8 s`, `40 s`, `12 min` from two minutes on, `3.5 h` from two
    /// hours on, `4.1 d` from two days on.
    pub(crate) fn life(self, s: f64) -> String {
        let whole = (s - s.round()).abs() < 0.005;
        match s.abs() {
            size if size < 0.9995 => self.elapsed(s),
            size if size < 119.5 => self.with_unit(s, if whole { 0 } else { places(s, &[(9.95, 1)]) }, "s"),
            size if size < 7_200.0 => self.with_unit(s / 60.0, 0, "min"),
            size if size < 172_800.0 => self.with_unit(s / 3_600.0, places(s / 3_600.0, &[(9.95, 1)]), "h"),
            _ => self.with_unit(s / 86_400.0, places(s / 86_400.0, &[(9.95, 1)]), "d"),
        }
    }

    fn seconds(self, s: f64) -> String {
        self.with_unit(s, places(s, &[(9.995, 2), (99.95, 1)]), "s")
    }

    /// A typed parameter of a finding. Rates, ratios and cores come without a unit: the sentence says what is counted.
    pub(crate) fn param(self, param: &Param) -> String {
        match param {
            Param::Count(n) => self.count(*n),
            Param::Ratio(x) => self.ratio(*x),
            Param::Share(x) => self.share(*x),
            Param::Us(x) => self.time(*x),
            Param::PerS(x) => self.figure(*x),
            Param::Cores(x) => self.cores(*x),
            Param::CpuS(x) => self.elapsed(*x),
            Param::Bytes(x) => self.bytes(*x),
            Param::Text(word) => word.clone(),
        }
    }

    /// A figure that may be absent.
    pub(crate) fn or_absent(self, value: Option<f64>, show: impl Fn(Self, f64) -> String) -> String {
        value.map_or_else(|| ABSENT.to_owned(), |v| show(self, v))
    }

    fn with_unit(self, value: f64, places: usize, unit: &str) -> String {
        if value.is_finite() { format!("{} {unit}", self.fixed(value, places)) } else { ABSENT.to_owned() }
    }

    fn grouped(self, digits: &str) -> String {
        let mut out = String::with_capacity(digits.len() + digits.len() / 3);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                out.push(self.thousands);
            }
            out.push(digit);
        }
        out
    }
}

/// The decimal places for `value`: those of the first limit it stays below, else none.
fn places(value: f64, limits: &[(f64, usize)]) -> usize {
    limits.iter().find(|(limit, _)| value.abs() < *limit).map_or(0, |(_, places)| *places)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: Units = Units::of(Language::English);
    const ES: Units = Units::of(Language::Spanish);

    #[test]
    fn params_by_unit_in_both_languages() {
        let table = [
            (Param::Count(0), "0", "0"),
            (Param::Count(999), "999", "999"),
            (Param::Count(1_000), "1,000", "1.000"),
            (Param::Count(1_234_567), "1,234,567", "1.234.567"),
            (Param::Us(0.0), "0 µs", "0 µs"),
            (Param::Us(0.42), "0.4 µs", "0,4 µs"),
            (Param::Us(9.96), "10 µs", "10 µs"),
            (Param::Us(310.4), "310 µs", "310 µs"),
            (Param::Us(999.6), "1.0 ms", "1,0 ms"),
            (Param::Us(4_212.0), "4.2 ms", "4,2 ms"),
            (Param::Us(99_960.0), "100 ms", "100 ms"),
            (Param::Us(140_400.0), "140 ms", "140 ms"),
            (Param::Us(999_600.0), "1.00 s", "1,00 s"),
            (Param::Us(1_300_000.0), "1.30 s", "1,30 s"),
            (Param::Us(12_460_000.0), "12.5 s", "12,5 s"),
            (Param::Us(1_400_000_000.0), "1,400 s", "1.400 s"),
            (Param::Share(0.0), "0 %", "0 %"),
            (Param::Share(0.042), "4.2 %", "4,2 %"),
            (Param::Share(0.04), "4 %", "4 %"),
            (Param::Share(0.426), "43 %", "43 %"),
            (Param::Share(1.0), "100 %", "100 %"),
            (Param::Ratio(2.41), "2.4", "2,4"),
            (Param::Ratio(24.1), "24", "24"),
            (Param::Ratio(5.0), "5", "5"),
            (Param::PerS(4.124), "4.12", "4,12"),
            (Param::PerS(41.24), "41.2", "41,2"),
            (Param::PerS(12_345.6), "12,346", "12.346"),
            (Param::Cores(1.44), "1.4", "1,4"),
            (Param::Cores(0.034), "0.03", "0,03"),
            (Param::CpuS(0.25), "250 ms", "250 ms"),
            (Param::CpuS(3.21), "3.21 s", "3,21 s"),
            (Param::Bytes(0.0), "0 B", "0 B"),
            (Param::Bytes(8_500.0), "8.3 KiB", "8,3 KiB"),
            (Param::Bytes(1_887_436.8), "1.8 MiB", "1,8 MiB"),
            (Param::Bytes(805_306_368.0), "768 MiB", "768 MiB"),
            (Param::Bytes(1_073_741_823.0), "1 GiB", "1 GiB"),
            (Param::Bytes(-2_048.0), "-2 KiB", "-2 KiB"),
            (Param::Text("a,b".into()), "a,b", "a,b"),
        ];
        for (param, english, spanish) in table {
            assert_eq!(EN.param(&param), english, "{param:?}");
            assert_eq!(ES.param(&param), spanish, "{param:?}");
        }
    }

    #[test]
    fn ticks_have_no_more_decimals_than_they_need() {
        let table = [(0.0, "0 s"), (0.5, "0.5 µs"), (10_000.000_001, "10 ms"), (2_500.0, "2.5 ms"), (5e6, "5 s")];
        for (us, shown) in table {
            assert_eq!(EN.time_tick(us), shown);
        }
        assert_eq!(ES.figure_tick(1_500.0), "1.500");
        assert_eq!(ES.figure_tick(0.25), "0,25");
    }

    #[test]
    fn not_a_number_is_absent_and_not_zero() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(EN.time(value), ABSENT);
            assert_eq!(EN.figure(value), ABSENT);
            assert_eq!(EN.share(value), ABSENT);
        }
        assert_eq!(EN.or_absent(None, Units::time), ABSENT);
    }

    #[test]
    fn a_negative_value_keeps_its_sign_and_a_rounded_zero_has_none() {
        assert_eq!(EN.time(-4_200.0), "-4.2 ms");
        assert_eq!(ES.fixed(-1_234.5, 1), "-1.234,5");
        assert_eq!(EN.fixed(-0.001, 1), "0.0");
    }
}
