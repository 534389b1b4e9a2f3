//! What stops more sessions: memory, and every limit that was read. The least is the first wall.

use peaje_model::{LimitRead, SessionsResult, SessionsSettings, Wall, WallKind};

use super::fit::fits;

/// All walls, the nearest first.
pub(super) fn walls(result: &SessionsResult, settings: &SessionsSettings) -> Vec<Wall> {
    let measured = result.steps.iter().map(|step| step.sessions).max().unwrap_or(0);
    let memory = fits(result, settings, result.steps.len()).into_iter().map(|(kind, fit)| {
        let sessions = fit.sessions as u64;
        Wall { kind, sessions, extrapolated: sessions > measured, upper_bound: settings.warm_query.is_none() }
    });
    let mut walls: Vec<Wall> = memory.chain(result.limits.iter().filter_map(|limit| wall(limit, measured))).collect();
    walls.sort_by_key(|wall| wall.sessions);
    walls
}

/// A limit is as it was read; what a session takes of it is a figure of its own where the system counts it.
fn wall(limit: &LimitRead, measured: u64) -> Option<Wall> {
    let sessions = limit.sessions()?;
    let counted = matches!(limit.kind, WallKind::Processes | WallKind::Threads | WallKind::ServerFiles);
    Some(Wall { kind: limit.kind, sessions, extrapolated: counted && sessions > measured, upper_bound: false })
}
