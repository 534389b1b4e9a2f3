//! What held sessions cost: from the steps of a ladder to bytes per session, knee, walls and the prediction of each step.
//!
//! Called after every step, so it is cheap and says nothing that the steps so far do not carry: with none, one or two of
//! them most figures are absent. A newcomer would fit one line through everything; once a server swaps, its memory stops
//! growing while its sessions do not, so lines are fitted to what was measured before.

mod account;
mod fit;
mod growth;
mod knee;
mod points;
mod walls;
mod witness;

use peaje_model::{SessionsResult, SessionsSettings};

/// Fills everything in `result` that follows from its steps: bytes per session, the fixed part, the host's account, idle
/// and worked, the growth of login time, the knee, the walls, and what was predicted at each step from the steps up to it.
///
/// Looks at this target alone, not at those beside it; doing it twice changes nothing.
pub fn analyse(result: &mut SessionsResult, settings: &SessionsSettings) {
    result.knee = knee::knee(result);
    result.bytes_per_session = account::bytes_per_session(result);
    result.fixed_bytes = account::fixed_bytes(result);
    result.account = account::host_account(result);
    result.idle_and_worked = account::idle_and_worked(result, settings);
    result.login_growth = growth::login_growth(result);
    for number in 0..result.steps.len() {
        result.steps[number].fit = fit::fit(result, settings, number + 1);
    }
    result.walls = walls::walls(result, settings);
    result.first_wall = result.walls.first().copied();
}
