//! Consoles of other versions than the installed one, played by a script.

use peaje_engine::SessionState;
use peaje_model::OutcomeKind;

use crate::counters::scripted::Script;

const POOLS: &str = "database|user|cl_active|cl_waiting|sv_active|maxwait|pool_mode";
const CONFIG: &str = "key|value|default|changeable";

/// A version whose totals count logins, and which numbers its clients.
#[tokio::test]
async fn logins_that_are_counted_are_taken_from_the_totals() {
    const TOTALS: &str = "database|client_login_count|xact_count|query_count";
    const CLIENTS: &str =
        "type|user|database|replication|state|addr|port|connect_time|request_time|ptr|link|tls|application_name|id";
    const OWN: &str =
        "C|stat|pgbouncer|none|active|::1|9|2026-11-30 20:00:00 UTC|2026-11-30 21:00:00 UTC|0x8|||peaje watch|7";
    const ANA: &str = "C|ana|shop|none|active|10.0.0.5|5000|2026-11-30 20:30:00 UTC|2026-11-30 20:45:00 UTC|0x10|0x99|TLSv1.3/x|web|41";
    const EVE: &str =
        "C|eve|shop|none|idle|10.0.0.6|5001|2026-11-30 20:31:00 UTC|2026-11-30 20:46:00 UTC|0x18|||batch|42";
    let script = Script::default();
    script.set("pgbouncer_version", "version", &["PgBouncer 1.26.0"]);
    script.set(
        "console_pools",
        POOLS,
        &["pgbouncer|pgbouncer|1|0|0|0|statement", "shop|ana|1|0|1|0|transaction", "shop|eve|1|2|0|3|transaction"],
    );
    script.set("console_config", CONFIG, &["listen_port|6432|6432|no"]);
    script.set("console_clients", CLIENTS, &[OWN, ANA, EVE]);
    script.set("console_totals", TOTALS, &["pgbouncer|9|9|9", "shop|100|5000|6000", "crm|40|700|700"]);
    let mut watcher = script.watch("pgbouncer").await;
    let first = watcher.read().await.expect("readable").counters;
    assert_eq!((first.logins_total, first.logouts_total), (Some(140), Some(138)));
    assert_eq!((first.sessions, first.active, first.waiting), (Some(2), Some(1), Some(2)));

    // One has left, three have come and gone; the other database was freed, and is back.
    script.set("console_clients", CLIENTS, &[OWN, ANA]);
    script.set("console_totals", TOTALS, &["pgbouncer|9|99|99", "shop|103|5003|6003", "crm|2|1|1"]);
    let reading = watcher.read().await.expect("readable");
    let second = reading.counters;
    assert_eq!((second.logins_total, second.logouts_total), (Some(145), Some(144)));
    assert_eq!(second.requests_total.zip(first.requests_total).map(|(a, b)| a - b), Some(4));
    assert_eq!(reading.gaps, []);
    let row = &reading.sessions.expect("seen")[0];
    assert_eq!((row.id, row.state, row.encrypted), (41, SessionState::Active, Some(true)));
}

/// Columns that came with later versions are unknown, not empty.
#[tokio::test]
async fn an_old_version_tells_less() {
    let script = Script::default();
    script.set("pgbouncer_version", "version", &["PgBouncer 1.7"]);
    script.set("console_pools", "database|user|cl_active|cl_waiting|sv_active|maxwait", &["shop|ana|1|0|1|0"]);
    script.set("console_config", CONFIG, &["listen_port|6432|6432|no"]);
    script.set("console_totals", "database|xact_count", &["shop|5"]);
    script.set(
        "console_clients",
        "type|user|database|state|addr|port|connect_time|request_time|ptr|link",
        &[
            "C|stat|pgbouncer|active|127.0.0.1|9|2026-11-30 20:00:00|2026-11-30 21:00:00|0x8|",
            "C|ana|shop|active|10.0.0.5|5000|2026-11-30 20:30:00|2026-11-30 20:45:00|0x10|",
        ],
    );
    let mut watcher = script.watch("pgbouncer").await;
    let reading = watcher.read().await.expect("readable");
    let row = &reading.sessions.as_deref().expect("seen")[0];
    assert_eq!((row.encrypted, row.process, row.application.as_str()), (None, None, ""));
    assert_eq!((reading.counters.logins_total, reading.counters.active), (Some(1), Some(0)));
    assert_eq!(row.opened_us - row.since_us.expect("told"), -900_000_000);
    // What it does not answer ends the watching, and says what it was.
    script.refuse("console_pools");
    let failure = watcher.read().await.expect_err("there is nothing to give");
    assert_eq!(failure.kind, OutcomeKind::Rejected, "{failure:?}");
    assert!(failure.message.starts_with("PgBouncer's pools: "), "{failure:?}");
}
