//! peaje's own logins to this server: every kind of encryption, its phases and round trips, and what can go wrong.
#![allow(clippy::unwrap_used, missing_docs)]

use std::num::NonZeroU64;
use std::time::Duration;

use peaje_engine::{Connector, Failure, Trace};
use peaje_model::{CloseMode, OutcomeKind, PerPhase, Phase, Secret, TlsMode};
use peaje_refserver::{
    Delays, DropAfter, Faults, KeyKind, RefServer, Resumption, ServerOptions, SqlServerOptions, Step, TlsSetting,
};
use peaje_sqlserver::config::{BareSurroundings, Config};
use peaje_sqlserver::login::{LoginOptions, SqlServerConnector};
use peaje_sqlserver::protocol::{TDS_7_4, TDS_8_0};

use crate::tds_common::{PASSWORD, USER, block_on, checking, start, wait_for, with_tls};

fn text(server: &RefServer, more: &str) -> String {
    format!("Server=tcp:localhost,{};{more}", server.address().port())
}

fn with_password(server: &RefServer, more: &str) -> String {
    text(server, &format!("User ID={USER};Password={PASSWORD};{more}"))
}

fn connector(text: &str, options: LoginOptions) -> SqlServerConnector {
    SqlServerConnector::new(&Config::parse(text, &BareSurroundings).unwrap(), options).unwrap()
}

fn asking(tls: TlsMode) -> LoginOptions {
    LoginOptions { tls, query: "select 1".into(), close: CloseMode::Polite, ..LoginOptions::default() }
}

/// A whole login with its query and its goodbye.
async fn whole(connector: &SqlServerConnector) -> Result<Trace, Failure> {
    let mut trace = Trace::start();
    let mut session = connector.log_in(0, &mut trace).await?;
    trace.enter(Phase::FirstQuery);
    connector.query(&mut session, &mut trace).await?;
    connector.close(session, &mut trace).await?;
    trace.stop();
    Ok(trace)
}

fn trips(trace: &Trace) -> Vec<(Phase, u32)> {
    let trips: &PerPhase<u32> = trace.round_trips();
    trips.iter().filter(|(_, n)| **n > 0).map(|(phase, n)| (phase, *n)).collect()
}

#[test]
fn every_encryption_has_its_round_trips() {
    use Phase::{Authenticate, Close, Connect, FirstQuery, Negotiate, Tls};
    let after = [(Authenticate, 1), (FirstQuery, 1), (Close, 1)];
    let trust = "TrustServerCertificate=yes";
    for (options, more, tls, before, encrypted) in [
        (checking(), String::new(), TlsMode::Off, vec![(Connect, 1), (Negotiate, 1)], false),
        (with_tls(), "Encrypt=optional".into(), TlsMode::AsUrl, vec![(Connect, 1), (Negotiate, 1), (Tls, 2)], false),
        (
            with_tls(),
            format!("Encrypt=yes;{trust}"),
            TlsMode::AsUrl,
            vec![(Connect, 1), (Negotiate, 1), (Tls, 2)],
            true,
        ),
        (
            with_tls(),
            format!("Encrypt=strict;{trust}"),
            TlsMode::AsUrl,
            vec![(Connect, 1), (Negotiate, 1), (Tls, 1)],
            true,
        ),
    ] {
        let server = start(options);
        let more = if more.contains("strict") { more.replace(trust, &certificate(&server)) } else { more };
        block_on(async {
            let connector = connector(&with_password(&server, &more), asking(tls));
            let mut trace = Trace::start();
            let session = connector.log_in(0, &mut trace).await.unwrap_or_else(|e| panic!("{more}: {e}"));
            assert_eq!(session.is_encrypted(), encrypted, "{more}");
            assert_eq!(session.tds_version(), if more.contains("strict") { TDS_8_0 } else { TDS_7_4 });
            connector.close(session, &mut trace).await.unwrap();
            let trace = whole(&connector).await.unwrap();
            assert_eq!(trips(&trace), [&before[..], &after].concat(), "{more}");
            assert_eq!(trace.auth.unwrap().method, "sql-login");
        });
        let counters = wait_for(&server, |c| c.sessions_now == 0);
        assert_eq!((counters.logins, counters.failed), (2, 0), "{more}");
    }
}

/// What strict encryption needs to verify: the authority of the server, in a file that outlives the test's logins.
fn certificate(server: &RefServer) -> String {
    let folder = Box::leak(Box::new(tempfile::tempdir().unwrap()));
    let file = folder.path().join("root.pem");
    std::fs::write(&file, server.root_certificate_pem().unwrap()).unwrap();
    format!("ServerCertificate={}", file.display())
}

#[test]
fn sessions_of_tls_are_resumed_when_that_is_wanted() {
    for (resumption, tls, full, resumed) in [
        (Resumption::Tickets, TlsMode::Resumed, 1, 3),
        (Resumption::Tickets, TlsMode::Full, 4, 0),
        (Resumption::Off, TlsMode::Resumed, 4, 0),
    ] {
        let server = start(ServerOptions { resumption, ..with_tls() });
        block_on(async {
            let more = "Encrypt=yes;TrustServerCertificate=yes";
            let connector = connector(&with_password(&server, more), asking(tls));
            for _ in 0..4 {
                whole(&connector).await.unwrap();
            }
        });
        let counters = wait_for(&server, |c| c.sessions_now == 0);
        assert_eq!((counters.tls_full, counters.tls_resumed), (full, resumed), "{resumption:?} {tls:?}");
    }
}

#[test]
fn a_login_that_is_sent_on_is_two_logins() {
    let target = start(checking());
    let route_to = Some(("localhost".to_owned(), target.address().port()));
    let sql_server = SqlServerOptions { route_to, ..SqlServerOptions::default() };
    let gateway = start(ServerOptions { sql_server, ..checking() });
    block_on(async {
        let connector = connector(&with_password(&gateway, "ApplicationIntent=ReadOnly"), asking(TlsMode::Off));
        let trace = whole(&connector).await.unwrap();
        assert_eq!(trace.round_trips()[Phase::Authenticate], 2);
    });
    assert_eq!(wait_for(&gateway, |c| c.sessions_now == 0).logins, 1);
    assert_eq!(wait_for(&target, |c| c.sessions_now == 0).logins, 1);
}

#[test]
fn an_access_token_goes_over_tls_only() {
    let server = start(with_tls());
    let token = |token: &str| LoginOptions { access_token: Some(Secret::new(token)), ..asking(TlsMode::AsUrl) };
    block_on(async {
        let url = text(&server, "Encrypt=yes;TrustServerCertificate=yes");
        let trace = whole(&connector(&url, token(PASSWORD))).await.unwrap();
        assert_eq!(trace.auth.unwrap().method, "access-token");
        let failure = whole(&connector(&url, token("another"))).await.unwrap_err();
        assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("18456")));
        let plain = Config::parse(&text(&server, "Encrypt=optional"), &BareSurroundings).unwrap();
        assert!(SqlServerConnector::new(&plain, token(PASSWORD)).is_err());
    });
}

#[test]
fn what_goes_wrong_is_an_outcome_and_costs_one_login() {
    let full = ServerOptions { max_sessions: Some(0), ..checking() };
    let forced = SqlServerOptions { force_encryption: true, ..SqlServerOptions::default() };
    let forcing = ServerOptions { sql_server: forced, ..with_tls() };
    let dropping = |step| ServerOptions {
        faults: Faults { drop: Some(DropAfter { step, every: NonZeroU64::MIN }), ..Faults::default() },
        ..with_tls()
    };
    let trust = "Encrypt=yes;TrustServerCertificate=yes";
    for (options, more, kind, code) in [
        (checking(), "Encrypt=optional;Database=missing_one", OutcomeKind::Rejected, Some("4060")),
        (full, "Encrypt=optional", OutcomeKind::ServerFull, Some("17809")),
        (checking(), trust, OutcomeKind::TlsNotOffered, None),
        (checking(), "Encrypt=strict", OutcomeKind::Reset, None),
        (with_tls(), "Encrypt=yes", OutcomeKind::TlsFailed, None),
        (forcing, "Encrypt=optional", OutcomeKind::Rejected, None),
        (dropping(Step::Connect), trust, OutcomeKind::Reset, None),
        (dropping(Step::Negotiate), trust, OutcomeKind::Reset, None),
        (dropping(Step::Tls), trust, OutcomeKind::Reset, None),
        (dropping(Step::Authenticate), trust, OutcomeKind::Reset, None),
    ] {
        let off = more == "Encrypt=optional" || more.contains("missing");
        let server = start(options);
        let connector =
            connector(&with_password(&server, more), asking(if off { TlsMode::Off } else { TlsMode::AsUrl }));
        let failure = block_on(whole(&connector)).unwrap_err();
        assert_eq!(
            (failure.kind, failure.code.as_deref().filter(|_| code.is_some())),
            (kind, code),
            "{more}: {failure}"
        );
        assert!(!format!("{failure:?}").contains(PASSWORD));
        let counters = wait_for(&server, |c| c.logging_in == 0);
        assert_eq!((counters.accepted, counters.logins), (1, 0), "{more}: {counters:?}");
    }
    let server = start(ServerOptions { tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..checking() });
    let wrong = text(&server, &format!("User ID={USER};Password=nope;{trust}"));
    let failure = block_on(whole(&connector(&wrong, asking(TlsMode::AsUrl)))).unwrap_err();
    assert_eq!((failure.kind, failure.code.as_deref()), (OutcomeKind::Rejected, Some("18456")));
    assert_eq!(wait_for(&server, |c| c.logging_in == 0).failed, 1);
}

#[test]
fn a_delay_shows_in_its_own_phase() {
    let pause = Duration::from_millis(80);
    let no = Delays::default();
    for (delays, phase) in [
        (Delays { negotiate: pause, ..no }, Phase::Negotiate),
        (Delays { tls: pause, ..no }, Phase::Tls),
        (Delays { authenticate: pause, ..no }, Phase::Authenticate),
        (Delays { session: pause, ..no }, Phase::Session),
        (Delays { query: pause, ..no }, Phase::FirstQuery),
    ] {
        let tls = TlsSetting::SelfMade(KeyKind::EcdsaP256);
        let server = start(ServerOptions { delays, tls, ..checking() });
        let more = "Encrypt=yes;TrustServerCertificate=yes";
        let trace = block_on(whole(&connector(&with_password(&server, more), asking(TlsMode::AsUrl)))).unwrap();
        assert!(trace.laps()[phase] >= pause, "{phase}: {:?}", trace.laps());
        let others: Duration = trace.laps().iter().filter(|(p, _)| *p != phase).map(|(_, lap)| *lap).sum();
        assert!(others < pause * 4, "{phase}: {:?}", trace.laps());
    }
}
