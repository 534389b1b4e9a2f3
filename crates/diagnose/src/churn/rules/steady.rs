//! Nothing to explain: sessions stay, or are replaced as rarely as a maximum lifetime does it.

use peaje_model::Pattern;

use super::{Answer, Case, enough, leak};

/// Mean life up to which a maximum lifetime is the likely reason of a turnover, seconds.
const LIFETIME_S: f64 = 7200.0;

pub(super) fn ask(case: &Case<'_>) -> Option<Answer> {
    let by_lifetime = enough::logins(case) && case.figures.mean_life_s.is_some_and(|life_s| life_s <= LIFETIME_S);
    let pattern = if by_lifetime { Pattern::MaximumLifetime } else { Pattern::Steady };
    // Too few logins to call it a leak, and too much growth to call it steady.
    if leak::may_leak(case) == Some(true) {
        return Some(Answer::CannotSay);
    }
    case.seldom_replaced().then_some(Answer::Explained(pattern))
}
