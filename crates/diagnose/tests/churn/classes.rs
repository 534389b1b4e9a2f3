//! A few runs of each of the twelve kinds of clients: the rules are right, and no benign client is accused. The whole
//! table comes from `scripts/bench-diagnosis --simulated`.

use peaje_diagnose::churn::{Judging, judge};
use peaje_model::Verdict;

use crate::made::{instance, seeded};
use crate::simulator::{Bearer, Class, Expected, View, observe};

#[test]
fn two_runs_of_each_kind_are_judged_right() {
    for class in Class::ALL {
        for (seed, bearer) in [(41, Bearer::Processes), (42, Bearer::Anonymous)] {
            let mut rng = seeded(seed);
            let groups = observe(&class.world(&mut rng), View { interval_s: 10.0, bearer }, &mut rng);
            let judged = judge(&groups, &Judging::default());
            let whole = instance(&judged);
            match class.expected() {
                Expected::Code(code) => assert_eq!(whole.verdict_codes.first().map(String::as_str), Some(code)),
                Expected::Benign(patterns) => {
                    assert_eq!(whole.verdict, Verdict::Healthy, "{}: {whole:?}", class.name());
                    assert!(whole.pattern.is_some_and(|pattern| patterns.contains(&pattern)), "{whole:?}");
                }
            }
        }
    }
}

#[test]
fn counters_alone_give_a_verdict_that_is_only_suspected() {
    let mut rng = seeded(43);
    let world = Class::NoPooling.world(&mut rng);
    let view = View { interval_s: 10.0, bearer: Bearer::CountersOnly };
    let mut groups = observe(&world, view, &mut rng);
    groups[0].bins.iter_mut().for_each(|bin| bin.requests = None);
    let judged = judge(&groups, &Judging::default());
    assert_eq!(judged[0].verdict_codes, ["no-pooling"]);
    assert_eq!(judged[0].grade, Some(peaje_model::Grade::Suspected));
}
