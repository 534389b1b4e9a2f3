//! Addresses that do not answer, in a network of the test's own: a namespace with a silent interface.
//!
//! Needs `unshare` (Debian package util-linux) and `ip` (iproute2), and either root or user namespaces.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::common::Done;
use peaje_model::{OutcomeKind, Run, Verdict};

/// Runs a shell script in a network of its own: loopback, and 10.99.0.0/24 on an interface where nobody answers.
fn in_silent_network(hosts: &str, script: &str) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    let hosts_file = folder.path().join("hosts");
    std::fs::write(&hosts_file, hosts).expect("writable");
    let prepare = "set -e; ip link set lo up; ip link add silent0 type veth peer name silent1; ip addr add 10.99.0.1/24 dev silent0; \
                   ip link set silent0 up; ip link set silent1 up; \
                   ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev silent0; mount --bind \"$HOSTS\" /etc/hosts;";
    Command::new("unshare")
        .args(["--map-root-user", "--net", "--mount", "sh", "-c", &format!("{prepare} {script}")])
        .env("HOSTS", &hosts_file)
        .env("PEAJE", env!("CARGO_BIN_EXE_peaje"))
        .env("HOME", "/nonexistent")
        .env_remove("PGPASSWORD")
        .stdin(Stdio::null())
        .output()
        .expect("`unshare` (util-linux) and `ip` (iproute2) are there")
        .into()
}

fn run_of(done: &Done) -> Run {
    serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("no run on stdout ({e}): {done:#?}"))
}

#[test]
fn an_address_that_does_not_answer_is_given_up_after_the_login_timeout() {
    let started = Instant::now();
    let script = "exec $PEAJE login postgresql://app@10.99.0.2/shop --login-timeout 1s --json -";
    let done = in_silent_network("127.0.0.1 localhost\n", script);
    assert_eq!(done.code, Some(2), "{done:#?}");
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    assert!(done.stderr.contains("login timeout of 1 s") && done.stderr.contains("next:"), "{}", done.stderr);
    let run = run_of(&done);
    assert_eq!(run.login.expect("a login run").first_login.expect("tried").outcome, OutcomeKind::TimedOut);
    assert_eq!(run.target.addresses[0].outcome, OutcomeKind::TimedOut);
}

#[test]
fn a_dead_address_beside_a_good_one_is_found_before_the_load() {
    let script = "$PEAJE serve --for-time 30s >$HOSTS.url 2>/dev/null & server=$!; \
                  while ! test -s $HOSTS.url; do sleep 0.05; done; \
                  port=$(sed 's/.*:\\([0-9]*\\)\\/.*/\\1/' $HOSTS.url); \
                  $PEAJE login postgresql://peaje@pair:$port/peaje --login-timeout 3s --json - ; code=$?; \
                  kill $server; exit $code";
    let done = in_silent_network("127.0.0.1 localhost\n10.99.0.2 pair\n127.0.0.1 pair\n", script);
    assert_eq!(done.code, Some(0), "{done:#?}");
    let run = run_of(&done);
    let outcomes: Vec<OutcomeKind> = run.target.addresses.iter().map(|a| a.outcome).collect();
    assert!(outcomes.contains(&OutcomeKind::TimedOut) && outcomes.contains(&OutcomeKind::Ok), "{outcomes:?}");
    let dead = run.findings.iter().find(|f| f.code == "dead-address").expect("looked at");
    assert_eq!(dead.verdict, Verdict::Found, "{dead:?}");
    let series = crate::common::series(&run);
    assert_eq!(series[0].counts.completed, 20);
    assert!(series[0].service_us.max.expect("measured") < 1e6, "the load does not dial the dead address again");
}
