//! What an application does on all of its servers, before a size is called wrong on one of them.
//!
//! An application on several servers may be one pool behind a load balancer, or one that reads here and writes there: its
//! sessions are summed. A newcomer would compare every group with every other; fifty servers with a hundred applications
//! each are five thousand groups, so what is alike is gathered once.

use std::collections::{BTreeMap, BTreeSet};

use peaje_model::{GroupKind, GroupStatistics, Pattern, Verdict, WatchGroup};

use crate::churn::judge::application;
use crate::churn::rules::{ALL_AT_WORK, HARDLY_USED};

/// Codes that say that a size is wrong.
const SIZES: [&str; 2] = ["pool-min-too-big", "pool-max-too-small"];

/// Use and sessions, summed; unknown as soon as one part is.
#[derive(Debug, Clone, Copy)]
struct Use(Option<(f64, f64)>);

impl Default for Use {
    fn default() -> Self {
        Self(Some((0.0, 0.0)))
    }
}

impl Use {
    fn add(&mut self, used: Option<f64>, open: Option<f64>) {
        let more = used.zip(open).map(|(used, open)| (used * open, open));
        self.0 = self.0.zip(more).map(|(all, more)| (all.0 + more.0, all.1 + more.1));
    }

    fn share(self) -> Option<f64> {
        self.0.filter(|(_, open)| *open > 0.0).map(|(used, open)| used / open)
    }
}

/// The groups that are one pool, as far as anybody can tell.
#[derive(Debug, Default)]
struct Together<'g> {
    servers: BTreeSet<&'g str>,
    peak: Use,
    median: Use,
}

impl<'g> Together<'g> {
    fn add(&mut self, server: &'g str, figures: &GroupStatistics) {
        self.servers.insert(server);
        self.peak.add(figures.peak_use, figures.mean_sessions);
        self.median.add(figures.median_use, figures.mean_sessions);
    }

    /// Whether a size is wrong over all of them.
    fn stands(&self, code: &str) -> bool {
        match code {
            "pool-min-too-big" => self.peak.share().is_some_and(|used| used <= HARDLY_USED),
            "pool-max-too-small" => self.median.share().is_some_and(|used| used >= ALL_AT_WORK),
            _ => true,
        }
    }
}

/// Takes back what is not wrong over all servers together. The same goes for the instances that share applications.
pub(super) fn take_back(judged: &mut [WatchGroup]) {
    let wrong: Vec<(usize, Vec<String>)> = {
        let everywhere = Everywhere::of(judged);
        let accused = judged.iter().enumerate().filter(|(_, group)| sizes(group).next().is_some());
        accused.map(|(place, group)| (place, everywhere.not_wrong(group))).collect()
    };
    for (place, codes) in wrong {
        let group = &mut judged[place];
        group.verdict_codes.retain(|code| !codes.contains(code));
        if group.verdict_codes.is_empty() {
            (group.verdict, group.grade, group.pattern) = (Verdict::Healthy, None, Some(Pattern::Steady));
        }
    }
}

fn sizes(group: &WatchGroup) -> impl Iterator<Item = &String> {
    group.verdict_codes.iter().filter(|code| SIZES.contains(&code.as_str()))
}

#[derive(Debug, Default)]
struct Everywhere<'g> {
    applications: BTreeMap<&'g str, Together<'g>>,
    on_server: BTreeMap<&'g str, BTreeSet<&'g str>>,
    instances: BTreeMap<&'g str, Vec<&'g WatchGroup>>,
}

impl<'g> Everywhere<'g> {
    fn of(groups: &'g [WatchGroup]) -> Self {
        let mut all = Self::default();
        for group in groups {
            match group.kind {
                GroupKind::Instance => all.instances.entry(&group.server).or_default().push(group),
                GroupKind::Application => {
                    let name = application(&group.name);
                    all.applications.entry(name).or_default().add(&group.server, &group.statistics);
                    all.on_server.entry(&group.server).or_default().insert(name);
                }
                GroupKind::Process => {}
            }
        }
        all
    }

    /// The sizes that a group is accused of and that are right over all servers.
    fn not_wrong(&self, group: &WatchGroup) -> Vec<String> {
        let of_instance;
        let together = match group.kind {
            GroupKind::Application => self.applications.get(application(&group.name)),
            GroupKind::Instance => {
                of_instance = self.beside(&group.server);
                Some(&of_instance)
            }
            GroupKind::Process => None,
        };
        let together = together.filter(|all| all.servers.iter().any(|server| *server != group.server));
        together.map_or_else(Vec::new, |all| sizes(group).filter(|code| !all.stands(code)).cloned().collect())
    }

    /// An instance and those that share an application with it.
    fn beside(&self, server: &'g str) -> Together<'g> {
        let names = self.on_server.get(server).into_iter().flatten();
        let mut servers: BTreeSet<&str> =
            names.filter_map(|name| self.applications.get(name)).flat_map(|all| all.servers.iter().copied()).collect();
        servers.insert(server);
        let mut together = Together::default();
        for instance in servers.iter().filter_map(|server| self.instances.get(server)).flatten() {
            together.add(&instance.server, &instance.statistics);
        }
        together
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::churn::{GroupSeries, Judging, judge_alone};

    /// A group with a verdict of its own: `peak` and `median` of its sessions are in use.
    fn group(server: &str, name: &str, code: &str, (peak, median): (f64, f64)) -> WatchGroup {
        let kind = if server == name { GroupKind::Instance } else { GroupKind::Application };
        let series = GroupSeries {
            server: server.into(),
            name: name.into(),
            kind,
            bin_s: 10.0,
            bins: Vec::new(),
            lives: Vec::new(),
            coverage: None,
            resets: 0,
            limit: None,
        };
        let mut group = judge_alone(&series, &Judging::default());
        group.statistics.mean_sessions = Some(10.0);
        (group.statistics.peak_use, group.statistics.median_use) = (Some(peak), Some(median));
        (group.verdict, group.verdict_codes) = (Verdict::Found, vec![code.to_owned()]);
        group
    }

    fn codes(mut groups: Vec<WatchGroup>) -> Vec<usize> {
        take_back(&mut groups);
        groups.iter().map(|group| group.verdict_codes.len()).collect()
    }

    #[test]
    fn a_pool_that_works_on_another_server_is_not_too_big() {
        let idle = || group("a:1", "shop @ w1", "pool-min-too-big", (0.01, 0.0));
        let busy = |server: &str, name: &str| group(server, name, "other", (1.0, 0.5));
        assert_eq!(codes(vec![idle(), busy("b:1", "shop @ w2")]), [0, 1]);
        assert_eq!(codes(vec![idle(), busy("b:1", "billing @ w2")]), [1, 1], "another application");
        assert_eq!(codes(vec![idle(), busy("a:1", "shop @ w2")]), [1, 1], "the same server");
        assert_eq!(codes(vec![idle(), group("b:1", "shop @ w1", "pool-min-too-big", (0.01, 0.0))]), [1, 1]);
    }

    #[test]
    fn an_instance_is_summed_with_those_that_share_an_application() {
        let small = || group("a:1", "a:1", "pool-max-too-small", (1.0, 1.0));
        let free = || group("b:1", "b:1", "other", (0.2, 0.1));
        let app = |server: &str, name: &str| group(server, name, "other", (1.0, 1.0));
        assert_eq!(codes(vec![small(), free(), app("a:1", "shop @ w"), app("b:1", "shop @ w")]), [0, 1, 1, 1]);
        assert_eq!(codes(vec![small(), free(), app("a:1", "shop @ w"), app("b:1", "billing @ w")]), [1, 1, 1, 1]);
    }

    #[test]
    fn what_is_not_known_somewhere_is_not_called_wrong() {
        let mut other = group("b:1", "shop @ w", "other", (0.0, 0.0));
        other.statistics.peak_use = None;
        assert_eq!(codes(vec![group("a:1", "shop @ w", "pool-min-too-big", (0.01, 0.0)), other]), [0, 1]);
    }

    /// The rule as one would say it: every group against every other.
    fn plainly(groups: &[WatchGroup]) -> Vec<Vec<String>> {
        let applications = |server: &str| -> Vec<&str> {
            let here = groups.iter().filter(|g| g.kind == GroupKind::Application && g.server == server);
            here.map(|g| application(&g.name)).collect()
        };
        let alike = |a: &WatchGroup, b: &WatchGroup| {
            let mine = applications(&a.server);
            let shared = || applications(&b.server).iter().any(|name| mine.contains(name));
            a.kind == b.kind
                && match a.kind {
                    GroupKind::Application => application(&a.name) == application(&b.name),
                    _ => a.server == b.server || shared(),
                }
        };
        let left = |group: &WatchGroup| {
            let all: Vec<&WatchGroup> = groups.iter().filter(|other| alike(group, other)).collect();
            let used = |of: fn(&GroupStatistics) -> Option<f64>| {
                let parts = all.iter().map(|g| Some((of(&g.statistics)?, g.statistics.mean_sessions?)));
                let parts: Vec<(f64, f64)> = parts.collect::<Option<_>>()?;
                let open: f64 = parts.iter().map(|(_, open)| open).sum();
                (open > 0.0).then(|| parts.iter().map(|(used, open)| used * open).sum::<f64>() / open)
            };
            let alone = all.iter().all(|other| other.server == group.server);
            let wrong = |code: &String| match code.as_str() {
                "pool-min-too-big" => used(|f| f.peak_use).is_some_and(|used| used <= HARDLY_USED),
                "pool-max-too-small" => used(|f| f.median_use).is_some_and(|used| used >= ALL_AT_WORK),
                _ => true,
            };
            group.verdict_codes.iter().filter(|code| alone || wrong(code)).cloned().collect()
        };
        groups.iter().map(left).collect()
    }

    #[test]
    fn it_says_what_the_plain_rule_says() {
        let mut seed = 7_u64;
        let mut draw = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..300 {
            let mut groups = Vec::new();
            for n in 0..=draw(12) {
                let server = format!("db{}", draw(4));
                let name = if n % 4 == 0 { server.clone() } else { format!("app{} @ w{n}", draw(5)) };
                let code = ["pool-min-too-big", "pool-max-too-small", "other"][draw(3) as usize];
                // Eighths add up exactly in any order.
                let share = [0.0, 0.125, 0.5, 1.0][draw(4) as usize];
                let mut group = group(&server, &name, code, (share, share));
                group.statistics.mean_sessions = [None, Some(0.0), Some(8.0), Some(64.0)][draw(4) as usize];
                groups.push(group);
            }
            let plain = plainly(&groups);
            take_back(&mut groups);
            let codes: Vec<Vec<String>> = groups.iter().map(|group| group.verdict_codes.clone()).collect();
            assert_eq!(codes, plain, "{groups:#?}");
        }
    }

    /// Every group against every other would take hours here.
    #[test]
    fn two_hundred_servers_with_a_hundred_applications_each_are_no_matter() {
        let names: Vec<String> = (0..200).map(|n| format!("db{n}:5432")).collect();
        let mut groups: Vec<WatchGroup> =
            names.iter().map(|server| group(server, server, "pool-min-too-big", (0.0, 0.0))).collect();
        for (n, server) in names.iter().enumerate() {
            // The same hundred everywhere; on the last server they work.
            let used = if n == 199 { 1.0 } else { HARDLY_USED };
            let app = |app| group(server, &format!("app{app} @ w{n}"), "pool-min-too-big", (used, 0.0));
            groups.extend((0..100).map(app));
        }
        take_back(&mut groups);
        let left = |kind| groups.iter().filter(|g| g.kind == kind && !g.verdict_codes.is_empty()).count();
        assert_eq!((left(GroupKind::Instance), left(GroupKind::Application)), (200, 0));
    }
}
