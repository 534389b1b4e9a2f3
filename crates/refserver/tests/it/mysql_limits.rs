//! MySQL's protocol: places, delays, faults, broken clients, and the end.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use crate::mysql_support::{
    assert_identity, bare_login, block_on, caching_sha2, code, config, config_tls, connect, options, packet, raw,
    raw_login, root_file, send, start, until_closed, wait_for, with_auth,
};
use mysql_async::prelude::Queryable;
use peaje_refserver::{Delays, DropAfter, Faults, KeyKind, Refusal, RefuseHow, ServerOptions, Step, TlsSetting};
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};

const QUIT: &[u8] = &[1];

fn every(n: u64) -> NonZeroU64 {
    NonZeroU64::new(n).unwrap()
}

#[test]
fn a_place_is_free_before_the_client_sees_the_end() {
    let server = start(ServerOptions { max_sessions: Some(1), ..options() });
    for _ in 0..500 {
        let mut stream = raw(&server);
        raw_login(&mut stream, "ana");
        send(&mut stream, 0, QUIT);
        until_closed(&mut stream);
    }
    assert_eq!(server.counters().logins, 500);
}

#[test]
fn scrambles_are_new_for_each_login() {
    let server = start(options());
    let mut seen: Vec<Vec<u8>> = (0..50).map(|_| packet(&mut raw(&server)).1).collect();
    // The number of the connection aside.
    let text = b"8.0.99-peaje-reference-server\0".len() + 1;
    for greeting in &mut seen {
        greeting.drain(..text + 4);
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 50);
}

#[test]
fn every_step_can_be_delayed() {
    const DELAY: Duration = Duration::from_millis(40);
    let delays = Delays { negotiate: DELAY, tls: DELAY, authenticate: DELAY, session: DELAY, query: DELAY };
    let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
    let server = start(ServerOptions { delays, tls, ..options() });
    let root = root_file(&server);
    block_on(async {
        let start = Instant::now();
        // The driver's own first question is asked within its login: it waits for the session's delay too.
        let mut conn = connect(config_tls(&server, &root)).await.unwrap();
        assert!(start.elapsed() >= 5 * DELAY, "{:?}", start.elapsed());
        let start = Instant::now();
        conn.query_drop("select 1").await.unwrap();
        assert!(start.elapsed() >= DELAY, "{:?}", start.elapsed());
    });
}

#[test]
fn the_greeting_comes_late_where_the_negotiation_is_delayed_and_the_ok_before_the_sessions_delay() {
    const DELAY: Duration = Duration::from_millis(100);
    let delays = Delays { negotiate: DELAY, session: DELAY, ..Delays::default() };
    let server = start(ServerOptions { delays, ..options() });
    let mut stream = raw(&server);
    let begun = Instant::now();
    packet(&mut stream);
    assert!(begun.elapsed() >= DELAY);
    send(&mut stream, 1, &bare_login("ana"));
    let begun = Instant::now();
    assert_eq!(packet(&mut stream).1[0], 0);
    assert!(begun.elapsed() < DELAY, "the OK does not wait for what runs after it");
    send(&mut stream, 0, b"\x0e");
    assert_eq!(packet(&mut stream).1[0], 0);
    assert!(begun.elapsed() >= DELAY);
}

#[test]
fn connections_can_be_dropped_after_each_step() {
    for step in [Step::Connect, Step::Negotiate, Step::Tls, Step::Authenticate, Step::Session, Step::Query] {
        let faults = Faults { drop: Some(DropAfter { step, every: every(2) }), ..Faults::default() };
        let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
        let server = start(ServerOptions { faults, tls, ..options() });
        let root = root_file(&server);
        block_on(async {
            for n in 1..=4 {
                let result = match connect(config_tls(&server, &root)).await {
                    Ok(mut conn) => conn.query_drop("select 1").await,
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
        let server = start(ServerOptions { faults, ..options() });
        block_on(async {
            for n in 1..=6 {
                let result = connect(config(&server)).await.map(drop);
                assert_eq!(result.is_ok(), n % 3 != 0, "{how:?} {n}");
                if let Err(error) = result {
                    assert_eq!(code(&error).0 == 1040, how == RefuseHow::ServerFull, "{error}");
                }
            }
        });
        assert_eq!(server.counters().failed, 2);
    }
}

#[test]
fn every_nth_connection_can_be_reset() {
    let faults = Faults { reset_every: Some(every(1)), ..Faults::default() };
    let server = start(ServerOptions { faults, ..options() });
    let mut stream = raw(&server);
    packet(&mut stream);
    send(&mut stream, 1, &bare_login("ana"));
    let error = stream.read(&mut [0; 10]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(server.counters().failed, 1);
}

/// What an error packet says, without the header of the packet.
fn told(stream: &mut TcpStream) -> (u16, String) {
    let (_, body) = packet(stream);
    assert_eq!(body[0], 0xff, "{}", body.escape_ascii());
    (u16::from_le_bytes([body[1], body[2]]), String::from_utf8_lossy(&body[3..]).into_owned())
}

#[test]
fn broken_clients_are_told_and_closed() {
    let server = with_auth(caching_sha2());
    let login = bare_login("ana");
    let table: &[(&str, u8, &[u8], u16)] = &[
        ("an empty answer", 1, b"", 1043),
        ("a client of before 4.1", 1, &[0; 40], 1043),
        ("packets out of order", 7, &login, 1156),
        ("a client without plugins", 1, &login, 1251),
    ];
    for (what, number, body, expected) in table {
        let mut stream = raw(&server);
        packet(&mut stream);
        send(&mut stream, *number, body);
        assert_eq!(told(&mut stream).0, *expected, "{what}");
        assert_eq!(until_closed(&mut stream), b"", "{what}");
    }
    let mut stream = raw(&server);
    packet(&mut stream);
    // 16 MB are announced: the announcement is enough.
    stream.write_all(&[0xff, 0xff, 0xff, 1]).unwrap();
    assert_eq!(told(&mut stream).0, 1153);
    assert_eq!(until_closed(&mut stream), b"");
    let counters = wait_for(&server, |c| c.logging_in == 0);
    assert_eq!((counters.failed, counters.sessions_now), (5, 0));
}

#[test]
fn broken_sessions_are_told_and_closed() {
    let server = start(options());
    for (number, body, expected) in [(3, &b"\x0e"[..], 1156), (0, &b""[..], 1047)] {
        let mut stream = raw(&server);
        raw_login(&mut stream, "ana");
        send(&mut stream, number, body);
        assert_eq!(told(&mut stream).0, expected);
        assert_eq!(until_closed(&mut stream), b"");
    }
    let mut stream = raw(&server);
    raw_login(&mut stream, "ana");
    stream.write_all(&[0xff, 0xff, 0xff, 0]).unwrap();
    assert_eq!(told(&mut stream).0, 1153);
    assert_eq!(until_closed(&mut stream), b"");
    assert_eq!(wait_for(&server, |c| c.sessions_now == 0).sessions_ended, 3);
}

#[test]
fn unknown_commands_are_errors_and_the_session_goes_on() {
    let server = start(options());
    let mut stream = raw(&server);
    raw_login(&mut stream, "ana");
    for command in [0x05, 0x0c, 0x12, 0x1c, 0x1d, 0x7f, 0xff] {
        send(&mut stream, 0, &[command, 1, 2, 3]);
        assert_eq!(told(&mut stream).0, 1047, "{command:#x}");
    }
    for (execute, expected) in [(&b"\x17\x09\0\0\0\0\x01\0\0\0"[..], 1243), (b"\x17\x09", 1835), (b"\x1a", 1243)] {
        send(&mut stream, 0, execute);
        assert_eq!(told(&mut stream).0, expected);
    }
    send(&mut stream, 0, b"\x09");
    let statistics = packet(&mut stream).1;
    assert!(statistics.starts_with(b"Uptime: "), "{}", statistics.escape_ascii());
    send(&mut stream, 0, b"\x04t\0");
    assert_eq!(packet(&mut stream).1[0], 0xfe);
    send(&mut stream, 0, b"\x0e");
    assert_eq!(packet(&mut stream), (1, vec![0, 0, 0, 2, 0, 0, 0]));
}

#[test]
fn noise_neither_stops_nor_fills_the_server() {
    let server =
        start(ServerOptions { auth: caching_sha2(), tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..options() });
    let mut random = StdRng::seed_from_u64(20_261_130);
    for _ in 0..300 {
        let mut stream = raw(&server);
        let mut noise = vec![0; random.random_range(8..300)];
        random.fill_bytes(&mut noise);
        if random.random_bool(0.7) {
            // A right header and the flag of the protocol, so that the noise comes further.
            let length = (noise.len() - 4) as u16;
            noise[..4].copy_from_slice(&[length as u8, (length >> 8) as u8, 0, 1]);
            noise[5] |= 0x02;
        }
        let _ = stream.write_all(&noise);
        let _ = stream.shutdown(Shutdown::Write);
        until_closed(&mut stream);
    }
    let counters = wait_for(&server, |c| c.logging_in == 0 && c.sessions_now == 0);
    assert_identity(&counters);
    assert_eq!(counters.logins, 0);
    block_on(async { connect(config(&server)).await.unwrap().query_drop("select 1").await.unwrap() });
}

#[test]
fn a_client_that_takes_no_answers_is_not_read_any_more() {
    let server = start(options());
    let mut stream = raw(&server);
    raw_login(&mut stream, "eve");
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut query = Vec::new();
    let sql = b"\x03show variables";
    query.extend_from_slice(&[sql.len() as u8, 0, 0, 0]);
    query.extend_from_slice(sql);
    let many = query.repeat(1000);
    let mut sent = 0;
    // Answers are longer than questions: the server stops to read when its answers are not taken.
    while sent < 64 << 20 {
        match stream.write(&many) {
            Ok(n) => sent += n,
            Err(_) => break,
        }
    }
    assert!(sent < 64 << 20, "the server went on reading");
    raw_login(&mut raw(&server), "ana");
}

#[test]
fn sleeping_holds_back_only_the_sleeper() {
    let server = start(options());
    block_on(async {
        let (mut a, mut b) = (connect(config(&server)).await.unwrap(), connect(config(&server)).await.unwrap());
        let start = Instant::now();
        let sleeper = tokio::spawn(async move { a.query_drop("select sleep(0.5)").await.map(|()| start.elapsed()) });
        b.query_drop("select 1").await.unwrap();
        assert!(start.elapsed() < Duration::from_millis(450), "{:?}", start.elapsed());
        assert!(sleeper.await.unwrap().unwrap() >= Duration::from_millis(500));
    });
}

#[test]
fn threads_share_the_work_and_dropping_the_server_closes_everything() {
    let server = start(ServerOptions { threads: 3, ..options() });
    let mut streams: Vec<TcpStream> = (0..20).map(|_| raw(&server)).collect();
    for stream in &mut streams[..10] {
        raw_login(stream, "ana");
    }
    for stream in &mut streams[10..] {
        packet(stream);
    }
    assert_eq!(server.counters().logins, 10);
    drop(server);
    for mut stream in streams {
        assert_eq!(until_closed(&mut stream), b"");
    }
}
