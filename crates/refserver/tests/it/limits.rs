//! Places, delays, faults, broken clients, and the end.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use crate::common::{
    assert_identity, block_on, client_tls, code, config, connect, connect_tls, eventually, raw, raw_login, start,
    trusting, until_closed, until_ready, wait_for,
};
use peaje_engine::Resume;
use peaje_postgres::protocol::frontend;
use peaje_refserver::{Delays, DropAfter, Faults, KeyKind, Refusal, RefuseHow, ServerOptions, Step, TlsSetting};
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};

fn every(n: u64) -> NonZeroU64 {
    NonZeroU64::new(n).unwrap()
}

#[test]
fn the_server_is_full_beyond_its_places() {
    let server = start(ServerOptions { max_sessions: Some(2), ..ServerOptions::default() });
    block_on(async {
        let first = connect(&config(&server)).await.unwrap();
        let _second = connect(&config(&server)).await.unwrap();
        let error = connect(&config(&server)).await.map(drop).unwrap_err();
        assert_eq!(code(&error), "53300");
        assert_eq!(error.as_db_error().unwrap().message(), "sorry, too many clients already");
        assert_eq!(first.query_one("show max_connections", &[]).await.unwrap().get::<_, &str>(0), "2");
        drop(first);
        // The place is free as soon as the server has read the goodbye.
        eventually(&server, |c| c.sessions_now == 1).await;
        connect(&config(&server)).await.unwrap();
    });
    assert_eq!(server.counters().failed, 1);
}

#[test]
fn a_place_is_free_before_the_client_sees_the_end() {
    let server = start(ServerOptions { max_sessions: Some(1), ..ServerOptions::default() });
    let mut goodbye = Vec::new();
    frontend::terminate(&mut goodbye);
    for _ in 0..500 {
        let mut stream = raw(&server);
        raw_login(&mut stream, &[("user", "ana")]);
        stream.write_all(&goodbye).unwrap();
        until_closed(&mut stream);
    }
    assert_eq!(server.counters().logins, 500);
}

#[test]
fn a_delay_holds_back_only_its_own_login() {
    const DELAY: Duration = Duration::from_millis(100);
    let delays = Delays { authenticate: DELAY, ..Delays::default() };
    let server = start(ServerOptions { delays, ..ServerOptions::default() });
    block_on(async {
        let start = Instant::now();
        let logins: Vec<_> = (0..50)
            .map(|_| {
                let config = config(&server);
                tokio::spawn(async move {
                    let start = Instant::now();
                    connect(&config).await.unwrap();
                    start.elapsed()
                })
            })
            .collect();
        for login in logins {
            assert!(login.await.unwrap() >= DELAY);
        }
        assert!(start.elapsed() < 20 * DELAY, "50 logins at once took {:?}", start.elapsed());
    });
    assert_eq!(server.counters().logins, 50);
}

#[test]
fn every_step_can_be_delayed() {
    const DELAY: Duration = Duration::from_millis(40);
    let delays = Delays { negotiate: DELAY, tls: DELAY, authenticate: DELAY, session: DELAY, query: DELAY };
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    let server = start(ServerOptions { delays, tls, ..ServerOptions::default() });
    block_on(async {
        let start = Instant::now();
        let client = connect_tls(&config(&server), &client_tls(&server, Resume::Never)).await.unwrap();
        assert!(start.elapsed() >= 4 * DELAY, "{:?}", start.elapsed());
        let start = Instant::now();
        client.simple_query("select 1; select 2").await.unwrap();
        assert!(start.elapsed() >= DELAY, "{:?}", start.elapsed());
    });
}

#[test]
fn connections_can_be_dropped_after_each_step() {
    for step in [Step::Connect, Step::Negotiate, Step::Tls, Step::Authenticate, Step::Session, Step::Query] {
        let faults = Faults { drop: Some(DropAfter { step, every: every(2) }), ..Faults::default() };
        let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
        let server = start(ServerOptions { faults, tls, ..ServerOptions::default() });
        block_on(async {
            let tls = client_tls(&server, Resume::Never);
            for n in 1..=4 {
                let result = match connect_tls(&config(&server), &tls).await {
                    Ok(client) => {
                        let first = client.simple_query("select 1").await;
                        let second = client.simple_query("select 1").await;
                        assert!(step != Step::Query || first.is_ok());
                        first.and(second).map(drop)
                    }
                    Err(error) => Err(error),
                };
                assert_eq!(result.is_ok(), n % 2 == 1, "{step:?} {n} {result:?}");
            }
        });
        assert_identity(&wait_for(&server, |c| c.sessions_now == 0));
    }
}

#[test]
fn every_nth_login_can_be_refused() {
    for how in [RefuseHow::ServerFull, RefuseHow::Close] {
        let faults = Faults { refuse: Some(Refusal { every: every(3), how }), ..Faults::default() };
        let server = start(ServerOptions { faults, ..ServerOptions::default() });
        block_on(async {
            for n in 1..=6 {
                let result = connect(&config(&server)).await.map(drop);
                assert_eq!(result.is_ok(), n % 3 != 0, "{how:?} {n}");
                if let Err(error) = result {
                    assert_eq!(error.as_db_error().is_some(), how == RefuseHow::ServerFull);
                    assert!(how == RefuseHow::Close || code(&error) == "53300");
                }
            }
        });
        assert_eq!(server.counters().failed, 2);
    }
}

#[test]
fn every_nth_connection_can_be_reset() {
    let faults = Faults { reset_every: Some(every(2)), ..Faults::default() };
    let server = start(ServerOptions { faults, ..ServerOptions::default() });
    raw_login(&mut raw(&server), &[("user", "ana")]);
    let mut stream = raw(&server);
    let mut startup = Vec::new();
    frontend::startup(&mut startup, &[("user", "ana")]);
    stream.write_all(&startup).unwrap();
    assert_eq!(stream.read(&mut [0; 16]).unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn garbage_ends_its_own_connection_only() {
    let server = trusting();
    let mut kept = raw(&server);
    raw_login(&mut kept, &[("user", "ana")]);
    let mut random = StdRng::seed_from_u64(1);
    for n in 0..300 {
        let mut stream = raw(&server);
        if n % 2 == 0 {
            raw_login(&mut stream, &[("user", "eve")]);
        }
        let mut garbage = vec![0; random.random_range(1..600)];
        random.fill_bytes(&mut garbage);
        if n % 3 == 0 {
            // A well-formed frame around it, so that the bodies are read too.
            garbage[0] = *b"QPBDECHSXpFdcf".get(n % 14).unwrap();
            let length = garbage.len() as u32 - 1;
            if let Some(word) = garbage.get_mut(1..5) {
                word.copy_from_slice(&length.to_be_bytes());
            }
        }
        // The server may have closed already.
        let _ = stream.write_all(&garbage);
        let _ = stream.shutdown(Shutdown::Write);
        until_closed(&mut stream);
    }
    let mut query = Vec::new();
    frontend::query(&mut query, "select 1");
    kept.write_all(&query).unwrap();
    until_ready(&mut kept);
    let counters = wait_for(&server, |c| c.sessions_now == 1 && c.logging_in == 0);
    assert_eq!(counters.logins, 151);
    assert_identity(&counters);
}

#[test]
fn other_protocols_and_impossible_lengths_are_closed() {
    let server = trusting();
    for bytes in
        [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[0, 0, 0, 4], &[0xff; 64], &[0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5]]
    {
        let mut stream = raw(&server);
        stream.write_all(bytes).unwrap();
        assert_eq!(until_closed(&mut stream), b"", "{}", bytes.escape_ascii());
    }
    let mut stream = raw(&server);
    raw_login(&mut stream, &[("user", "ana")]);
    stream.write_all(b"Q\x7f\xff\xff\xff").unwrap();
    let told = until_closed(&mut stream);
    assert!(told.windows(5).any(|w| w == b"08P01"), "{}", told.escape_ascii());
    let counters = wait_for(&server, |c| c.logging_in == 0);
    assert_eq!((counters.failed, counters.logins), (4, 1));
}

#[test]
fn slow_and_half_open_clients_hold_up_nobody() {
    let server = trusting();
    let _silent: Vec<TcpStream> = (0..50).map(|_| raw(&server)).collect();
    let mut slow = raw(&server);
    let mut startup = Vec::new();
    frontend::startup(&mut startup, &[("user", "ana")]);
    let (last, first) = startup.split_last().unwrap();
    for byte in first {
        slow.write_all(&[*byte]).unwrap();
        raw_login(&mut raw(&server), &[("user", "eve")]);
    }
    slow.write_all(&[*last]).unwrap();
    until_ready(&mut slow);
    assert_eq!(wait_for(&server, |c| c.logging_in == 50).logins, first.len() as u64 + 1);
}

#[test]
fn a_client_that_reads_nothing_costs_bounded_memory() {
    let server = trusting();
    let mut stream = raw(&server);
    raw_login(&mut stream, &[("user", "ana")]);
    let mut many = Vec::new();
    for _ in 0..1000 {
        frontend::query(&mut many, "show all");
    }
    stream.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let mut sent = 0usize;
    // Some 2 kB of answer for 14 bytes of question: the server stops to read when its answers are not taken.
    while sent < 64 << 20 {
        match stream.write(&many) {
            Ok(n) => sent += n,
            Err(_) => break,
        }
    }
    assert!(sent < 64 << 20, "the server went on reading");
    raw_login(&mut raw(&server), &[("user", "eve")]);
}

#[test]
fn dropping_the_server_closes_everything_and_frees_the_port() {
    for threads in [1, 3] {
        let server = start(ServerOptions { threads, ..ServerOptions::default() });
        let address = server.address();
        let mut streams: Vec<TcpStream> = (0..20).map(|_| raw(&server)).collect();
        for stream in &mut streams[..10] {
            raw_login(stream, &[("user", "ana")]);
        }
        assert_eq!(server.counters().sessions_now, 10);
        drop(server);
        for mut stream in streams {
            assert_eq!(until_closed(&mut stream), b"");
        }
        TcpListener::bind(address).unwrap();
    }
}

#[test]
fn cpu_time_grows_with_the_work_and_is_the_servers_alone() {
    let server = start(ServerOptions { threads: 2, ..ServerOptions::default() });
    let before = server.cpu();
    for _ in 0..300 {
        raw_login(&mut raw(&server), &[("user", "ana")]);
    }
    let after = server.cpu();
    assert!(after > before);
    // Only this process's clients work now.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(300) {}
    let idle = server.cpu().saturating_sub(after);
    assert!(idle < Duration::from_millis(150), "{idle:?}");
}

#[test]
fn requests_to_cancel_are_closed_without_a_word() {
    let server = trusting();
    let mut stream = raw(&server);
    let mut request = Vec::new();
    frontend::cancel_request(&mut request, 1, b"1234");
    stream.write_all(&request).unwrap();
    assert_eq!(until_closed(&mut stream), b"");
    let counters = wait_for(&server, |c| c.logging_in == 0);
    assert_eq!((counters.cancels, counters.failed), (1, 0));
}

#[test]
fn newer_protocols_are_negotiated_down() {
    use peaje_postgres::protocol::backend::{BackendMessage, decode_backend};

    let server = trusting();
    for (minor, answer, key) in [(0, None, 4), (2, None, 32), (9999, Some(2), 32)] {
        let mut stream = raw(&server);
        let mut out = Vec::new();
        frontend::gss_encryption_request(&mut out);
        stream.write_all(&out).unwrap();
        let mut no = [0];
        stream.read_exact(&mut no).unwrap();
        assert_eq!(&no, b"N");
        out.clear();
        frontend::startup_version(&mut out, 3, minor, &[("user", "ana")]);
        stream.write_all(&out).unwrap();
        let bytes = until_ready(&mut stream);
        let (mut negotiated, mut key_length, mut rest) = (None, 0, bytes.as_slice());
        while let Some((message, used)) = decode_backend(rest).unwrap() {
            match message {
                BackendMessage::NegotiateProtocolVersion { minor, .. } => negotiated = Some(minor),
                BackendMessage::BackendKeyData { secret_key, .. } => key_length = secret_key.len(),
                _ => {}
            }
            rest = &rest[used..];
        }
        assert_eq!((negotiated, key_length), (answer, key), "3.{minor}");
    }
}
