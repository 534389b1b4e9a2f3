//! What ladders say: the story's machine, made of its own numbers, and ladders too short or too quiet to say anything.

use peaje_diagnose::held::analyse;
use peaje_model::{
    Architecture, CgroupMemory, CloseMode, Hold, HostMemory, Interval, KneeCause, LatencySummary, LimitRead,
    MemorySample, MemorySource, ProcessMemory, SessionStep, SessionsResult, SessionsSettings, WallKind,
};

pub(crate) const MIB: f64 = 1024.0 * 1024.0;

/// The settings of a ladder that leaves a twentieth of the memory free.
pub(crate) fn settings() -> SessionsSettings {
    SessionsSettings {
        steps: Vec::new(),
        concurrency: 1,
        settle_s: 1.0,
        active: 0.0,
        query: "select 1".to_owned(),
        warm_query: None,
        churn_per_s: None,
        hold: Hold::No,
        close: CloseMode::Polite,
        memory_floor: 0.1,
        swap_guard: true,
        reserve: 0.05,
        login_timeout_s: 15.0,
        source_addresses: 1,
    }
}

/// A server as the story has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) architecture: Architecture,
    /// What a session's own memory takes, MiB, and what the kernel takes for it.
    pub(crate) session: f64,
    pub(crate) kernel: f64,
    /// What is there without sessions, shared memory among it, MiB.
    pub(crate) fixed: f64,
    /// Limit of the control group, MiB.
    pub(crate) limit: f64,
    /// Physical memory of the host, MiB.
    pub(crate) total: f64,
    /// Seconds of one login.
    pub(crate) login_s: f64,
}

pub(crate) const PROCESS: Machine = Machine {
    architecture: Architecture::Process,
    session: 1.8,
    kernel: 0.1,
    fixed: 204.0,
    limit: 768.0,
    total: 24_000.0,
    login_s: 0.0015,
};

pub(crate) const THREAD: Machine =
    Machine { architecture: Architecture::Thread, session: 0.7, kernel: 0.04, login_s: 0.002, ..PROCESS };

impl Machine {
    /// Sessions at which usage meets the limit.
    pub(crate) fn full_at(&self) -> f64 {
        (self.limit - self.fixed) / (self.session + self.kernel)
    }

    fn look(&self, sessions: f64, clock_us: i64) -> MemorySample {
        let need = self.fixed + (self.session + self.kernel) * sessions;
        let swapped = (need - self.limit).max(0.0);
        let cache = 20.0_f64.min(self.limit - need.min(self.limit));
        let bytes = |mib: f64| Some((mib * MIB) as u64);
        let processes = if self.architecture == Architecture::Process { 1 + sessions as u64 } else { 1 };
        MemorySample {
            clock_us,
            server: Some(ProcessMemory {
                processes,
                threads: processes.max(1 + sessions as u64),
                pss: bytes(self.fixed + self.session * sessions - swapped),
                private: bytes(4.0 + self.session * sessions - swapped),
                rss: bytes(self.fixed * (sessions + 1.0) + self.session * sessions - swapped),
                swap: bytes(swapped),
                page_tables: bytes(0.06 * sessions),
                ..ProcessMemory::default()
            }),
            host: HostMemory {
                total: bytes(self.total),
                available: bytes(self.total - 900.0 - need + swapped - 0.02 * sessions),
                page_tables: bytes(10.0 + 0.6 * self.kernel * sessions),
                kernel_stacks: bytes(4.0 + 0.15 * self.kernel * sessions),
                slab: bytes(300.0 + 0.3 * self.kernel * sessions),
                slab_unreclaimable: bytes(90.0 + 0.2 * self.kernel * sessions),
                per_cpu: bytes(2.0 + 0.05 * self.kernel * sessions),
                sockets: bytes(0.0),
                swap_total: bytes(2_048.0),
                swap_used: bytes(swapped),
                ..HostMemory::default()
            },
            cgroup: Some(CgroupMemory {
                path: "/peaje".to_owned(),
                version: 2,
                limit: bytes(self.limit),
                usage: bytes((need - swapped + cache).min(self.limit)),
                reclaimable: bytes(cache),
                swap: bytes(swapped),
                ..CgroupMemory::default()
            }),
        }
    }

    fn step(&self, before: u64, sessions: u64, wobble: f64) -> SessionStep {
        let (from, to, full) = (before as f64, sessions as f64, self.full_at());
        let beyond = ((to - full) / (to - from)).clamp(0.0, 1.0);
        // seen: 75 ms for 50 sessions, then 206 and 276
        let slow = if from > full { 3.7 } else { 2.75 };
        let each = self.login_s * wobble * (1.0 + (slow - 1.0) * beyond);
        let look = self.look(to, (to * 10_000.0) as i64);
        SessionStep {
            sessions,
            wanted: sessions,
            opened: sessions - before,
            seconds: each * (to - from),
            login_us: LatencySummary { p50: Some(each * 1e6), mean: Some(each * 1e6), ..LatencySummary::default() },
            pss_bytes: look.server.and_then(|server| server.pss),
            memory_available_bytes: look.host.available,
            processes: look.server.map(|server| server.processes),
            threads: look.server.map(|server| server.threads),
            client: Some(ProcessMemory {
                pss: Some((30.0 * MIB + 0.02 * MIB * to) as u64),
                ..ProcessMemory::default()
            }),
            memory: Some(look),
            ..SessionStep::default()
        }
    }

    /// The ladder, not yet analysed.
    pub(crate) fn ladder(&self, label: &str, steps: &[u64]) -> SessionsResult {
        let wobble = [1.02, 0.98, 1.03, 1.0, 0.97, 1.01, 0.99, 1.04];
        let look = self.look(0.0, 0);
        let before = std::iter::once(0).chain(steps.iter().copied());
        let step = |(i, (before, sessions)): (usize, (u64, &u64))| self.step(before, *sessions, wobble[i % 8]);
        SessionsResult {
            label: label.to_owned(),
            architecture: Some(self.architecture),
            memory_source: MemorySource::Processes,
            started_by_peaje: true,
            same_host: true,
            baseline: SessionStep {
                pss_bytes: look.server.and_then(|server| server.pss),
                memory_available_bytes: look.host.available,
                client: Some(ProcessMemory { pss: Some((30.0 * MIB) as u64), ..ProcessMemory::default() }),
                memory: Some(look),
                ..SessionStep::default()
            },
            steps: before.zip(steps).enumerate().map(step).collect(),
            ..SessionsResult::default()
        }
    }

    pub(crate) fn analysed(&self, label: &str, steps: &[u64]) -> SessionsResult {
        let mut result = self.ladder(label, steps);
        analyse(&mut result, &settings());
        result
    }
}

pub(crate) const STORY: [u64; 8] = [50, 100, 150, 200, 250, 300, 350, 400];

fn near(interval: Option<Interval>, mib: f64, within: f64) {
    let value = interval.and_then(|interval| interval.value).expect("a slope");
    assert!((value / MIB / mib - 1.0).abs() < within, "{} MiB, wanted {mib}", value / MIB);
}

#[test]
fn the_story_is_found_in_its_own_numbers() {
    let result = PROCESS.analysed("serve:process", &STORY);
    let full = PROCESS.full_at();
    let knee = result.knee.expect("it bends");
    assert!((knee.sessions - full).abs() <= 50.0 && (knee.low..=knee.high).contains(&full), "{knee:?}, full at {full}");
    assert_eq!(knee.cause, KneeCause::CgroupMemory);
    assert!((knee.before_s / 0.0015 - 1.0).abs() < 0.1 && knee.after_s > 2.0 * knee.before_s, "{knee:?}");
    let at_200 = result.steps[3].fit.expect("predicted at 200");
    assert!((at_200.sessions / knee.sessions - 1.0).abs() < 0.15, "{at_200:?} of {knee:?}");
    assert!(at_200.low <= at_200.sessions && at_200.sessions <= at_200.high);
    let bytes = result.bytes_per_session;
    near(bytes.pss, 1.8, 0.01);
    near(bytes.private, 1.8, 0.01);
    near(bytes.cgroup, 1.9, 0.01);
    near(bytes.host, 1.9, 0.01);
    near(bytes.client, 0.02, 0.01);
    near(result.fixed_bytes, 204.0, 0.01);
    assert_eq!(result.first_wall.map(|wall| wall.kind), Some(WallKind::CgroupMemory));
    assert!(result.first_wall.is_some_and(|wall| wall.upper_bound && !wall.extrapolated), "idle sessions, and beyond");
}

#[test]
fn threads_stay_straight_in_the_same_group() {
    let result = THREAD.analysed("serve:thread", &STORY);
    assert_eq!(result.knee, None);
    let fit = result.steps[3].fit.expect("predicted");
    assert!(fit.sessions > 600.0, "{fit:?}");
    assert!(result.first_wall.is_some_and(|wall| wall.extrapolated));
    near(result.bytes_per_session.pss, 0.7, 0.01);
}

#[test]
fn nothing_is_guessed_from_the_first_steps() {
    for steps in 0..=8 {
        let mut result = PROCESS.ladder("serve:process", &STORY[..steps]);
        analyse(&mut result, &settings());
        let once = result.clone();
        analyse(&mut result, &settings());
        assert_eq!(result, once, "twice changes nothing");
        assert_eq!(result.steps.last().is_some_and(|step| step.fit.is_some()), steps >= 2, "{steps} steps");
        assert_eq!(result.bytes_per_session.pss.is_some(), steps >= 2, "{steps} steps");
        assert_eq!(result.login_growth.is_some(), steps >= 3, "{steps} steps");
        assert!(result.knee.is_none() || steps >= 7, "{steps} steps: {:?}", result.knee);
        let whole = PROCESS.analysed("serve:process", &STORY);
        for (early, late) in result.steps.iter().zip(&whole.steps) {
            assert_eq!(early.fit, late.fit, "a prediction is not changed afterwards");
        }
    }
    let mut blind = PROCESS.ladder("elsewhere", &STORY);
    for step in std::iter::once(&mut blind.baseline).chain(&mut blind.steps) {
        (step.memory, step.pss_bytes, step.memory_available_bytes, step.client) = (None, None, None, None);
    }
    analyse(&mut blind, &settings());
    assert_eq!((blind.account, blind.fixed_bytes, blind.first_wall), (None, None, None));
    assert_eq!(blind.knee.map(|knee| knee.cause), Some(KneeCause::Unknown), "times alone show it");
}

#[test]
fn the_host_swaps_where_no_group_limits() {
    let mut result = PROCESS.ladder("postgres:", &STORY);
    for step in std::iter::once(&mut result.baseline).chain(&mut result.steps) {
        let memory = step.memory.as_mut().expect("it was read");
        let group = memory.cgroup.take().expect("it was read");
        let held = group.usage.expect("read") - group.reclaimable.expect("read");
        memory.host.total = Some((900.0 * MIB) as u64);
        memory.host.available = Some((800.0 * MIB) as u64 - held);
        step.memory_available_bytes = memory.host.available;
    }
    analyse(&mut result, &settings());
    assert_eq!(result.knee.map(|knee| knee.cause), Some(KneeCause::Memory));
    assert_eq!(result.first_wall.map(|wall| wall.kind), Some(WallKind::Memory));
}

#[test]
fn a_first_step_that_fills_caches_hides_no_knee_and_is_none() {
    for (machine, bends) in [(PROCESS, true), (THREAD, false)] {
        let mut result = machine.ladder("postgres:", &STORY);
        result.steps[0].seconds *= 2.0;
        analyse(&mut result, &settings());
        assert_eq!(result.knee.is_some(), bends, "{:?}", result.knee);
    }
}

#[test]
fn processors_are_blamed_when_memory_is_not_short() {
    let mut result = Machine { limit: 24_000.0, ..PROCESS }.ladder("postgres:", &STORY);
    for (i, step) in result.steps.iter_mut().enumerate() {
        let slow = if i >= 5 { 3.0 } else { 1.0 };
        step.seconds *= slow;
        let memory = step.memory.as_mut().expect("it was read");
        memory.host.cpu_stall_us = Some([40, 81, 119, 160, 200, 440, 690, 930][i] * 1_000);
    }
    result.baseline.memory.as_mut().expect("it was read").host.cpu_stall_us = Some(0);
    analyse(&mut result, &settings());
    let knee = result.knee.expect("it bends");
    assert_eq!(knee.cause, KneeCause::Scheduler);
    assert!((200.0..=300.0).contains(&knee.sessions), "{knee:?}");
}

#[test]
fn the_account_adds_up() {
    let result = PROCESS.analysed("serve:process", &STORY);
    let account = result.account.expect("everything was read");
    let parts = account.pss
        + account.page_tables
        + account.kernel_stacks
        + account.slab
        + account.per_cpu
        + account.sockets
        + account.client;
    assert!((parts + account.unexplained - account.host).abs() < 1e-6 * account.host);
    assert!(account.unexplained.abs() < 0.1 * account.host, "{account:?}");
    assert!((account.host / MIB - 1.92).abs() < 0.02, "{account:?}");
}

#[test]
fn limits_are_walls_by_what_a_session_takes_of_them() {
    let limit = |kind, name: &str, limit, taken, per_session| LimitRead {
        kind,
        name: name.to_owned(),
        limit,
        taken,
        per_session,
    };
    let mut result = THREAD.ladder("mariadb:", &STORY);
    result.limits = vec![
        limit(WallKind::ServerLimit, "max_connections", 500, 20, 1.0),
        limit(WallKind::Threads, "kernel.threads-max", 1_000, 100, 2.0),
        limit(WallKind::ServerFiles, "RLIMIT_NOFILE", 10, 20, 1.0),
        limit(WallKind::Ports, "net.ipv4.ip_local_port_range", 28_000, 0, 0.0),
    ];
    analyse(&mut result, &settings());
    let walls: Vec<(WallKind, u64, bool)> =
        result.walls.iter().map(|wall| (wall.kind, wall.sessions, wall.extrapolated)).collect();
    assert_eq!(
        walls[..3],
        [(WallKind::ServerFiles, 0, false), (WallKind::Threads, 450, true), (WallKind::ServerLimit, 480, false)]
    );
    assert!(walls[3..].iter().all(|(kind, ..)| matches!(kind, WallKind::Memory | WallKind::CgroupMemory)), "{walls:?}");
    assert_eq!(result.first_wall, result.walls.first().copied());
}

#[test]
fn idle_is_weighed_before_the_warm_query() {
    let mut result = PROCESS.ladder("postgres:", &STORY[..4]);
    let settings = SessionsSettings { warm_query: Some("select work()".to_owned()), ..settings() };
    for i in 0..4 {
        let before = if i == 0 { result.baseline.pss_bytes } else { result.steps[i - 1].pss_bytes };
        result.steps[i].idle_bytes = before.map(|bytes| bytes + (0.5 * MIB) as u64 * 50);
    }
    analyse(&mut result, &settings);
    let both = result.idle_and_worked;
    assert!((both.idle.expect("weighed") / MIB - 0.5).abs() < 1e-6, "{both:?}");
    assert!((both.worked.expect("weighed") / MIB - 1.8).abs() < 0.01, "{both:?}");
    assert!(result.walls.iter().all(|wall| !wall.upper_bound));
}

#[test]
fn a_login_in_proportion_to_the_sessions_has_exponent_1() {
    let mut result = THREAD.ladder("mariadb:", &STORY);
    for (i, step) in result.steps.iter_mut().enumerate() {
        step.login_us.p50 = Some(20.0 * (i as f64 * 50.0 + 25.0));
    }
    analyse(&mut result, &settings());
    let growth = result.login_growth.expect("eight points");
    assert!((growth.exponent.value.expect("a value") - 1.0).abs() < 1e-9, "{growth:?}");
    assert!((growth.last_us / growth.first_us - 15.0).abs() < 1e-6, "{growth:?}");
}
