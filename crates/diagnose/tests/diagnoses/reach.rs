//! What keeps people out: dead addresses, a full server, an overflowing listen queue.

use peaje_model::{AddressProbe, FactValue, OutcomeKind, Run, TlsMode};

use crate::Expect::{CannotSay, Critical, Healthy, Info, Warning};
use crate::build::{fact, first_login, nothing, probe, run, unpooled, with, with_login};
use crate::{Case, case};

pub(crate) fn cases() -> Vec<Case> {
    [dead_address(), server_full(), listen_queue()].into_iter().flatten().collect()
}

fn dead_address() -> Vec<Case> {
    const CODE: &str = "dead-address";
    const ONE: &str = "10.0.0.1:5432";
    const TWO: &str = "10.0.0.2:5432";
    let probed = |probes: Vec<AddressProbe>| with(run([]), |run| run.target.addresses = probes);
    let first = |outcome, us| probed(vec![probe(ONE, outcome, us), probe(TWO, OutcomeKind::Ok, 300.0)]);
    let later = |outcome, us| probed(vec![probe(ONE, OutcomeKind::Ok, 300.0), probe(TWO, outcome, us)]);
    let listed = |run: Run| with(run, |run| run.target.hosts = vec!["10.0.0.1".to_owned(), "10.0.0.2".to_owned()]);
    vec![
        // the probe was cut at 3 s; a client waits for all of its 15 s
        case(CODE, Critical, "first-timed-out", first(OutcomeKind::TimedOut, 3e6))
            .text("address", ONE)
            .text("answered", TWO)
            .count("position", 1)
            .count("addresses", 2)
            .count("hosts", 1)
            .us("took_us", 3e6)
            .us("login_timeout_us", 15e6)
            .us("lost_us", 15e6)
            .share("timeout_share", 1.0)
            .us("answered_us", 300.0),
        case(CODE, Info, "first-refused", first(OutcomeKind::Refused, 200.0)).us("lost_us", 200.0),
        case(CODE, Warning, "first-unreachable", first(OutcomeKind::Unreachable, 3e6)).share("timeout_share", 0.2),
        case(CODE, Critical, "first-unreachable", first(OutcomeKind::Unreachable, 7.5e6)).share("timeout_share", 0.5),
        // two hosts in the connection string: the dead one is not one of two of its own name
        case(CODE, Info, "first-refused", listed(first(OutcomeKind::Refused, 200.0))).count("hosts", 2),
        case(CODE, Info, "later-timed-out", later(OutcomeKind::TimedOut, 15e6)).count("position", 2),
        case(CODE, Info, "later-refused", later(OutcomeKind::Refused, 200.0)),
        case(CODE, Info, "later-unreachable", later(OutcomeKind::Unreachable, 200.0)),
        case(CODE, Info, "later-not-resolved", later(OutcomeKind::NotResolved, 200.0)),
        case(CODE, Info, "first-not-resolved", first(OutcomeKind::NotResolved, 200.0)),
        case(CODE, Healthy, "all-answered", run([])).count("addresses", 1),
        case(CODE, CannotSay, "not-probed", probed(vec![])),
        case(CODE, CannotSay, "none-answered", probed(vec![probe(ONE, OutcomeKind::TimedOut, 15e6)]))
            .count("addresses", 1),
    ]
}

fn limited(run: Run) -> Run {
    with(run, |run| {
        run.facts =
            vec![fact("port", 5432.0), fact("max_connections", 100.0), fact("superuser_reserved_connections", 3.0)];
    })
}

fn server_full() -> Vec<Case> {
    const CODE: &str = "server-full";
    let full = || unpooled(TlsMode::Off).logins(900).failed(OutcomeKind::ServerFull, Some("53300"), 100);
    let as_text = |mut run: Run| {
        run.facts[1].value = FactValue::Text("100".to_owned());
        run
    };
    vec![
        case(CODE, Warning, "during-load", limited(run([unpooled(TlsMode::Off), full()])))
            .count("refused", 100)
            .count("attempts", 1000)
            .share("share", 0.1)
            .text("code", "53300")
            .count("limit", 100)
            .count("reserved", 3)
            .count("concurrency", 50),
        case(CODE, Warning, "during-load", as_text(limited(run([full()])))).count("limit", 100),
        case(
            CODE,
            Critical,
            "first-login",
            with_login(limited(run([])), |login| {
                login.first_login = Some(first_login(OutcomeKind::ServerFull, 900.0));
            }),
        )
        .count("limit", 100),
        case(CODE, Healthy, "room", limited(run([unpooled(TlsMode::Off)]))).count("attempts", 5000).count("limit", 100),
        case(CODE, CannotSay, "not-measured", run([])),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}

fn listen_queue() -> Vec<Case> {
    const CODE: &str = "listen-queue-overflows";
    let series = |overflows: Option<u64>| {
        unpooled(TlsMode::Off).edit(|s| {
            s.network.listen_overflows = overflows;
            s.network.listen_drops = overflows;
        })
    };
    vec![
        case(CODE, Warning, "overflows", run([series(Some(0)), series(Some(17))]))
            .count("overflows", 17)
            .count("drops", 17)
            .count("logins", 5000)
            .count("concurrency", 50),
        case(CODE, Healthy, "none", run([series(Some(0)), series(None)])).count("logins", 5000),
        case(CODE, CannotSay, "unreadable", run([series(None)])),
        case(CODE, CannotSay, "not-local", with(run([series(Some(17))]), |run| run.target.local = false)),
        case(CODE, CannotSay, "not-measured", nothing()),
    ]
}
