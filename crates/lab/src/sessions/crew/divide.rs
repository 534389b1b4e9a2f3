//! Who does which part of an order: pure arithmetic.

use crate::login::share;
use crate::sessions::order::Order;

/// Parts of an order, each with the number of its member.
#[derive(Debug, PartialEq)]
pub(super) struct Division {
    pub(super) parts: Vec<(usize, Order)>,
    /// Members at work at the same time.
    pub(super) at_once: usize,
}

/// Divides an order among members that hold so many sessions; `None` = this one is lost.
pub(super) fn divide(order: Order, held: &[Option<u64>]) -> Division {
    let there: Vec<usize> = (0..held.len()).filter(|&n| held[n].is_some()).collect();
    let holding: Vec<usize> = there.iter().copied().filter(|&n| held[n] > Some(0)).collect();
    let all = |order| Division { at_once: there.len(), parts: there.iter().map(|&n| (n, order)).collect() };
    match order {
        Order::Open { sessions, concurrency } => {
            let missing = level(sessions, held);
            let opening: Vec<usize> = there.into_iter().filter(|&n| missing[n] > 0).collect();
            in_parallel(&opening, concurrency, |n, concurrency| Order::Open { sessions: missing[n], concurrency })
        }
        Order::Warm { concurrency } => in_parallel(&holding, concurrency, |_, concurrency| Order::Warm { concurrency }),
        Order::Close { concurrency, limit_s } => {
            in_parallel(&there, concurrency, |_, concurrency| Order::Close { concurrency, limit_s })
        }
        Order::Logins { .. } => {
            Division { parts: there.first().map(|&n| (n, order)).into_iter().collect(), at_once: 1 }
        }
        // One after the other means: over all members.
        Order::Queries { count } => {
            let parts = shares(count, &holding).map(|(n, count)| (n, Order::Queries { count })).collect();
            Division { parts, at_once: 1 }
        }
        Order::Work { sessions } => {
            let parts = shares(sessions, &holding).map(|(n, sessions)| (n, Order::Work { sessions })).collect();
            Division { parts, at_once: holding.len() }
        }
        Order::Churn { per_s, seconds, concurrency } => {
            let count = holding.len().max(1);
            let parts = holding.iter().enumerate().map(|(i, &n)| {
                let concurrency = (share(u64::from(concurrency), i as u32, count as u32) as u32).max(1);
                (n, Order::Churn { per_s: per_s / count as f64, seconds, concurrency })
            });
            Division { parts: parts.collect(), at_once: count }
        }
        Order::Rest | Order::Look => all(order),
    }
}

/// With fewer at a time than there are members, some members wait for others.
fn in_parallel(members: &[usize], concurrency: u32, order: impl Fn(usize, u32) -> Order) -> Division {
    let at_once = members.len().min(concurrency.max(1) as usize);
    let each =
        |i: usize| if at_once < members.len() { 1 } else { share(u64::from(concurrency), i as u32, at_once as u32) };
    let parts = members.iter().enumerate().map(|(i, &n)| (n, order(n, (each(i) as u32).max(1)))).collect();
    Division { parts, at_once }
}

fn shares(whole: u64, members: &[usize]) -> impl Iterator<Item = (usize, u64)> {
    let count = members.len() as u32;
    members.iter().enumerate().map(move |(i, &n)| (n, share(whole, i as u32, count))).filter(|(_, part)| *part > 0)
}

/// So many more, to those who hold least.
fn level(more: u64, held: &[Option<u64>]) -> Vec<u64> {
    let mut left = more;
    let mut missing = vec![0; held.len()];
    let total: u64 = more + held.iter().flatten().sum::<u64>();
    let there: Vec<usize> = (0..held.len()).filter(|&n| held[n].is_some()).collect();
    for (i, &n) in there.iter().enumerate() {
        let target = share(total, i as u32, there.len() as u32);
        missing[n] = target.saturating_sub(held[n].unwrap_or(0)).min(left);
        left -= missing[n];
    }
    if let Some(&last) = there.last() {
        missing[last] += left;
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_go_to_those_who_hold_least_and_none_is_forgotten() {
        for held in [
            vec![Some(0), Some(0)],
            vec![Some(10), Some(0), Some(3)],
            vec![None, Some(5), Some(9)],
            vec![Some(100), None, Some(1)],
        ] {
            for more in [0, 1, 7, 100] {
                let missing = level(more, &held);
                assert_eq!(missing.iter().sum::<u64>(), more, "{held:?}");
                assert!(held.iter().zip(&missing).all(|(h, m)| h.is_some() || *m == 0), "{held:?}: {missing:?}");
            }
        }
        assert_eq!(level(6, &[Some(4), Some(0), Some(2)]), [0, 4, 2]);
    }

    #[test]
    fn strictly_one_after_the_other_holds_over_all_members() {
        let division = divide(Order::Open { sessions: 10, concurrency: 1 }, &[Some(0), Some(0), Some(0)]);
        assert_eq!(division.at_once, 1);
        let one = |sessions| Order::Open { sessions, concurrency: 1 };
        assert_eq!(division.parts, [(0, one(4)), (1, one(3)), (2, one(3))]);
        let division = divide(Order::Queries { count: 5 }, &[Some(9), Some(0), Some(9)]);
        let queries = |count| Order::Queries { count };
        assert_eq!(division, Division { parts: vec![(0, queries(3)), (2, queries(2))], at_once: 1 });
    }

    #[test]
    fn concurrency_is_divided_without_losing_any() {
        for concurrency in 1..12 {
            let held = [Some(1), Some(1), None, Some(1)];
            let division = divide(Order::Open { sessions: 300, concurrency }, &held);
            let at_once: u32 = division.parts[..division.at_once]
                .iter()
                .map(|(_, part)| match part {
                    Order::Open { concurrency, .. } => *concurrency,
                    other => panic!("{other:?}"),
                })
                .sum();
            assert_eq!(at_once, concurrency);
        }
    }
}
