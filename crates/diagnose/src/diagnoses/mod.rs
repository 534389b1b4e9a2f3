//! The list of diagnoses: the one place to add. A diagnosis is `<name>.rs`, its page `<name>.md` and `<name>.es.md`, a
//! line here, and runs in `tests/` for found, healthy and cannot say.

use crate::Diagnosis;

mod counts_disagree;
mod dead_address;
mod distance_dominates;
mod full_authentication_each_time;
mod generator_bound;
mod late_greeting;
mod late_starts;
mod listen_queue_overflows;
mod login_hooks;
mod name_resolution_dominates;
mod pooling_pays;
mod redirected_login;
mod resumption_not_happening;
mod rsa_key_dominates;
mod scram_derivation_dominates;
mod serial_client;
mod server_full;
mod slow_logins;
mod tls_multiplies_login;

/// Every diagnosis. Findings of equal weight are reported in this order: what keeps people out, what a login costs,
/// what would make it cheaper, and what qualifies the measurement itself.
pub const DIAGNOSES: &[Diagnosis] = &[
    server_full::DIAGNOSIS,
    dead_address::DIAGNOSIS,
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
