//! A histogram with fixed edges, as Prometheus wants it: cumulative, and never re-binned.

/// Edges for the time of a login, seconds. 15 s is the default login timeout of clients: an edge must be there.
pub const LOGIN_EDGES_S: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0];

/// Edges for the life of a session, seconds: on the defaults of idle timeouts and lifetimes, so that a spike there shows.
pub const LIFE_EDGES_S: &[f64] =
    &[0.1, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 14_400.0, 86_400.0];

/// Observations counted between fixed edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    edges: &'static [f64],
    /// One for each edge, and one for what lies above the last.
    counts: Vec<u64>,
    sum: f64,
}

/// The lives of sessions, none yet.
impl Default for Histogram {
    fn default() -> Self {
        Self::new(LIFE_EDGES_S)
    }
}

impl Histogram {
    /// No observation yet; `edges` ascend.
    pub fn new(edges: &'static [f64]) -> Self {
        Self { edges, counts: vec![0; edges.len() + 1], sum: 0.0 }
    }

    /// Counts one observation; an edge belongs to the bucket below it. What is not a number of seconds is left out.
    pub fn observe(&mut self, seconds: f64) {
        if !seconds.is_finite() || seconds < 0.0 {
            return;
        }
        let bucket = self.edges.partition_point(|edge| *edge < seconds);
        self.counts[bucket] += 1;
        self.sum += seconds;
    }

    /// Observations in all.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Their sum, seconds.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Each edge with the number of observations up to it.
    pub(crate) fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let mut up_to = 0;
        self.edges.iter().zip(&self.counts).map(move |(edge, count)| {
            up_to += count;
            (*edge, up_to)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_belongs_to_the_bucket_below_it() {
        let mut lives = Histogram::new(LIFE_EDGES_S);
        for seconds in [0.05, 60.0, 60.001, 90_000.0, f64::NAN, -1.0, f64::INFINITY] {
            lives.observe(seconds);
        }
        assert_eq!(lives.count(), 4);
        let up_to = |edge: f64| lives.cumulative().find(|(at, _)| (at - edge).abs() < 1e-9).unwrap().1;
        assert_eq!((up_to(0.1), up_to(30.0), up_to(60.0), up_to(120.0), up_to(86_400.0)), (1, 1, 2, 3, 3));
        assert!((lives.sum() - 90_120.051).abs() < 1e-9);
    }

    #[test]
    fn edges_ascend_and_hold_the_defaults_of_clients() {
        for edges in [LOGIN_EDGES_S, LIFE_EDGES_S] {
            assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "{edges:?}");
        }
        assert!(LOGIN_EDGES_S.contains(&15.0) && LIFE_EDGES_S.contains(&60.0) && LIFE_EDGES_S.contains(&1_800.0));
    }
}
