//! Statistics of one group's series: pure arithmetic, no opinion.
//!
//! Every figure that could not be known is `None`. A newcomer would take the mean life from the lives that were seen:
//! short sessions are missed between two readings, so it comes from counts (Little's law), and lives only confirm it.

mod clock;
mod flow;
mod lag;
mod lives;
mod processes;
mod readings;
mod replaced;
mod sessions;
mod spikes;

use peaje_model::GroupStatistics;

use crate::churn::GroupSeries;

/// Everything that the rules look at.
pub fn statistics(series: &GroupSeries) -> GroupStatistics {
    let mut figures = GroupStatistics {
        window_s: series.bins.len() as f64 * series.bin_s,
        bin_s: series.bin_s,
        bins: series.bins.len() as u64,
        resets: series.resets,
        ..GroupStatistics::default()
    };
    flow::add(series, &mut figures);
    sessions::add(series, &mut figures);
    readings::add(series, &mut figures);
    spikes::add(series, &mut figures);
    lives::add(series, &mut figures);
    clock::add(series, &mut figures);
    processes::add(series, &mut figures);
    replaced::add(series, &mut figures);
    lag::add(series, &mut figures);
    figures
}
