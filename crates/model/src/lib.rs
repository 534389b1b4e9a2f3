//! The vocabulary of peaje and its product, the run file (`peaje.run/1`).
//!
//! Everything a command measures ends up in a [`Run`]; every report, finding and exit code is a view of it. Nothing
//! here reads a clock, a file or the network. Times in the run file are microseconds (`*_us`) or seconds (`*_s`) as
//! floating point numbers; a figure with too few samples behind it is `None` (`null`), never a guess.

mod check;
mod environment;
mod facts;
mod finding;
mod login;
mod outcome;
mod phase;
mod redact;
mod run;
mod secret;
mod sessions;
mod settings;
mod summary;
mod target;
mod watch;

pub use check::{
    ApplicationSessions, AuthenticationInUse, CertificateSeen, CheckResult, CheckSettings, HostLimits, HostUnknown,
    LifeBasis, LongView, NoComparison, ServerCounters, ServerSeen, SessionRoom, SinceEarlier,
};
pub use environment::{Environment, TlsLibrary};
pub use facts::Facts;
pub use finding::{Evidence, Finding, Param, Severity, Verdict};
pub use login::{
    AuthSeen, Bound, BoundReason, BoundReasonCode, BoundVerdict, Counts, FirstLogin, LoginResult, Mode,
    NetworkCounters, Peak, Series, SeriesSettings, ServerAccount, Timeline, TlsMode, TlsScope, TlsSeen,
};
pub use outcome::{OutcomeCount, OutcomeKind};
pub use phase::{PerPhase, Phase};
pub use redact::{Redactor, redact};
pub use run::{Ended, Experiment, Fact, FactValue, Gap, Run, SCHEMA, Segment, WhatAnswered, json_schema};
pub use secret::Secret;
pub use sessions::{
    Architecture, BytesPerSession, CgroupMemory, Closing, DroppedSessions, Fit, Hold, HostAccount, HostMemory,
    IdleAndWorked, Knee, KneeCause, LimitRead, LoginGrowth, MemorySample, MemorySource, ProcessMemory, SessionStep,
    SessionsResult, SessionsSettings, StepChurn, StepProbe, Wall, WallKind,
};
pub use settings::{Arrival, CloseMode, LoginSettings, PoolSettings, ResolveMode, ScramCache, Settings, WarmUp};
pub use summary::{Interval, LatencySummary, PhaseSummary, PoolSummary, phase_summary};
pub use target::{AddressProbe, Dialling, Target, TargetKind};
pub use watch::{
    ExcludedSessions, FailedLogins, Grade, GroupCost, GroupKind, GroupStatistics, Pattern, WatchGap, WatchGroup,
    WatchResult, WatchSettings,
};
