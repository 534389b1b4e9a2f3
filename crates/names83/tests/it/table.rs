//! Figures of whole folders, computed by an independent program: mean probes of the creates between two marks.

use peaje_names83::{Course, Generation, Shape};

/// Where means begin and end, thousands of files.
const MARKS: [u64; 27] = [
    1, 10, 50, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_100, 1_200, 1_300, 1_350, 1_400, 1_450,
    1_500, 1_750, 2_000, 2_250, 2_400, 3_000,
];

/// Mean probes up to each mark since the one before, and probes of all creates so far.
fn means(shape: Shape, generation: Generation, thousands: u64) -> Vec<(u64, f64, u64)> {
    let (mut course, mut names) = (Course::new(generation), shape.names());
    let mut means = Vec::new();
    let (mut files, mut probes) = (0, 0);
    for mark in MARKS.into_iter().filter(|mark| *mark <= thousands) {
        while course.files() < mark * 1_000 {
            course.create(names.next());
        }
        let mean = (course.probes_total() - probes) as f64 / (mark * 1_000 - files) as f64;
        (files, probes) = (mark * 1_000, course.probes_total());
        means.push((mark, mean, probes));
    }
    means
}

/// Within one per cent, or as near as the printed figure is exact.
fn holds(means: &[(u64, f64, u64)], expected: &[(u64, f64)], digits: f64) {
    for (mark, mean) in expected {
        let found = means.iter().find(|found| found.0 == *mark).expect("a mark").1;
        let off = (found - mean).abs();
        assert!(off <= mean * 0.01 || off <= digits, "{mark} thousand: {found:.3} for {mean}; {means:?}");
    }
}

#[test]
fn filestream_names_of_the_new_generation() {
    let means = means(Shape::Filestream, Generation::New, 3_000);
    let expected = [
        (10, 5.1),
        (50, 5.8),
        (100, 7.0),
        (200, 9.6),
        (300, 13.9),
        (500, 32.0),
        (800, 146.0),
        (1_000, 741.0),
        (1_100, 3_507.0),
        (1_200, 19_327.0),
        (1_300, 105_080.0),
        (1_500, 329_989.0),
        (2_000, 730_052.0),
        (3_000, 1_000_000.0),
    ];
    holds(&means, &expected, 0.5);
    let total = |mark| means.iter().find(|found| found.0 == mark).expect("a mark").2 as f64;
    for (mark, probes) in [(10, 51e3), (300, 2.8e6), (800, 34.7e6), (1_100, 496e6), (1_300, 12.9e9), (3_000, 1.36e12)] {
        assert!((total(mark) / probes - 1.0).abs() < 0.02, "{mark}: {}", total(mark));
    }
}

#[test]
fn sequential_names_of_the_old_generation() {
    let means = means(Shape::Sequential, Generation::Old, 1_200);
    let expected = [
        (10, 34.0),
        (50, 1_127.0),
        (100, 14_256.0),
        (200, 58_214.0),
        (300, 150_649.0),
        (500, 301_723.0),
        (800, 574_783.0),
        (1_000, 779_798.0),
        (1_100, 664_970.0),
        (1_200, 721_484.0),
    ];
    holds(&means, &expected, 0.5);
}

/// No alarm on names that do not look alike.
#[test]
fn random_names() {
    for generation in [Generation::New, Generation::Old] {
        let (mut course, mut names) = (Course::new(generation), Shape::Guid.names());
        while course.files() < 3_000_000 {
            course.create(names.next());
        }
        assert_eq!(course.knees(), [], "{generation:?}");
        let mean = course.probes_total() as f64 / 3e6;
        assert!((1.0..1.2).contains(&mean), "{mean}");
    }
}

/// What an operator is told: two folders of a million and a half each.
#[test]
fn the_cliff_has_a_place() {
    let (mut course, mut names) = (Course::new(Generation::New), Shape::Filestream.names());
    while course.files() < 1_500_000 {
        course.create(names.next());
    }
    let files = |threshold| course.knees().iter().find(|knee| knee.threshold == threshold).map(|knee| knee.files);
    assert!(files(3_000).is_some_and(|at| (1_050_000..1_150_000).contains(&at)), "{:?}", course.knees());
    assert!(files(100_000).is_some_and(|at| (1_200_000..1_350_000).contains(&at)), "{:?}", course.knees());
    assert!(course.probes_total() as f64 * 1e-6 > 10.0 * 3_600.0, "at a microsecond each, hours");
    assert_eq!(course.exhausted(), 0);
}
