//! What clients did, and what is counted of it.

use std::process::Child;
use std::time::Duration;

use peaje_model::Secret;
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::ThrowawayAuth;

use super::support::{read, rows, since, start, until, until_open, watch_as_admin};
use crate::common::{Postgres, leave, on_each_version, run, stay, tell};

async fn each_login_and_logout_is_counted_once(pg: &Postgres) {
    let server = start(pg);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let client = server.connection_string(ThrowawayAuth::Scram, SslMode::Disable);
    let mut watcher = watch_as_admin(&server).await;
    let start = until_open(&mut watcher, 0).await;
    // Those who log in for each query.
    for _ in 0..12 {
        run(&client, "script", "select 1").expect("psql logs in");
    }
    let scripts = until_open(&mut watcher, 0).await;
    assert_eq!(since(&start, &scripts), (12, 12, 0));
    // A pool that stays, whatever it does.
    let mut pool: Vec<Child> = ["pool", "pool", "pool", "pool", "victim"].map(|name| stay(&client, name)).into();
    until_open(&mut watcher, 5).await;
    for session in &mut pool {
        tell(session, "select 1; select 2; begin; commit;");
    }
    let pooled = until(&mut watcher, |r| rows(r).iter().all(|row| row.used == Some(true))).await;
    assert_eq!(since(&scripts, &pooled), (5, 0, 0));
    // Wrong passwords are no logins.
    let wrong = Secret::new(client.expose().replace("password='", "password='x"));
    for _ in 0..3 {
        run(&wrong, "script", "select 1").expect_err("a wrong password");
    }
    assert_eq!(since(&pooled, &until_open(&mut watcher, 5).await), (0, 0, 0));
    // Killed by the administrator, which is one login and logout more; killed on the client's side.
    let kill = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim'";
    run(&admin, "psql", kill).expect("the superuser may");
    pool[0].kill().expect("it runs");
    until_open(&mut watcher, 3).await;
    // The counters are read a moment before the sessions: who left in between is in the next one's counters.
    assert_eq!(since(&pooled, &read(&mut watcher).await), (1, 3, 2));
    for session in pool {
        leave(session);
    }
    assert_eq!(since(&start, &until_open(&mut watcher, 0).await), (18, 18, 2));
    watcher.close().await;
}

async fn under_a_storm_nothing_falls_and_at_its_end_all_is_exact(pg: &Postgres) {
    const CLIENTS: u64 = 6;
    const LOGINS: u64 = 40;
    let server = start(pg);
    let mut watcher = watch_as_admin(&server).await;
    let first = until_open(&mut watcher, 0).await;
    let url = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let mut storm = tokio::task::JoinSet::new();
    for _ in 0..CLIENTS {
        let url = url.expose().to_owned();
        storm.spawn(async move {
            for n in 0..LOGINS {
                let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("a login");
                let task = tokio::spawn(connection);
                if n % 3 == 0 {
                    client.simple_query("select 1").await.expect("an answer");
                }
                drop(client);
                task.await.expect("no panic").expect("a goodbye");
            }
        });
    }
    let mut last = first.clone();
    loop {
        match storm.try_join_next() {
            Some(done) => done.expect("each client logs in each time"),
            None if storm.is_empty() => break,
            None => {}
        }
        let now = read(&mut watcher).await;
        let (logins, logouts, _) = since(&first, &now);
        since(&last, &now);
        assert_eq!(logins - logouts, now.counters.sessions.expect("seen"));
        assert!(logins <= CLIENTS * LOGINS);
        last = now;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let end = until_open(&mut watcher, 0).await;
    assert_eq!(since(&first, &end), (CLIENTS * LOGINS, CLIENTS * LOGINS, 0));
}

async fn an_idle_server_shows_nothing_of_the_watcher(pg: &Postgres) {
    let server = start(pg);
    let admin = server.connection_string(ThrowawayAuth::Admin, SslMode::Disable);
    let mut watcher = watch_as_admin(&server).await;
    let first = until_open(&mut watcher, 0).await;
    assert_eq!(rows(&first), []);
    let counted = run(&admin, "psql", "select sum(sessions) - 2 from pg_stat_database").expect("readable");
    let after = until_open(&mut watcher, 0).await;
    // Its own login and that of the question are counted by the server, and only the latter by the watcher.
    assert_eq!(counted, (after.counters.logins_total.expect("counted") - 1).to_string());
    let settled = read(&mut watcher).await;
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        let now = read(&mut watcher).await;
        assert_eq!(since(&settled, &now), (0, 0, 0));
        assert_eq!((now.counters.sessions, now.counters.active), (Some(0), Some(0)));
        // The server writes a session's transactions down once a second: its own may come a reading late.
        let requests = [&now, &settled].map(|reading| reading.counters.requests_total.expect("counted"));
        assert!(requests[0] - requests[1] <= 2, "{requests:?}");
        assert!(now.server_clock_us > settled.server_clock_us);
    }
    watcher.close().await;
    let sql = "select sessions_abandoned from pg_stat_database where datname = current_database()";
    assert_eq!(run(&admin, "psql", sql).as_deref(), Ok("0"));
}

async fn requests_are_the_clients_own(pg: &Postgres) {
    let server = start(pg);
    let client = server.connection_string(ThrowawayAuth::Trust, SslMode::Disable);
    let mut watcher = watch_as_admin(&server).await;
    until_open(&mut watcher, 0).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let before = read(&mut watcher).await.counters.requests_total.expect("counted");
    run(&client, "script", &"select 1;\n".repeat(200)).expect("psql logs in");
    until_open(&mut watcher, 0).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let after = read(&mut watcher).await.counters.requests_total.expect("counted");
    // One more for its login; and what the watcher itself did may be counted a reading late.
    assert!((200..=203).contains(&(after - before)), "{before} {after}");
}

on_each_version! {
    ; async each_login_and_logout_is_counted_once, under_a_storm_nothing_falls_and_at_its_end_all_is_exact, an_idle_server_shows_nothing_of_the_watcher, requests_are_the_clients_own
}
