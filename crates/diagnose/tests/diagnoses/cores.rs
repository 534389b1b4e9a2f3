//! What logging in costs the server in cores, computed by hand.

use peaje_diagnose::{LoginCores, cpu_s_per_1000_logins, login_cores, login_distance};
use peaje_model::{Mode, Run, TlsMode};

use crate::build::{Made, pooled, run, series, unpooled};

/// 400 operations a second that cost the server 4 ms each.
fn busy() -> Made {
    unpooled(TlsMode::Off).rate(400.0, 390.0, 410.0).server_cpu(4000.0, 4000.0)
}

fn cores(run: &Run, index: usize) -> Option<LoginCores> {
    login_cores(run, &run.login.as_ref().expect("the run has results").series[index])
}

fn near(cores: Option<LoginCores>, expected: LoginCores) -> bool {
    match (cores, expected) {
        (Some(LoginCores::LoginsAlone(a)), LoginCores::LoginsAlone(b))
        | (Some(LoginCores::WholeOperations(a)), LoginCores::WholeOperations(b)) => (a - b).abs() < 1e-9,
        _ => false,
    }
}

#[test]
fn a_heavy_query_is_not_the_logins() {
    // of 4 ms, 3.5 ms are the query: 400 x 0.5 ms = 0.2 cores, not 1.6
    let run = run([busy(), pooled(TlsMode::Off).server_cpu(90_000.0, 3500.0)]);
    assert!(near(cores(&run, 0), LoginCores::LoginsAlone(0.2)), "{:?}", cores(&run, 0));
    assert_eq!(cores(&run, 1), None, "a pooled series does not log in for each operation");
    let series = &run.login.as_ref().expect("the run has results").series[0];
    assert!(cpu_s_per_1000_logins(&run, series).is_some_and(|s| (s - 0.5).abs() < 1e-9));
}

#[test]
fn without_a_kept_connection_of_the_same_tls_the_login_alone_is_not_blamed() {
    let whole = LoginCores::WholeOperations(1.6);
    let other_tls = pooled(TlsMode::Full).server_cpu(90_000.0, 3500.0);
    let no_cpu = pooled(TlsMode::Off);
    let dearer = pooled(TlsMode::Off).server_cpu(90_000.0, 4100.0);
    for kept in [other_tls, no_cpu, dearer] {
        let run = run([busy(), kept]);
        assert!(near(cores(&run, 0), whole), "{:?}", cores(&run, 0));
        let series = &run.login.as_ref().expect("the run has results").series[0];
        assert_eq!(cpu_s_per_1000_logins(&run, series), None);
    }
}

#[test]
fn a_persistent_series_serves_when_no_pool_can() {
    let kept = |mode, us| series(mode, TlsMode::Off).server_cpu(90_000.0, us);
    let persistent = run([busy(), pooled(TlsMode::Off), kept(Mode::Persistent, 3000.0)]);
    assert!(near(cores(&persistent, 0), LoginCores::LoginsAlone(0.4)));
    let both = run([busy(), kept(Mode::Persistent, 3000.0), kept(Mode::Pooled, 3500.0)]);
    assert!(near(cores(&both, 0), LoginCores::LoginsAlone(0.2)), "the pool stands first");
}

#[test]
fn no_cpu_no_rate_no_phases_no_answer() {
    let run = run([unpooled(TlsMode::Off), busy().edit(|s| s.throughput_per_s.value = None)]);
    assert_eq!((cores(&run, 0), cores(&run, 1)), (None, None));
    assert_eq!(login_distance(&run, &run.login.as_ref().expect("the run has results").series[0]), None);
}
