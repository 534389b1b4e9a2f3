//! What a run will do to a server, in words, before it does anything: for a dry run, and for somebody's consent.

use std::fmt::Write as _;

use peaje_model::{LimitRead, MemorySource, SessionsSettings};

use super::climb::Ask;
use super::eye::Eye;
use super::ground::Ground;
use crate::ask;
use crate::consent::{QUIET_IN_FLIGHT, Room};
use crate::exit::hinted;
use crate::login::{Prepared, Site};

/// Sessions of peaje beside those of the ladder: the observer, and the one more that each probe opens.
const BESIDE: u64 = 2;

/// The plan for one target.
pub(super) struct Plan {
    label: String,
    answered: String,
    /// Whether somebody else's sessions may be in the way.
    somebodys: bool,
    login_s: f64,
    log_lines: Vec<String>,
    room: Room,
    limits: Vec<LimitRead>,
    memory: String,
}

/// The plan of these settings.
pub(super) fn of<S: Site>(site: &S, prepared: &Prepared, ground: &Ground) -> Plan {
    Plan {
        label: ground.result.label.clone(),
        answered: ground.result.answered.clone().unwrap_or_else(|| "what answers is not known".to_owned()),
        login_s: prepared.first_login.total_us / 1e6,
        log_lines: if ground.somebodys { site.log_lines(&prepared.facts) } else { Vec::new() },
        room: ground.room.clone(),
        limits: ground.result.limits.clone(),
        memory: memory(&ground.eye),
        somebodys: ground.somebodys,
    }
}

fn memory(eye: &Eye) -> String {
    let pid = eye.processes().and_then(peaje_host::ProcessSet::root);
    match (eye.source(), pid) {
        (MemorySource::Processes, Some(pid)) => format!("that of process {pid} and its children, on this machine"),
        (MemorySource::Observer, _) => "as the other peaje on the server's machine sees it".to_owned(),
        _ => "only what the server's views say of it, if they do (see --server-pid and --observed-by)".to_owned(),
    }
}

impl Plan {
    /// The plan in words.
    pub(super) fn words(&self, settings: &SessionsSettings) -> String {
        let last = settings.steps.last().copied().unwrap_or(0);
        let mut words = format!("{} ({})\n", self.label, self.answered);
        let steps: Vec<String> = settings.steps.iter().map(u64::to_string).collect();
        let how = match settings.concurrency {
            1 => "one after the other".to_owned(),
            n => format!("{n} at a time"),
        };
        let _ = writeln!(words, "  steps: {} open sessions, opened {how}", steps.join(", "));
        let logins_s = self.login_s * last as f64 / f64::from(settings.concurrency);
        let _ =
            writeln!(words, "  {last} logins in about {logins_s:.1} s, if each takes as long as the one made alone");
        let _ = writeln!(words, "  up to {} sessions at the same time, peaje's own two among them", last + BESIDE);
        if let Some(query) = &settings.warm_query {
            let _ = writeln!(words, "  each session runs once: {query}");
        }
        if settings.active > 0.0 {
            let _ =
                writeln!(words, "  {:.1} % of them run `{}` during each step", settings.active * 100.0, settings.query);
        }
        if let Some(rate) = settings.churn_per_s {
            let _ = writeln!(words, "  {rate} sessions a second are closed and opened again during each step");
        }
        words.push_str(&self.room.words());
        if self.somebodys && self.log_lines.is_empty() {
            words.push_str("  log: what each login writes there is not known\n");
        }
        for line in &self.log_lines {
            let _ = writeln!(words, "  log: {line}");
        }
        let _ = writeln!(words, "  memory: {}", self.memory);
        words.push_str(&guards(settings));
        words.push_str(&walls(&self.limits));
        words
    }

    /// A plan that the guards would stop is no plan to agree to.
    fn check_fit(&self, settings: &SessionsSettings) -> anyhow::Result<()> {
        let Room::Known(limits) = &self.room else { return Ok(()) };
        let (allowed, last) = (limits.allowed(), settings.steps.last().copied().unwrap_or(0));
        if last <= allowed {
            return Ok(());
        }
        Err(hinted(
            format!(
                "{last} sessions at the same time are more than the {allowed} that peaje takes here: half of the free ones, \
                 and never the last ten"
            ),
            if allowed == 0 {
                "measure when fewer sessions are in use".to_owned()
            } else {
                format!("use --to {allowed} at most, or measure when fewer sessions are in use")
            },
        ))
    }

    fn check_room(&self, settings: &SessionsSettings) -> anyhow::Result<()> {
        let Room::Unknown(why) = &self.room else { return Ok(()) };
        let last = settings.steps.last().copied().unwrap_or(0);
        if last <= u64::from(QUIET_IN_FLIGHT) {
            return Ok(());
        }
        Err(hinted(
            format!("{last} sessions are too many for a server whose free sessions cannot be read ({why})"),
            format!(
                "let peaje read them (without --no-observer, with the rights of --grants), or use --to {QUIET_IN_FLIGHT}"
            ),
        ))
    }
}

fn guards(settings: &SessionsSettings) -> String {
    let floor = match settings.memory_floor {
        floor if floor > 0.0 => {
            format!("it ends before less than {:.0} % of the memory that peaje sees are available", floor * 100.0)
        }
        _ => "no floor of memory".to_owned(),
    };
    let swap = if settings.swap_guard { "or when the machine swaps" } else { "swapping does not end it" };
    format!("  guards: {floor}, {swap}\n")
}

/// Limits as they were read, the one that is met first at the top. Memory joins them when it has been measured.
fn walls(limits: &[LimitRead]) -> String {
    let mut limits: Vec<(u64, &LimitRead)> =
        limits.iter().filter_map(|limit| Some((limit.sessions()?, limit))).collect();
    limits.sort_by_key(|(sessions, _)| *sessions);
    let mut words = String::new();
    for (sessions, limit) in limits {
        let _ =
            writeln!(words, "  wall: {sessions} sessions, by {} = {} ({} taken)", limit.name, limit.limit, limit.taken);
    }
    words
}

/// Asks, unless `--yes` was given or the server is peaje's own. `Err` when nobody agrees.
pub(super) async fn obtain(plan: &Plan, ask: Ask<'_>) -> anyhow::Result<()> {
    let settings = ask.settings();
    let printer = ask.request.printer;
    if !plan.somebodys || settings.steps.last().is_none_or(|last| *last <= u64::from(QUIET_IN_FLIGHT)) {
        return Ok(());
    }
    printer.say("This run will load a server that peaje did not start:");
    printer.say(plan.words(settings).trim_end());
    plan.check_room(settings)?;
    if ask.shared.args.safety.yes {
        return Ok(());
    }
    plan.check_fit(settings)?;
    if !printer.can_ask() {
        return Err(hinted(
            "this load needs somebody's consent, and nobody can be asked here",
            "add --yes, or look at the plan with --dry-run",
        ));
    }
    match ask::line("Go on? [y/N] ").await?.trim().to_lowercase().as_str() {
        "y" | "yes" | "s" | "sí" | "si" => Ok(()),
        _ => Err(hinted("not agreed: nothing was sent but the login made alone", "lower the load, or agree")),
    }
}

#[cfg(test)]
mod tests {
    use peaje_engine::SessionLimits;
    use peaje_model::WallKind;

    use super::*;
    use crate::sessions::settings::tests::of as settings_of;

    fn planned(room: Room) -> Plan {
        let limit = |name: &str, limit, taken, per_session| LimitRead {
            kind: WallKind::ServerLimit,
            name: name.to_owned(),
            limit,
            taken,
            per_session,
        };
        Plan {
            label: "postgresql://db".to_owned(),
            answered: "PostgreSQL 15".to_owned(),
            somebodys: true,
            login_s: 0.01,
            log_lines: vec!["each login writes 2 lines".to_owned()],
            room,
            limits: vec![limit("kernel.pid_max", 32_768, 300, 1.0), limit("max_connections", 100, 13, 1.0)],
            memory: "nowhere".to_owned(),
        }
    }

    #[test]
    fn the_plan_tells_logins_walls_and_guards() {
        let limits = SessionLimits { limit: 100, in_use: 10, reserved: 3 };
        let words = planned(Room::Known(limits)).words(&settings_of("--steps 10,20,40 --warm-query select"));
        for part in [
            "steps: 10, 20, 40 open sessions, opened one after the other",
            "40 logins in about 0.4 s",
            "up to 42 sessions",
            "each session runs once: select",
            "free sessions: 87 of 100, of which peaje takes 43 at most",
            "log: each login writes 2 lines",
            "less than 10 % of the memory",
            "wall: 87 sessions, by max_connections = 100 (13 taken)",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        assert!(words.find("max_connections").expect("there") < words.find("pid_max").expect("there"), "{words}");
    }

    #[test]
    fn half_of_the_free_sessions_and_four_where_they_are_not_known() {
        let limits = SessionLimits { limit: 100, in_use: 10, reserved: 3 };
        let known = planned(Room::Known(limits));
        assert!(known.check_fit(&settings_of("--steps 43")).is_ok());
        let error = known.check_fit(&settings_of("--steps 44")).expect_err("too many");
        let hinted = error.downcast_ref::<crate::exit::Hinted>().expect("with a next step");
        assert!(hinted.hint.contains("--to 43"), "{}", hinted.hint);
        let unknown = planned(Room::Unknown("permission denied".to_owned()));
        assert!(unknown.check_room(&settings_of("--steps 4")).is_ok());
        assert!(unknown.check_room(&settings_of("--steps 5")).is_err());
    }
}
