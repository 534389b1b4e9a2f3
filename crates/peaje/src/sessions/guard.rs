//! The guards of memory: they look twenty times a second while sessions are open, and before each step at what it will
//! take, so that the run ends before a machine suffers.
//!
//! A newcomer would look between steps only. Within one step memory can be gone: a step of 1,000 process sessions takes
//! two gigabytes in a second.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use peaje_lab::{Stop, StopRule};
use peaje_model::{MemorySample, SessionsResult, SessionsSettings};

use super::eye::Eye;

/// Time between two looks, each of which takes a fraction of a millisecond: a server that forks takes a hundred megabytes
/// in less than four looks a second would see.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Over how long swapping is counted, microseconds.
const SWAP_WINDOW_US: i64 = 1_000_000;
/// Swapped pages (in and out) within that time that are one too many: 1 MiB of 4 KiB pages.
const SWAP_PAGES: u64 = 256;

/// What the guards allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Share of the memory that must stay available; 0 = off.
    pub(super) floor: f64,
    /// Whether swapping stops the run.
    pub(super) swap: bool,
}

impl Limits {
    pub(super) fn of(settings: &SessionsSettings) -> Self {
        Self { floor: settings.memory_floor, swap: settings.swap_guard }
    }

    pub(super) fn are_off(self) -> bool {
        self.floor <= 0.0 && !self.swap
    }
}

/// Memory of a machine, or of a control group: what there is, and what of it could be had.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Room {
    whose: &'static str,
    total: f64,
    available: f64,
}

/// The machine, and the server's control group when it has a limit.
fn rooms(sample: &MemorySample) -> impl Iterator<Item = Room> {
    let host = sample.host.total.zip(sample.host.available).map(|(total, available)| Room {
        whose: "the machine",
        total: total as f64,
        available: available as f64,
    });
    let group = sample.cgroup.as_ref().and_then(|group| {
        let (limit, available) = group.limit.zip(group.room())?;
        Some(Room { whose: "the server's control group", total: limit as f64, available: available as f64 })
    });
    host.into_iter().chain(group)
}

const MIB: f64 = 1024.0 * 1024.0;

/// Whether less than the floor is available.
fn below_floor(sample: &MemorySample, floor: f64) -> Option<StopRule> {
    let room = rooms(sample).find(|room| floor > 0.0 && room.available < floor * room.total)?;
    Some(StopRule::MemoryFloor(format!(
        "{:.0} MiB of the {:.0} MiB of {} are available, less than the {:.0} % of --memory-floor",
        room.available / MIB,
        room.total / MIB,
        room.whose,
        floor * 100.0
    )))
}

/// One machine under guard.
#[derive(Debug, Default)]
struct Machine {
    /// What was available at the last look, of the machine and of the group.
    available: Vec<f64>,
    /// When, and pages swapped in and out so far.
    swapped: VecDeque<(i64, u64)>,
}

impl Machine {
    /// The reason to stop, if there is one.
    fn judge(&mut self, sample: &MemorySample, limits: Limits) -> Option<StopRule> {
        let falling = self.falls_below(sample, limits.floor);
        below_floor(sample, limits.floor).or(falling).or_else(|| if limits.swap { self.swaps(sample) } else { None })
    }

    /// Whether the next look would see less than the floor, if memory goes on as it went since the last one: logins in
    /// flight still take theirs.
    fn falls_below(&mut self, sample: &MemorySample, floor: f64) -> Option<StopRule> {
        let rooms: Vec<Room> = rooms(sample).collect();
        let before = std::mem::replace(&mut self.available, rooms.iter().map(|room| room.available).collect());
        let (room, lost) = rooms
            .iter()
            .zip(before)
            .map(|(room, before)| (room, before - room.available))
            .find(|(room, lost)| floor > 0.0 && *lost > 0.0 && room.available - lost < floor * room.total)?;
        Some(StopRule::MemoryFloor(format!(
            "{:.0} MiB of the {:.0} MiB of {} are available, {:.0} MiB less than {} ms before: the {:.0} % of --memory-floor \
             are as good as reached",
            room.available / MIB,
            room.total / MIB,
            room.whose,
            lost / MIB,
            LOOK_EVERY.as_millis(),
            floor * 100.0
        )))
    }

    fn swaps(&mut self, sample: &MemorySample) -> Option<StopRule> {
        let pages = sample.host.swapped_in_pages.unwrap_or(0) + sample.host.swapped_out_pages?;
        self.swapped.push_back((sample.clock_us, pages));
        while self.swapped.get(1).is_some_and(|(at, _)| sample.clock_us - at >= SWAP_WINDOW_US) {
            self.swapped.pop_front();
        }
        let grown = pages.saturating_sub(self.swapped.front()?.1);
        (grown > SWAP_PAGES).then(|| {
            StopRule::Swap(format!(
                "the machine swaps: {grown} pages within the last second, more than the {SWAP_PAGES} that --swap-guard allows"
            ))
        })
    }
}

/// Whether the next step would leave less than the floor, by the slopes of the steps before it.
pub(super) fn before_step(
    result: &SessionsResult,
    now: &[MemorySample],
    next: u64,
    limits: Limits,
) -> Option<StopRule> {
    // The last sample is the server's machine.
    let sample = now.last()?;
    if let Some(rule) = below_floor(sample, limits.floor) {
        return Some(rule);
    }
    let held = result.steps.last().map_or(0, |step| step.sessions);
    let more = next.saturating_sub(held) as f64;
    let room = rooms(sample).find(|room| {
        let each = if room.whose == "the machine" { host_bytes(result) } else { group_bytes(result) };
        limits.floor > 0.0 && each.is_some_and(|each| room.available - each * more < limits.floor * room.total)
    })?;
    let each = if room.whose == "the machine" { host_bytes(result) } else { group_bytes(result) }?;
    Some(StopRule::MemoryFloor(format!(
        "{next} sessions would leave {:.0} of the {:.0} MiB of {} ({:.0} KiB for each session, as measured so far), less than \
         the {:.0} % of --memory-floor",
        (room.available - each * more).max(0.0) / MIB,
        room.total / MIB,
        room.whose,
        each / 1024.0,
        limits.floor * 100.0
    )))
}

/// What a session takes of the server's machine, peaje's own part with it where it is the same one; from the first step
/// alone where there is no slope yet.
fn host_bytes(result: &SessionsResult) -> Option<f64> {
    let each = &result.bytes_per_session;
    let own = each.client.filter(|_| result.same_host).and_then(|own| own.value).map_or(0.0, |own| own.max(0.0));
    let slope = each.host.and_then(|host| host.value).map(|host| host + own);
    slope.or_else(|| since_baseline(result, |sample| sample.host.available.map(|bytes| -(bytes as f64))))
}

fn group_bytes(result: &SessionsResult) -> Option<f64> {
    result
        .bytes_per_session
        .cgroup
        .and_then(|group| group.value)
        .or_else(|| since_baseline(result, |sample| sample.cgroup.as_ref()?.held().map(|bytes| bytes as f64)))
}

fn since_baseline(result: &SessionsResult, bytes: impl Fn(&MemorySample) -> Option<f64>) -> Option<f64> {
    let last = result.steps.last().filter(|step| step.sessions > 0)?;
    let grown = bytes(last.memory.as_ref()?)? - bytes(result.baseline.memory.as_ref()?)?;
    Some((grown / last.sessions as f64).max(0.0))
}

/// A thread that looks until it is dropped.
pub(super) struct Guard {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Guard {
    /// Stops the run through `stop`. A guard that is off does nothing.
    pub(super) fn start(eye: Arc<Eye>, limits: Limits, stop: Stop) -> std::io::Result<Self> {
        let ended = Arc::new(AtomicBool::new(false));
        if limits.are_off() {
            return Ok(Self { ended, thread: None });
        }
        let seen = ended.clone();
        let watch = move || {
            let mut machines: Vec<Machine> = Vec::new();
            while !seen.load(Ordering::Acquire) {
                let samples = match eye.guarded() {
                    Ok(samples) => samples,
                    Err(rule) => {
                        stop.stop(rule);
                        return;
                    }
                };
                machines.resize_with(samples.len().max(machines.len()), Machine::default);
                let judged =
                    machines.iter_mut().zip(&samples).find_map(|(machine, sample)| machine.judge(sample, limits));
                if let Some(rule) = judged {
                    stop.stop(rule);
                    return;
                }
                std::thread::park_timeout(LOOK_EVERY);
            }
        };
        let thread = std::thread::Builder::new().name("memory guard".to_owned()).spawn(watch)?;
        Ok(Self { ended, thread: Some(thread) })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Its look ends within milliseconds; it panics never, and nobody is left to tell if it did.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use peaje_model::{BytesPerSession, CgroupMemory, HostMemory, Interval, SessionStep};

    use super::*;

    const GIB: u64 = 1 << 30;
    const ON: Limits = Limits { floor: 0.1, swap: true };

    fn host(available: u64) -> MemorySample {
        let host = HostMemory { total: Some(10 * GIB), available: Some(available), ..HostMemory::default() };
        MemorySample { host, ..MemorySample::default() }
    }

    fn group(usage: u64, reclaimable: u64) -> MemorySample {
        let group = CgroupMemory {
            limit: Some(GIB),
            usage: Some(usage),
            reclaimable: Some(reclaimable),
            ..CgroupMemory::default()
        };
        MemorySample { cgroup: Some(group), ..host(9 * GIB) }
    }

    #[test]
    fn a_floor_is_a_share_of_the_machine_and_of_the_group() {
        for (sample, stops) in [
            (host(2 * GIB), false),
            (host(GIB + 1), false),
            (host(GIB - 1), true),
            (group(GIB / 2, 0), false),
            (group(GIB - GIB / 20, 0), true),
            // Page cache that would be given back is room.
            (group(GIB - GIB / 20, GIB / 2), false),
            // No limit, no floor.
            (MemorySample { cgroup: Some(CgroupMemory::default()), ..host(9 * GIB) }, false),
            (MemorySample::default(), false),
        ] {
            let rule = Machine::default().judge(&sample, ON);
            assert_eq!(rule.is_some(), stops, "{sample:?}");
            let off = Limits { floor: 0.0, swap: false };
            assert_eq!(Machine::default().judge(&sample, off), None);
        }
    }

    fn swapped(at_ms: i64, out: u64) -> MemorySample {
        let mut sample = host(9 * GIB);
        sample.clock_us = at_ms * 1000;
        sample.host.swapped_out_pages = Some(out);
        sample
    }

    #[test]
    fn memory_that_falls_fast_stops_the_run_one_look_earlier() {
        let mut fast = Machine::default();
        assert_eq!(fast.judge(&host(4 * GIB), ON), None);
        assert_eq!(fast.judge(&host(3 * GIB), ON), None, "a GiB less, and two above the floor");
        assert!(fast.judge(&host(GIB + GIB / 2), ON).is_some(), "1.5 GiB less, half a GiB above it");
        let mut slow = Machine::default();
        assert_eq!(slow.judge(&host(GIB + GIB / 2), ON), None);
        assert_eq!(slow.judge(&host(GIB + GIB / 4 + GIB / 8), ON), None);
        assert_eq!(slow.judge(&host(2 * GIB), ON), None, "it comes back");
    }

    #[test]
    fn swapping_is_counted_over_the_last_second() {
        let mut slow = Machine::default();
        for look in 0..100 {
            // 200 pages a second.
            assert_eq!(slow.judge(&swapped(look * 200, 5_000 + look as u64 * 40), ON), None, "{look}");
        }
        let mut fast = Machine::default();
        assert_eq!(fast.judge(&swapped(0, 5_000), ON), None, "what was swapped before is not ours");
        assert_eq!(fast.judge(&swapped(200, 5_256), ON), None);
        assert!(matches!(fast.judge(&swapped(400, 5_257), ON), Some(StopRule::Swap(_))));
        let mut off = Machine::default();
        let no_swap_guard = Limits { swap: false, ..ON };
        assert_eq!(off.judge(&swapped(0, 0), no_swap_guard), None);
        assert_eq!(off.judge(&swapped(200, 1_000_000), no_swap_guard), None);
    }

    #[test]
    fn a_step_that_would_not_fit_is_not_begun() {
        let step =
            |sessions, available| SessionStep { sessions, memory: Some(host(available)), ..SessionStep::default() };
        let result =
            SessionsResult { baseline: step(0, 9 * GIB), steps: vec![step(100, 8 * GIB)], ..SessionsResult::default() };
        // 10 MiB each, and 7 GiB above the floor.
        assert_eq!(before_step(&result, &[host(8 * GIB)], 700, ON), None);
        let rule = before_step(&result, &[host(8 * GIB)], 900, ON).expect("it does not fit");
        assert!(rule.message().contains("900 sessions would leave"), "{}", rule.message());
        assert_eq!(before_step(&result, &[host(8 * GIB)], 900, Limits { floor: 0.0, swap: true }), None);
        // Somebody else took memory meanwhile.
        assert!(before_step(&result, &[host(GIB / 2)], 101, ON).is_some());
        assert_eq!(before_step(&SessionsResult::default(), &[host(8 * GIB)], 900, ON), None, "nothing is known yet");
    }

    #[test]
    fn peajes_own_memory_is_a_burden_only_where_it_runs() {
        let slope = |mib: u64| Some(Interval { value: Some((mib * GIB / 1024) as f64), low: None, high: None });
        let bytes_per_session = BytesPerSession { host: slope(10), client: slope(10), ..BytesPerSession::default() };
        let elsewhere = SessionsResult { bytes_per_session, ..SessionsResult::default() };
        assert_eq!(before_step(&elsewhere, &[host(8 * GIB)], 500, ON), None, "5 GiB of the 7 above the floor");
        let here = SessionsResult { same_host: true, ..elsewhere };
        assert!(before_step(&here, &[host(8 * GIB)], 500, ON).is_some(), "10 GiB");
    }
}
