//! `first-wall`: what stops more sessions first: memory, the server's own limit, or one of the operating system.
//!
//! It speaks of a sessions run only. A newcomer would be glad of a server without a limit: the limit that refuses a login
//! with an error is the good one, memory takes everybody down.

use peaje_model::{Finding, LimitRead, Run, Severity, Wall, WallKind};

use crate::Diagnosis;
use crate::draft::{Draft, saw_count};
use crate::targets::{self, TargetAt};

const CODE: &str = "first-wall";

/// The diagnosis.
pub(crate) const DIAGNOSIS: Diagnosis = Diagnosis {
    code: CODE,
    page_en: include_str!("first_wall.md"),
    page_es: include_str!("first_wall.es.md"),
    examine,
};

fn examine(run: &Run) -> Vec<Finding> {
    targets::all(run).iter().map(|target| target.name(of(target)).finish()).collect()
}

fn of(target: &TargetAt<'_>) -> Draft {
    let Some(wall) = target.result.first_wall else { return Draft::cannot_say(CODE, "unknown") };
    let draft = match wall.kind {
        WallKind::Memory => memory(target, "memory"),
        WallKind::CgroupMemory => memory(target, "cgroup-memory"),
        WallKind::ServerLimit | WallKind::AccountLimit => limit(target, wall, Draft::healthy(CODE, "own-limit"))
            .count("memory_sessions", memory_wall(target).map(|wall| wall.sessions)),
        WallKind::ClientFiles | WallKind::Ports => limit(target, wall, Draft::found(CODE, "client", Severity::Info)),
        WallKind::ServerFiles | WallKind::Processes | WallKind::Threads => {
            limit(target, wall, Draft::found(CODE, "system", Severity::Warning)).count("allowed", target.allowed())
        }
    };
    draft.count("sessions", wall.sessions).see(saw_count(target.path("first_wall/sessions"), wall.sessions))
}

fn memory_wall<'r>(target: &TargetAt<'r>) -> Option<&'r Wall> {
    target.result.walls.iter().find(|wall| matches!(wall.kind, WallKind::Memory | WallKind::CgroupMemory))
}

fn memory(target: &TargetAt<'_>, variant: &str) -> Draft {
    let wall = target.result.first_wall;
    let bound = if wall.is_some_and(|wall| wall.upper_bound) { "upper-bound" } else { "estimate" };
    let beyond = wall.is_some_and(|wall| wall.extrapolated).then(|| target.held());
    let whole = target.whole().and_then(|(interval, _)| interval.value);
    Draft::found(CODE, variant, Severity::Warning)
        .text("bound", bound)
        .bytes("bytes", whole)
        .bytes("memory", target.memory().map(|(bytes, _)| bytes))
        .count("allowed", target.allowed())
        .count("measured", beyond)
}

/// The limit that makes a wall, by its own name.
fn limit(target: &TargetAt<'_>, wall: Wall, draft: Draft) -> Draft {
    let of_kind = target.result.limits.iter().filter(|limit| limit.kind == wall.kind);
    let left = |limit: &&LimitRead| limit.limit.saturating_sub(limit.taken);
    let Some(limit) = of_kind.min_by_key(left) else { return draft };
    draft.text("name", limit.name.clone()).count("limit", limit.limit).count("taken", limit.taken)
}
