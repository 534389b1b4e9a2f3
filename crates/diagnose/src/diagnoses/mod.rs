//! The list of diagnoses: the one place to add. A diagnosis is `<name>.rs`, its page `<name>.md` and `<name>.es.md`, a
//! line here, and runs in `tests/` for found, healthy and cannot say.

use crate::Diagnosis;

mod certificate_expires;
mod counts_disagree;
mod dead_address;
mod distance_dominates;
mod failed_login_storm;
mod first_wall;
mod full_authentication_each_time;
mod generator_bound;
mod idle_in_transaction;
mod idle_sessions_cost;
mod idle_timeout_churn;
mod late_greeting;
mod late_starts;
mod lifetime_wave;
mod listen_backlog_too_small;
mod listen_queue_overflows;
mod login_hooks;
mod login_timeout_too_short;
mod logins_slow_down;
mod many_failed_logins;
mod memory_per_session;
mod name_resolution_dominates;
mod never_used_sessions;
mod no_pooling;
mod pool_below_min;
mod pool_max_too_small;
mod pool_min_too_big;
mod pool_per_user;
mod pooler_saves;
mod pooling_pays;
mod process_or_thread;
mod redirected_login;
mod restart_or_failover;
mod resumption_not_happening;
mod room_for_sessions;
mod rsa_key_dominates;
mod scram_derivation_dominates;
mod serial_client;
mod server_full;
mod session_leak;
mod sessions_dropped;
mod sessions_knee;
mod sessions_live_short;
mod short_scripts;
mod slow_logins;
mod slow_logins_recorded;
mod thread_cache_too_small;
mod tls_multiplies_login;
mod unencrypted_applications;

/// Every diagnosis. Findings of equal weight are reported in this order: what keeps people out, what a login costs,
/// what would make it cheaper, and what qualifies the measurement itself.
pub const DIAGNOSES: &[Diagnosis] = &[
    sessions_knee::DIAGNOSIS,
    first_wall::DIAGNOSIS,
    sessions_dropped::DIAGNOSIS,
    memory_per_session::DIAGNOSIS,
    process_or_thread::DIAGNOSIS,
    idle_sessions_cost::DIAGNOSIS,
    pooler_saves::DIAGNOSIS,
    logins_slow_down::DIAGNOSIS,
    server_full::DIAGNOSIS,
    dead_address::DIAGNOSIS,
    room_for_sessions::DIAGNOSIS,
    certificate_expires::DIAGNOSIS,
    sessions_live_short::DIAGNOSIS,
    idle_in_transaction::DIAGNOSIS,
    unencrypted_applications::DIAGNOSIS,
    many_failed_logins::DIAGNOSIS,
    login_timeout_too_short::DIAGNOSIS,
    slow_logins_recorded::DIAGNOSIS,
    never_used_sessions::DIAGNOSIS,
    listen_backlog_too_small::DIAGNOSIS,
    thread_cache_too_small::DIAGNOSIS,
    failed_login_storm::DIAGNOSIS,
    session_leak::DIAGNOSIS,
    no_pooling::DIAGNOSIS,
    short_scripts::DIAGNOSIS,
    pool_below_min::DIAGNOSIS,
    idle_timeout_churn::DIAGNOSIS,
    lifetime_wave::DIAGNOSIS,
    pool_max_too_small::DIAGNOSIS,
    pool_min_too_big::DIAGNOSIS,
    pool_per_user::DIAGNOSIS,
    restart_or_failover::DIAGNOSIS,
    slow_logins::DIAGNOSIS,
    late_greeting::DIAGNOSIS,
    login_hooks::DIAGNOSIS,
    name_resolution_dominates::DIAGNOSIS,
    distance_dominates::DIAGNOSIS,
    redirected_login::DIAGNOSIS,
    tls_multiplies_login::DIAGNOSIS,
    rsa_key_dominates::DIAGNOSIS,
    scram_derivation_dominates::DIAGNOSIS,
    full_authentication_each_time::DIAGNOSIS,
    pooling_pays::DIAGNOSIS,
    serial_client::DIAGNOSIS,
    resumption_not_happening::DIAGNOSIS,
    listen_queue_overflows::DIAGNOSIS,
    generator_bound::DIAGNOSIS,
    late_starts::DIAGNOSIS,
    counts_disagree::DIAGNOSIS,
];
