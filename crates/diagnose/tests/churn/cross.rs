//! What must hold for every kind of client and every view of it.

use peaje_diagnose::churn::{Judging, judge};
use peaje_model::Verdict;

use crate::made::seeded;
use crate::simulator::{Bearer, Class, View, observe};

#[test]
fn verdict_codes_grade_and_pattern_agree() {
    for class in Class::ALL {
        let mut rng = seeded(70 + class as u64);
        let world = class.world(&mut rng);
        for bearer in [Bearer::Processes, Bearer::Anonymous, Bearer::CountersOnly] {
            for group in judge(&observe(&world, View { interval_s: 10.0, bearer }, &mut rng), &Judging::default()) {
                let found = group.verdict == Verdict::Found;
                assert_eq!(found, !group.verdict_codes.is_empty(), "{group:?}");
                assert_eq!(found, group.grade.is_some(), "{group:?}");
                assert!(group.verdict == Verdict::Healthy || group.pattern.is_none() || found, "{group:?}");
                let json = serde_json::to_string(&group).unwrap();
                assert!(!json.contains("NaN") && !json.contains("inf"), "{json}");
            }
        }
    }
}

#[test]
fn the_same_series_give_the_same_verdict() {
    let mut rng = seeded(90);
    let groups =
        observe(&Class::Interactive.world(&mut rng), View { interval_s: 10.0, bearer: Bearer::Processes }, &mut rng);
    let backwards: Vec<_> = groups.iter().rev().cloned().collect();
    assert_eq!(judge(&groups, &Judging::default()), judge(&backwards, &Judging::default()));
}
