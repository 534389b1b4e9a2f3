//! From series to groups with verdicts.

use peaje_model::{GroupCost, GroupKind, GroupStatistics, Verdict, WatchGroup};

use crate::churn::rules::{self, ABANDONED, Answer, Case, FULL_WINDOW_S, LOGINS_NEEDED};
use crate::churn::{GroupSeries, Judging, over_servers, statistics};

/// Failures are compared over this time, seconds.
const FAILURE_WINDOW_S: f64 = 300.0;

/// Share of an instance's logins that its applications must hold to judge it by them.
const ATTRIBUTED: f64 = 0.5;

/// Statistics and verdict of each group: instances first, then by logins.
///
/// Give it every group of a server at once: an instance is judged by its applications where they are known. `encrypted`
/// is left `None`, for series do not tell.
pub fn judge(groups: &[GroupSeries], judging: &Judging) -> Vec<WatchGroup> {
    judge_together(groups.iter().map(|series| judge_alone(series, judging)).collect())
}

/// The second half of [`judge`]: groups that were judged alone, of all servers, in the light of each other.
pub fn judge_together(mut judged: Vec<WatchGroup>) -> Vec<WatchGroup> {
    judged.sort_by(|a, b| {
        let by_logins = b.statistics.logins.total_cmp(&a.statistics.logins);
        let rank = |group: &WatchGroup| group.kind != GroupKind::Instance;
        rank(a).cmp(&rank(b)).then(by_logins).then_with(|| (&a.server, &a.name).cmp(&(&b.server, &b.name)))
    });
    over_servers::take_back(&mut judged);
    let parts = judged.clone();
    for whole in judged.iter_mut().filter(|group| group.kind == GroupKind::Instance) {
        by_parts(whole, &parts);
    }
    judged
}

/// How many seconds of the clock it takes until the evidence suffices for a verdict on this group, at the rate so far;
/// `None` when it does already, or when nobody can say.
pub fn verdict_in(series: &GroupSeries, judging: &Judging) -> Option<f64> {
    let window_s = series.bins.len() as f64 * series.bin_s;
    let logins: f64 = series.bins.iter().map(|bin| bin.logins).sum();
    let for_window_s = (FULL_WINDOW_S - window_s).max(0.0);
    let for_logins_s = if logins > 0.0 { ((LOGINS_NEEDED - logins) * window_s / logins).max(0.0) } else { 0.0 };
    let needed_s = for_window_s.max(for_logins_s);
    let nobody_knows = series.resets > 0 || window_s <= 0.0;
    if nobody_knows || needed_s <= 0.0 || judge_alone(series, judging).verdict != Verdict::CannotSay {
        return None;
    }
    Some(needed_s / judging.time_scale)
}

/// The first half of [`judge`]: one group by itself. With many servers the series need not all be in memory at once.
pub fn judge_alone(series: &GroupSeries, judging: &Judging) -> WatchGroup {
    let figures = statistics(series);
    let case = Case {
        kind: series.kind,
        figures: &figures,
        coverage: series.coverage,
        pools: judging.scaled_pools(application(&series.name)),
        login_cost: judging.login_cost,
        usual_failures_in_5min: judging
            .usual_failures_per_s
            .get(&series.server)
            .map(|per_s| per_s / judging.time_scale * FAILURE_WINDOW_S),
    };
    let answers = rules::ask(&case);
    let per_s = |count: f64| (figures.window_s > 0.0).then(|| count / figures.window_s * judging.time_scale);
    let logins_per_s = per_s(figures.logins);
    let (mean_session_life_s, life_since_start) = life(series, figures.mean_life_s, figures.window_s, judging);
    WatchGroup {
        server: series.server.clone(),
        name: series.name.clone(),
        kind: series.kind,
        verdict: verdict(&answers),
        verdict_codes: codes(&answers),
        pattern: answers.iter().find_map(|answer| match answer {
            Answer::Explained(pattern) => Some(*pattern),
            _ => None,
        }),
        grade: answers.iter().find_map(|answer| match answer {
            Answer::Found(_, proof) => Some(case.grade(*proof)),
            _ => None,
        }),
        mean_session_life_s,
        life_since_start,
        logins_per_s,
        logouts_per_s: per_s(figures.logouts),
        sessions: figures.sessions_at_end,
        limit: series.limit,
        encrypted: None,
        cost: cost(logins_per_s, judging),
        statistics: figures,
    }
}

/// The application of a group's name: what stands before the host.
pub(super) fn application(name: &str) -> &str {
    name.split_once(" @ ").map_or(name, |(application, _)| application)
}

/// Mean life in seconds of the clock; of an instance whose window is not full yet, the average since its start.
fn life(series: &GroupSeries, life_s: Option<f64>, window_s: f64, judging: &Judging) -> (Option<f64>, bool) {
    let since_start = judging.since_start.get(&series.server).and_then(super::SinceStart::mean_life_s);
    let young = series.kind == GroupKind::Instance && window_s < FULL_WINDOW_S;
    let enough = series.bins.iter().map(|bin| bin.logins).sum::<f64>() >= LOGINS_NEEDED;
    match since_start {
        Some(average_s) if young && !enough => (Some(average_s), true),
        _ => (life_s.map(|life_s| life_s / judging.time_scale), false),
    }
}

fn verdict(answers: &[Answer]) -> Verdict {
    let found = answers.iter().any(|answer| matches!(answer, Answer::Found(..)));
    let explained = answers.iter().any(|answer| matches!(answer, Answer::Explained(_)));
    match (found, explained) {
        (true, _) => Verdict::Found,
        (false, true) => Verdict::Healthy,
        (false, false) => Verdict::CannotSay,
    }
}

fn codes(answers: &[Answer]) -> Vec<String> {
    let found = answers.iter().filter_map(|answer| match answer {
        Answer::Found(code, _) => Some((*code).to_owned()),
        _ => None,
    });
    found.collect()
}

fn cost(logins_per_s: Option<f64>, judging: &Judging) -> Option<GroupCost> {
    let (login, per_s) = (judging.login_cost?, logins_per_s?);
    let server_cores = login.server_cpu_s.map(|cpu_s| cpu_s * per_s);
    Some(GroupCost {
        logins_in_progress: Some(per_s * login.latency_s),
        server_cores,
        cpu_share: server_cores.zip(login.cores).filter(|(_, n)| *n > 0).map(|(cores, n)| cores / f64::from(n)),
    })
}

/// Judges an instance by its applications, when they hold most of its logins: a mixture looks like none of its parts, and
/// a single part knows when each of its sessions began and ended. What only the instance shows (failed logins, slow
/// logins) stays, and so does its own verdict where its applications allow none.
fn by_parts(whole: &mut WatchGroup, groups: &[WatchGroup]) {
    let parts: Vec<&WatchGroup> =
        groups.iter().filter(|g| g.server == whole.server && g.kind == GroupKind::Application).collect();
    let held: f64 = parts.iter().map(|part| part.statistics.logins).sum();
    let undecided: Vec<&&WatchGroup> = parts.iter().filter(|part| part.verdict == Verdict::CannotSay).collect();
    let no_mixture = parts.len() < 2 && parts.len() == undecided.len();
    if no_mixture || held < ATTRIBUTED * whole.statistics.logins {
        return;
    }
    let none_decided = undecided.len() == parts.len();
    let undecided: f64 = undecided.iter().map(|part| part.statistics.logins).sum();
    let own: Vec<String> =
        whole.verdict_codes.iter().filter(|code| is_of_the_whole(code, &whole.statistics)).cloned().collect();
    let accused: Vec<&&WatchGroup> = parts.iter().filter(|part| part.verdict == Verdict::Found).collect();
    let mut codes: Vec<String> = Vec::new();
    for code in accused.iter().flat_map(|part| &part.verdict_codes).chain(&own) {
        if !codes.contains(code) {
            codes.push(code.clone());
        }
    }
    // With so few logins, whose they are says nothing.
    let few = held < LOGINS_NEEDED && whole.verdict == Verdict::Healthy;
    whole.verdict = match codes.is_empty() {
        false => Verdict::Found,
        true if few => Verdict::Healthy,
        true if parts.is_empty() || none_decided || undecided > (1.0 - ATTRIBUTED) * held => Verdict::CannotSay,
        true => Verdict::Healthy,
    };
    whole.pattern = if whole.verdict == Verdict::Healthy { parts.iter().find_map(|part| part.pattern) } else { None };
    whole.grade = accused.iter().filter_map(|part| part.grade).max().or(whole.grade.filter(|_| !own.is_empty()));
    whole.verdict_codes = codes;
}

/// Whether a code is about the instance, not about the sessions of an application.
fn is_of_the_whole(code: &str, figures: &GroupStatistics) -> bool {
    match code {
        "failed-login-storm" | "slow-logins" => true,
        // Goodbyes are counted for the instance only.
        "session-leak" => figures.abandoned.is_some_and(|share| share >= ABANDONED),
        _ => false,
    }
}
