//! The watching session against servers of many kinds, which answer from a table.

use peaje_engine::{Apart, SessionState, Snapshot, WatchOptions, Watcher};
use peaje_model::TlsMode;
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::counters::open_watcher_with;
use peaje_sqlserver::login::LoginOptions;

use super::server::{Answer, Server, Table, row, rows};
use super::{ALL_RIGHTS, version_2019, with};

async fn watch(server: &Server) -> Box<dyn Watcher> {
    let text = format!("Server=tcp:127.0.0.1,{};User ID=ann;Password=secret", server.port);
    let config = Config::parse(&text, &BareSurroundings).unwrap();
    let options = WatchOptions { program_name: "peaje watch".into(), sessions: Snapshot::Sessions };
    let login = LoginOptions { tls: TlsMode::Off, ..LoginOptions::default() };
    open_watcher_with(&config, &options, login).await.unwrap()
}

/// Counters; an empty text is null.
fn counters(started: &str, numbers: [&str; 5]) -> Answer {
    let [logins, logouts, resets, connections, batches] = numbers;
    row(&[
        ("server_name", "SQL01\\SALES"),
        ("started_at", started),
        ("up_ms", "3600000"),
        ("now_ms", "1800000000000"),
        ("offset_minutes", "120"),
        ("logins_total", logins),
        ("logouts_total", logouts),
        ("resets_total", resets),
        ("user_connections", connections),
        ("batches_total", batches),
    ])
}

fn session(id: &'static str, program: &'static str, status: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("session_id", id),
        ("login_name", "shop"),
        ("program_name", program),
        ("host_name", "WEB1"),
        ("host_process_id", "4711"),
        ("client_net_address", "10.0.0.7"),
        ("database_name", "sales"),
        ("status", status),
        ("open_transaction_count", "0"),
        ("encrypt_option", "FALSE"),
        ("auth_scheme", "KERBEROS"),
        ("connected_ms", "1800007100000"),
        ("request_started_ms", "1800007150000"),
        ("request_ended_ms", "1800007160000"),
    ]
}

fn watched(more: Table) -> Table {
    let (one, two, three) = (
        session("57", "orders", "running"),
        session("58", "SQLAgent - Job invocation engine", "running"),
        session("59", "Repl-LogReader-0-sales-3", "sleeping"),
    );
    let base = vec![
        ("watch_counters", vec![counters("2027-01-15", ["1000", "900", "5000", "100", "70000"])]),
        ("watch_sessions", vec![rows(&[&one, &two, &three])]),
    ];
    with(with(version_2019(), base), more)
}

#[tokio::test]
async fn a_reading_of_a_busy_server() {
    let server = Server::start(watched(vec![]));
    let mut watcher = watch(&server).await;
    let reading = watcher.read().await.unwrap();
    assert_eq!((reading.identity.name.as_str(), reading.server_clock_us), ("SQL01\\SALES", 1_800_000_000_000_000));
    assert_eq!(reading.identity.started_us, Some(1_799_996_400_000_000));
    let counted = reading.counters;
    assert_eq!((counted.logins_total, counted.logouts_total, counted.sessions), (Some(999), Some(900), Some(99)));
    // Five statements began the session: guard, server, rights, peer, and the counters themselves.
    assert_eq!((counted.resets_total, counted.requests_total), (Some(5000), Some(69_995)));
    assert_eq!((counted.active, counted.failed_total), (Some(1), None), "the agent's does not count");
    let sessions = reading.sessions.unwrap();
    let apart: Vec<_> = sessions.iter().map(|session| session.apart).collect();
    assert_eq!(apart, [None, Some(Apart::ServerAgent), Some(Apart::Replication)]);
    assert_eq!((sessions[0].opened_us, sessions[0].state), (1_799_999_900_000_000, SessionState::Active));
    assert_eq!(sessions[0].authentication.as_deref(), Some("KERBEROS"));
    watcher.close().await;
}

#[tokio::test]
async fn reuses_are_found_out_and_a_restart_is_another_start() {
    let readings = vec![
        counters("2027-01-15", ["1000", "900", "5000", "100", "0"]),
        // 100 resets and 10 logins: too few resets to decide, and no login may be made up.
        counters("2027-01-15", ["1110", "905", "5100", "105", "0"]),
        counters("2027-01-15", ["1340", "930", "5300", "110", "0"]),
        counters("2027-01-16", ["3", "1", "0", "2", "0"]),
    ];
    let server = Server::start(watched(vec![("watch_counters", readings)]));
    let mut watcher = watch(&server).await;
    let mut all = Vec::new();
    for _ in 0..4 {
        let reading = watcher.read().await.unwrap();
        all.push((reading.counters.logins_total.unwrap(), reading.identity.started_us));
    }
    assert_eq!(all.iter().map(|(logins, _)| *logins).collect::<Vec<_>>(), [999, 1009, 1039, 2]);
    assert_eq!((all[1].1, all[2].1), (all[0].1, all[0].1));
}

#[tokio::test]
async fn counters_that_failed_to_register_are_a_gap_and_never_nothing() {
    let none = counters("2027-01-15", ["", "", "", "", ""]);
    let server = Server::start(watched(vec![("watch_counters", vec![none])]));
    let mut watcher = watch(&server).await;
    let reading = watcher.read().await.unwrap();
    assert_eq!((reading.counters.logins_total, reading.counters.sessions), (None, None));
    assert!(reading.gaps[0].next_step.as_deref().unwrap().contains("3409"), "{:?}", reading.gaps);
    assert_eq!(reading.sessions.map(|all| all.len()), Some(3), "the rest is read all the same");
}

#[tokio::test]
async fn azure_sql_database_says_what_it_does_not_show() {
    let azure = [
        ("version", "Microsoft SQL Azure (RTM) - 12.0.2000.8"),
        ("product_version", "12.0.2000.8"),
        ("engine_edition", "5"),
    ];
    let more = vec![
        ("server", vec![row(&azure)]),
        ("rights", vec![row(&[("view_database_state", "1")])]),
        ("azure_limits", vec![row(&[("max_connections", "300"), ("in_use", "12")])]),
    ];
    let server = Server::start(watched(more));
    let mut watcher = watch(&server).await;
    let reading = watcher.read().await.unwrap();
    assert_eq!(
        reading.gaps.iter().map(|gap| gap.what.as_str()).collect::<Vec<_>>(),
        ["failed logins", "sessions of other databases"]
    );
    assert_eq!(watcher.limits().await.unwrap().limit, 300);
}

#[tokio::test]
async fn a_right_for_the_counters_alone_gives_the_counters_alone() {
    let narrow = [("view_server_state", "0"), ("view_server_performance_state", "1")];
    let server = [("version", "Microsoft SQL Server 2022"), ("product_version", "16.0.4135.4")];
    let more = vec![("server", vec![row(&server)]), ("rights", vec![row(&narrow)])];
    let server = Server::start(watched(more));
    let mut watcher = watch(&server).await;
    let reading = watcher.read().await.unwrap();
    assert_eq!((reading.counters.logins_total, reading.sessions), (Some(999), None));
    assert_eq!(reading.gaps[0].next_step.as_deref(), Some("grant view server security state to [ann]"));
    assert!(!server.asked().contains(&"watch_sessions"), "nothing is asked in vain");
}

#[tokio::test]
async fn what_another_session_locks_is_a_gap_and_the_next_reading_has_it() {
    let locked = Answer::Error(1222, "Lock request time out period exceeded.");
    let later = counters("2027-01-15", ["1000", "900", "0", "100", "0"]);
    let clock = row(&[("server_name", "SQL01\\SALES"), ("now_ms", "1800000000000")]);
    let more = vec![
        ("watch_counters", vec![later.clone(), locked.clone(), later]),
        ("watch_clock", vec![clock]),
        ("rights", vec![row(&ALL_RIGHTS)]),
    ];
    let server = Server::start(watched(more));
    let mut watcher = watch(&server).await;
    let first = watcher.read().await.unwrap();
    let second = watcher.read().await.unwrap();
    assert_eq!((second.counters.logins_total, &second.identity), (None, &first.identity), "the same server and start");
    assert!(second.gaps[0].why.ends_with("(1222)"), "{:?}", second.gaps);
    assert_eq!(watcher.read().await.unwrap().counters.logins_total, Some(999));
}
