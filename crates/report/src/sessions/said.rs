//! The sentences about one ladder: memory, its account, the knee, the walls, and the end.

use peaje_model::{
    HostAccount, IdleAndWorked, Interval, Knee, KneeCause, LoginGrowth, SessionStep, SessionsResult, SessionsSettings,
    Wall, WallKind,
};

use crate::{
    catalogue::{Catalogue, without_controls},
    units::Units,
};

/// Walls named after the first.
const MORE_WALLS: usize = 4;

/// Steps below which a straight ladder says nothing.
const LEAST_STEPS: usize = 5;

/// Every sentence there is, in reading order.
pub(super) fn lines(cat: &Catalogue, target: &SessionsResult, settings: Option<&SessionsSettings>) -> Vec<String> {
    let mut lines: Vec<String> = stopped(cat, target).into_iter().collect();
    lines.extend(memory(cat, target));
    lines.extend(idle_and_worked(cat, target.idle_and_worked, settings));
    lines.extend(target.account.map(|parts| account(cat, parts)));
    lines.extend(client(cat, target));
    lines.extend(walls(cat, target));
    lines.extend(knee_or_straight(cat, target));
    lines.extend(target.login_growth.and_then(|growth| grows(cat, growth)));
    lines.extend(target.steps.last().and_then(|step| probe(cat, step)));
    lines.extend(target.steps.last().and_then(|step| churn(cat, step)));
    lines.extend(dropped(cat, target));
    lines.extend(closing(cat, target));
    lines
}

/// What a manager reads: the session, what fits, the knee.
pub(super) fn cost(cat: &Catalogue, target: &SessionsResult, settings: Option<&SessionsSettings>) -> Vec<String> {
    let idle = idle_and_worked(cat, target.idle_and_worked, settings);
    idle.into_iter().chain(walls(cat, target)).chain(target.knee.map(|knee| bends(cat, knee))).collect()
}

fn stopped(cat: &Catalogue, target: &SessionsResult) -> Option<String> {
    let guard = target.stopped_by.as_ref()?;
    let said = cat.look_up(&format!("guard-{guard}"), &[]).unwrap_or_else(|| guard.clone());
    Some(cat.say("sessions-stopped", &[("guard", said.into())]))
}

fn memory(cat: &Catalogue, target: &SessionsResult) -> Vec<String> {
    let bytes = target.bytes_per_session;
    let fixed = cat.units.or_absent(target.fixed_bytes.and_then(|fixed| fixed.value), Units::bytes);
    let of = |id: &str, interval: Option<Interval>| {
        let interval = interval.filter(|interval| interval.value.is_some())?;
        let value = cat.units.or_absent(interval.value, Units::bytes);
        let ends = within(cat, interval);
        Some(cat.say(id, &[("bytes", value.into()), ("interval", ends.into()), ("fixed", fixed.clone().into())]))
    };
    let own = of("sessions-memory", bytes.pss.or(bytes.private)).or_else(|| of("sessions-views", bytes.views));
    [own, of("sessions-group", bytes.cgroup), of("sessions-machine", bytes.host)].into_iter().flatten().collect()
}

fn within(cat: &Catalogue, interval: Interval) -> String {
    let (Some(low), Some(high)) = (interval.low, interval.high) else { return String::new() };
    let (low, high) = (cat.units.bytes(low), cat.units.bytes(high));
    if low == high {
        return String::new();
    }
    cat.say("sessions-interval", &[("low", low.into()), ("high", high.into())])
}

/// Both figures, always: what one of them hides, the other shows.
fn idle_and_worked(cat: &Catalogue, both: IdleAndWorked, settings: Option<&SessionsSettings>) -> Option<String> {
    let bytes = |value: Option<f64>| cat.units.or_absent(value, Units::bytes);
    let args = [("idle", bytes(both.idle).into()), ("worked", bytes(both.worked).into())];
    let never_worked = settings.is_some_and(|settings| settings.warm_query.is_none());
    Some(match (both.idle, both.worked) {
        (Some(_), Some(_)) => cat.say("sessions-idle-worked", &args),
        (Some(_), None) if never_worked => cat.say("sessions-idle-only", &args),
        (None, Some(_)) => cat.say("sessions-worked-only", &args),
        _ => return None,
    })
}

fn account(cat: &Catalogue, parts: HostAccount) -> String {
    let all = [
        ("account-pss", parts.pss),
        ("account-page-tables", parts.page_tables),
        ("account-kernel-stacks", parts.kernel_stacks),
        ("account-slab", parts.slab),
        ("account-per-cpu", parts.per_cpu),
        ("account-sockets", parts.sockets),
        ("account-client", parts.client),
        ("account-unexplained", parts.unexplained),
    ];
    // What is less than a page for each session is noise.
    let matters = all.into_iter().filter(|(_, bytes)| bytes.abs() >= 1_024.0);
    let list = matters.map(|(name, bytes)| cat.say(name, &[bytes_arg(cat, bytes)]));
    let list = list.collect::<Vec<_>>().join(", ");
    cat.say("sessions-account", &[("host", cat.units.bytes(parts.host).into()), ("list", list.into())])
}

fn bytes_arg(cat: &Catalogue, bytes: f64) -> crate::catalogue::Arg<'static> {
    ("bytes", cat.units.bytes(bytes).into())
}

fn client(cat: &Catalogue, target: &SessionsResult) -> Option<String> {
    // The account of one machine says it already.
    let apart = target.account.is_none_or(|account| account.client <= 0.0);
    let bytes = target.bytes_per_session.client?.value.filter(|bytes| apart && *bytes > 0.0)?;
    Some(cat.say("sessions-client", &[bytes_arg(cat, bytes)]))
}

/// A wall and its place in a few words: `physical memory 296`.
pub(super) fn one_wall(cat: &Catalogue, wall: &Wall) -> String {
    let name = cat.word(wall_id(wall.kind));
    let args = [("wall", name.into()), ("sessions", cat.units.count(wall.sessions).into())];
    cat.say("sessions-one-wall", &args)
}

fn walls(cat: &Catalogue, target: &SessionsResult) -> Vec<String> {
    let Some(first) = target.first_wall else { return Vec::new() };
    let yes = |it: bool| if it { "yes" } else { "no" };
    let measured = target.steps.iter().map(|step| step.sessions).max().unwrap_or(0);
    let args = [
        ("wall", cat.word(wall_id(first.kind)).into()),
        ("sessions", first.sessions.into()),
        ("upper", yes(first.upper_bound).into()),
        ("beyond", yes(first.extrapolated).into()),
        ("measured", measured.into()),
    ];
    let more: Vec<String> = target.walls.iter().skip(1).take(MORE_WALLS).map(|wall| one_wall(cat, wall)).collect();
    let more = (!more.is_empty()).then(|| cat.say("sessions-more-walls", &[("list", more.join(", ").into())]));
    std::iter::once(cat.say("sessions-wall", &args)).chain(more).collect()
}

const fn wall_id(kind: WallKind) -> &'static str {
    match kind {
        WallKind::Memory => "wall-memory",
        WallKind::CgroupMemory => "wall-cgroup-memory",
        WallKind::ServerLimit => "wall-server-limit",
        WallKind::AccountLimit => "wall-account-limit",
        WallKind::ServerFiles => "wall-server-files",
        WallKind::ClientFiles => "wall-client-files",
        WallKind::Processes => "wall-processes",
        WallKind::Threads => "wall-threads",
        WallKind::Ports => "wall-ports",
    }
}

fn knee_or_straight(cat: &Catalogue, target: &SessionsResult) -> Option<String> {
    let last = target.steps.iter().map(|step| step.sessions).max()?;
    match target.knee {
        Some(knee) => Some(bends(cat, knee)),
        None if target.steps.len() < LEAST_STEPS => None,
        None => Some(cat.say("sessions-straight", &[("sessions", last.into())])),
    }
}

fn bends(cat: &Catalogue, knee: Knee) -> String {
    let cause = match knee.cause {
        KneeCause::Memory => "knee-memory",
        KneeCause::CgroupMemory => "knee-cgroup-memory",
        KneeCause::Scheduler => "knee-scheduler",
        KneeCause::Unknown => "knee-unknown",
    };
    let args = [
        ("sessions", cat.units.fixed(knee.sessions, 0).into()),
        ("low", cat.units.fixed(knee.low, 0).into()),
        ("high", cat.units.fixed(knee.high, 0).into()),
        ("cause", cat.word(cause).into()),
        ("before", cat.units.time(knee.before_s * 1e6).into()),
        ("after", cat.units.time(knee.after_s * 1e6).into()),
    ];
    cat.say("sessions-knee-said", &args)
}

/// `None` unless it clearly grows.
fn grows(cat: &Catalogue, growth: LoginGrowth) -> Option<String> {
    growth.exponent.low.filter(|low| *low > 0.0)?;
    let exponent = cat.units.fixed(growth.exponent.value?, 2);
    let (first, last) = (cat.units.time(growth.first_us), cat.units.time(growth.last_us));
    Some(cat.say("sessions-growth", &[("exponent", exponent.into()), ("first", first.into()), ("last", last.into())]))
}

fn probe(cat: &Catalogue, step: &SessionStep) -> Option<String> {
    let probe = step.probe.as_ref()?;
    let time = |us: Option<f64>| cat.units.or_absent(us, Units::time);
    let beside = probe
        .query_beside_active_us
        .and_then(|summary| summary.p50)
        .map(|us| cat.say("sessions-probe-beside", &[("query", cat.units.time(us).into())]));
    let args = [
        ("sessions", step.sessions.into()),
        ("login", time(probe.login_us.p50).into()),
        ("query", time(probe.query_us.p50).into()),
        ("beside", beside.unwrap_or_default().into()),
    ];
    Some(cat.say("sessions-probe", &args))
}

fn churn(cat: &Catalogue, step: &SessionStep) -> Option<String> {
    let churn = step.churn?;
    let switches = churn
        .context_switches_per_login
        .map(|n| cat.say("sessions-churn-switches", &[("n", cat.units.figure(n).into())]));
    let args = [
        ("rate", cat.units.figure(churn.per_s).into()),
        ("sessions", step.sessions.into()),
        ("login", cat.units.or_absent(churn.login_us.p50, Units::time).into()),
        ("switches", switches.unwrap_or_default().into()),
    ];
    Some(cat.say("sessions-churn", &args))
}

fn dropped(cat: &Catalogue, target: &SessionsResult) -> Option<String> {
    let n: u64 = target.dropped.iter().map(|one| one.count).sum();
    let one = |one: &peaje_model::DroppedSessions| {
        let reason = without_controls(&one.reason);
        cat.say("sessions-dropped-one", &[("reason", reason.into()), ("n", one.count.into())])
    };
    let list = target.dropped.iter().map(one).collect::<Vec<_>>().join(", ");
    (n > 0).then(|| cat.say("sessions-dropped-said", &[("n", n.into()), ("list", list.into())]))
}

fn closing(cat: &Catalogue, target: &SessionsResult) -> Option<String> {
    let closing = target.closing.as_ref()?;
    let memory =
        closing.pss_returned_bytes.map(|bytes| cat.say("sessions-closing-memory", &[bytes_arg(cat, bytes as f64)]));
    let left = closing.own_left.filter(|left| *left > 0);
    let left = left.map(|left| cat.say("sessions-closing-left", &[("n", left.into())]));
    let args = [
        ("sessions", closing.sessions.into()),
        ("time", cat.units.elapsed(closing.seconds).into()),
        ("memory", memory.unwrap_or_default().into()),
        ("left", left.unwrap_or_default().into()),
    ];
    Some(cat.say("sessions-closing", &args))
}
