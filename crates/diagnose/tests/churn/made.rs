//! Small servers for the tests: sessions put together by hand or by the simulator.

use peaje_diagnose::churn::{GroupSeries, Judging, judge};
use peaje_model::{GroupKind, WatchGroup};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::simulator::{Bearer, Session, View, World, observe};

pub(crate) const HOUR_S: f64 = 3600.0;

/// A generator with a fixed seed.
pub(crate) fn seeded(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// A world of these applications, watched for so long.
pub(crate) fn world(apps: &[&str], sessions: Vec<Session>, watched_s: f64) -> World {
    let apps = apps.iter().map(|app| (*app).to_owned()).collect();
    World { apps, sessions, failures: Vec::new(), watched_s }
}

/// What a collector sees of it every ten seconds, with client processes.
pub(crate) fn seen(world: &World) -> Vec<GroupSeries> {
    observe(world, View { interval_s: 10.0, bearer: Bearer::Processes }, &mut seeded(7))
}

/// The verdicts on it.
pub(crate) fn verdicts(world: &World) -> Vec<WatchGroup> {
    judge(&seen(world), &Judging::default())
}

/// The group of the instance.
pub(crate) fn instance(groups: &[WatchGroup]) -> &WatchGroup {
    groups.iter().find(|group| group.kind == GroupKind::Instance).expect("there is an instance")
}

/// The group of an application.
pub(crate) fn application<'a>(groups: &'a [WatchGroup], name: &str) -> &'a WatchGroup {
    let of_it = |group: &&WatchGroup| group.name.starts_with(&format!("{name} @ "));
    groups.iter().find(of_it).unwrap_or_else(|| panic!("no group of {name}"))
}

/// A session that is idle but for its first moment.
pub(crate) fn resting(app: usize, process: u64, opened: f64, closed: f64) -> Session {
    Session { busy: vec![(opened, opened + 0.1)], ..Session::at_work(app, process, opened, closed) }
}

/// The codes of a group.
pub(crate) fn codes(group: &WatchGroup) -> Vec<&str> {
    group.verdict_codes.iter().map(String::as_str).collect()
}
