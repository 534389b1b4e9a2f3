//! What the pools that a user declared predict, in words: arithmetic of settings, to hold against what was measured.

use peaje_diagnose::churn::DeclaredPool;
use peaje_diagnose::churn::predict::{
    Room, USUAL_SURGE, baseline_turnover, idle_turnover, opened_within_timeout, ramp_s, refill_turnover,
    sum_of_minimums,
};
use peaje_model::{GroupKind, Run, Settings, WatchResult};

use crate::{
    catalogue::{Arg, Catalogue},
    units::Units,
};

/// The login timeout of most clients, seconds.
const USUAL_LOGIN_TIMEOUT_S: f64 = 15.0;
/// Below this rate there is nothing to tell.
const LEAST_PER_S: f64 = 1e-6;

/// A few sentences for each declared pool.
pub(crate) fn lines(cat: &Catalogue, run: &Run, watch: &WatchResult) -> Vec<String> {
    let Settings::Watch(settings) = &run.settings else { return Vec::new() };
    // A run file of somebody else may hold anything here; what was typed has been read before.
    let pools = settings.declared_pools.iter().filter_map(|text| text.parse::<DeclaredPool>().ok());
    let limit = watch.groups.iter().find(|group| group.kind == GroupKind::Instance).and_then(|group| group.limit);
    let login_s = login_s(watch);
    pools.flat_map(|pool| of_pool(cat, &pool, limit, login_s)).collect()
}

/// The time of a login that the costs in the run were computed with: logins under way ÷ logins per second.
fn login_s(watch: &WatchResult) -> Option<f64> {
    watch.groups.iter().find_map(|group| {
        let in_progress = group.cost.as_ref()?.logins_in_progress?;
        group.logins_per_s.filter(|per_s| *per_s > 0.0).map(|per_s| in_progress / per_s)
    })
}

fn of_pool(cat: &Catalogue, pool: &DeclaredPool, limit: Option<u64>, login_s: Option<f64>) -> Vec<String> {
    let app = pool.app.clone().unwrap_or_else(|| cat.word("prediction-of-all"));
    let say = |id: &str, args: Vec<Arg<'_>>| {
        let app = [("app", app.as_str().into())];
        cat.say(id, &app.into_iter().chain(args).collect::<Vec<Arg<'_>>>())
    };
    let units = cat.units;
    let rate = |per_s: f64| units.figure(per_s);
    let per_s = |id: &str, per_s: Option<f64>| {
        per_s.filter(|per_s| *per_s > LEAST_PER_S).map(|per_s| say(id, vec![("rate", rate(per_s).into())]))
    };
    let baseline = baseline_turnover(pool);
    let healthy =
        baseline.least_per_s.zip(baseline.most_per_s).filter(|(_, most)| *most > LEAST_PER_S).map(|(least, most)| {
            let id = if rate(least) == rate(most) { "prediction-baseline-one" } else { "prediction-baseline" };
            say(id, vec![("least", rate(least).into()), ("most", rate(most).into())])
        });
    let sum = pool.clients.zip(pool.min).zip(limit).map(|((clients, min), limit)| {
        let sum = sum_of_minimums(clients, min, limit, USUAL_SURGE);
        say(
            "prediction-sum",
            vec![
                ("clients", clients.into()),
                ("min", min.into()),
                ("sessions", sum.sessions.into()),
                ("share", units.share(sum.share).into()),
                ("limit", limit.into()),
                ("more", sum.in_deployment.into()),
                ("share-more", units.share(sum.share_in_deployment).into()),
                ("room", room(sum.room).into()),
            ],
        )
    });
    let ramp = login_s.zip(pool.max.or(pool.min)).and_then(|(login_s, sessions)| {
        let opened = opened_within_timeout(USUAL_LOGIN_TIMEOUT_S, login_s)?.min(u64::from(sessions));
        let time = ramp_s(pool.clients.unwrap_or(1), sessions, login_s, None);
        let times = [("time", Units::elapsed(units, time).into()), ("login", Units::elapsed(units, login_s).into())];
        Some(say(
            "prediction-ramp",
            [("n", sessions.into()), ("opened", opened.into())].into_iter().chain(times).collect(),
        ))
    });
    let idle = per_s("prediction-idle", idle_turnover(pool));
    let refill = per_s("prediction-refill", refill_turnover(pool));
    [healthy, idle, refill, sum, ramp].into_iter().flatten().collect()
}

const fn room(room: Room) -> &'static str {
    match room {
        Room::Fits => "fits",
        Room::Tight => "tight",
        Room::Serious => "serious",
        Room::Refused => "refused",
    }
}
