//! The text itself.

use std::collections::{BTreeMap, BTreeSet};

use peaje_watch::metrics::{ApplicationInterval, Applications, Exposition, Format, PLACES, ServerMetrics, render};

use super::sample;

fn check(name: &str, said: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("PEAJE_BLESS").is_some() {
        std::fs::write(&path, said).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap();
    assert!(said == wanted, "{name} differs; said:\n{said}\nwanted:\n{wanted}");
}

#[test]
fn both_formats_of_the_sample() {
    check("metrics.prometheus.txt", &render(&sample::exposition(), Format::Prometheus));
    check("metrics.openmetrics.txt", &render(&sample::exposition(), Format::OpenMetrics));
}

/// The samples of a text: name and labels, value.
fn samples(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit_once(' ').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap()).collect()
}

#[test]
fn no_series_stands_twice_and_families_are_in_one_piece() {
    for format in [Format::Prometheus, Format::OpenMetrics] {
        let text = render(&sample::exposition(), format);
        let mut seen = BTreeSet::new();
        for (name, value) in samples(&text) {
            assert!(seen.insert(name.clone()), "{name} stands twice");
            assert!(value.parse::<f64>().is_ok(), "{name} {value}");
        }
        let families: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
        assert_eq!(families.len(), families.iter().collect::<BTreeSet<_>>().len(), "{families:?}");
    }
}

#[test]
fn what_is_not_known_is_not_published() {
    let text = render(&sample::exposition(), Format::Prometheus);
    let of_unread: Vec<(String, String)> =
        samples(&text).into_iter().filter(|(name, _)| name.contains("server_port=\"3306\"")).collect();
    let names: BTreeSet<&str> = of_unread.iter().map(|(name, _)| name.split('{').next().unwrap()).collect();
    assert_eq!(names, ["peaje_diagnosis", "peaje_watch_readings_total", "peaje_watch_up"].into());
    assert!(of_unread.iter().all(|(_, value)| value == "0"), "{of_unread:?}");
}

#[test]
fn open_metrics_ends_and_names_creation_times() {
    let text = render(&sample::exposition(), Format::OpenMetrics);
    assert!(text.ends_with("\n# EOF\n") && text.matches("# EOF").count() == 1);
    assert!(text.contains("# TYPE peaje_session_logins counter\n"));
    assert!(
        text.contains("peaje_session_logins_total{db_system_name=\"postgresql\",server_address=\"db.example.com\"")
    );
    assert!(text.contains("peaje_session_logins_created{db_system_name=\"postgresql\""), "the server's start");
    assert!(!render(&sample::exposition(), Format::Prometheus).contains("_created"));
}

/// A thousand applications take as many series as twenty-one.
#[test]
fn series_are_bounded_and_add_up() {
    let mut applications = Applications::new(0.0);
    let mut logins = 0;
    for round in 0..5_u64 {
        let interval: BTreeMap<String, ApplicationInterval> = (0..1_000_u64)
            .map(|n| {
                let count = n % 7 + round;
                logins += count;
                (format!("app{n}"), ApplicationInterval { logins: count, ..ApplicationInterval::default() })
            })
            .collect();
        applications.add(round as f64, &interval);
    }
    let found = (0..1_000).map(|n| ("no-pooling", Some(format!("app{n}")))).collect();
    let server = ServerMetrics { applications: Some(applications), found, ..ServerMetrics::default() };
    let text = render(
        &Exposition { rules: vec!["no-pooling"], servers: vec![server], ..Exposition::default() },
        Format::Prometheus,
    );
    let of = |family: &str| -> Vec<u64> {
        let samples = samples(&text).into_iter().filter(|(name, _)| name.split('{').next() == Some(family));
        samples.map(|(_, value)| value.parse().unwrap()).collect()
    };
    assert_eq!(of("peaje_application_logins_total").len(), PLACES + 1);
    assert_eq!(of("peaje_application_logins_total").iter().sum::<u64>(), logins);
    assert_eq!(of("peaje_application_diagnosis").len(), PLACES + 1);
    assert_eq!(of("peaje_diagnosis"), [1]);
}
