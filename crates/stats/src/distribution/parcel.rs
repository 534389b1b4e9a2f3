//! A distribution on its way to another process: everything, exact, in one line of text.
//!
//! A newcomer would send the histogram alone, as the run file does. Sums and extremes would come back from the buckets,
//! and figures of several processes would differ from those of one.

use super::{DecodeError, Distribution};

impl Distribution {
    /// Everything that is in it, for [`Distribution::from_parcel`]. Empty text = an empty distribution.
    pub fn to_parcel(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let histogram = self.to_base64();
        format!("{} {} {} {} {} {histogram}", self.count, self.sum, self.sum_of_squares, self.min, self.max)
    }

    /// Reads what [`Distribution::to_parcel`] wrote: the same as it was.
    pub fn from_parcel(text: &str) -> Result<Self, DecodeError> {
        if text.is_empty() {
            return Ok(Self::new());
        }
        let words: Vec<&str> = text.split(' ').collect();
        let &[count, sum, sum_of_squares, min, max, histogram] = words.as_slice() else { return Err(damaged()) };
        Ok(Self {
            count: number(count)?,
            sum: number(sum)?,
            sum_of_squares: number(sum_of_squares)?,
            min: number(min)?,
            max: number(max)?,
            ..Self::from_base64(histogram)?
        })
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, DecodeError> {
    word.parse().map_err(|_| damaged())
}

fn damaged() -> DecodeError {
    DecodeError::Histogram("the sums beside it are missing or damaged".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_arrives_as_it_left() {
        let mut sent = Distribution::new();
        for value in [3, 1_234_567, 98_765_432_109, 1 << 40] {
            sent.record_ns(value);
        }
        let got = Distribution::from_parcel(&sent.to_parcel()).expect("a parcel");
        assert_eq!(got.mean_ns(), sent.mean_ns());
        assert_eq!(got.stddev_ns(), sent.stddev_ns());
        assert_eq!((got.min_ns(), got.max_ns(), got.count()), (sent.min_ns(), sent.max_ns(), 4));
        assert_eq!(got.quantile_ns(0.5), sent.quantile_ns(0.5));
        let nothing = Distribution::from_parcel(&Distribution::new().to_parcel()).expect("nothing");
        assert!(nothing.is_empty() && nothing.min_ns().is_none());
    }

    #[test]
    fn damage_is_told() {
        for text in ["1 2 3", "a 1 1 1 1 AAAA", "1 1 1 1 1 ???"] {
            assert!(Distribution::from_parcel(text).is_err(), "{text}");
        }
    }
}
