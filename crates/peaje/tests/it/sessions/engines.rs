//! PostgreSQL and MariaDB from the distribution: the memory of their sessions against the test's own sum.

use std::time::Duration;

use super::machine::{Group, pss, tree};
use super::{alone, held, nothing_is_left, result};
use crate::common::{cluster, peaje, read_run, wait_for};
use peaje_model::{Architecture, MemorySource, SessionsResult};
use peaje_mysql::config::SslMode as MysqlTls;
use peaje_mysql::throwaway::{Options, ThrowawayAuth as MysqlAuth, ThrowawayMariadb};
use peaje_postgres::config::SslMode;
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayOptions};

const LAST: u64 = 800;
/// How often a machine is given the chance to be quiet.
const ATTEMPTS: u32 = 2;
/// Limit of the server's control group, which is there to be told apart and not to be met.
const ROOMY: u64 = 16 << 30;
/// Half of the free sessions are for peaje.
const ROOM: u32 = 1700;

/// Climbs to the last step, holds, and gives the result with the test's own sums: before, and with all sessions open.
fn climb(url: &str, server: u32) -> (SessionsResult, [u64; 2]) {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, said) = (folder.path().join("run.json"), folder.path().join("said"));
    let before = pss(&tree(server));
    let mut command = peaje();
    command
        .args(["sessions", url, "--yes", "--steps", "100,200,400,800", "--hold", "--tls", "off", "--json"])
        .arg(&file);
    // Enter comes when the test has taken its sum.
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
    command.stderr(std::fs::File::create(&said).expect("writable"));
    let mut child = command.spawn().expect("the command runs");
    let words = || std::fs::read_to_string(&said).unwrap_or_default();
    wait_for("all sessions are held", Duration::from_secs(60), || words().contains("800 sessions are held"));
    let with_all = pss(&tree(server));
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), b"\n").expect("it reads");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "{}", words());
    let run = read_run(&file).expect("a run file");
    (result(&run).clone(), [before, with_all])
}

fn agrees(result: &SessionsResult, [before, with_all]: [u64; 2]) {
    assert_eq!(held(result), [100, 200, 400, 800]);
    assert_eq!((result.memory_source, result.same_host), (MemorySource::Processes, true));
    nothing_is_left(result);
    let last = result.steps.last().and_then(|step| step.pss_bytes).expect("read") as f64;
    assert!((last - with_all as f64).abs() <= 0.1 * with_all as f64, "peaje {last}, the test {with_all}");
    let grown = last - result.baseline.pss_bytes.expect("read") as f64;
    let own_grown = (with_all - before) as f64;
    assert!((grown - own_grown).abs() <= 0.1 * own_grown, "peaje {grown}, the test {own_grown}");
    // What all sessions together take has one slope only where all are alike: a line may leave the two ends by a little.
    let each = &result.bytes_per_session;
    let slope = each.pss.and_then(|pss| pss.value).expect("a line");
    assert!(
        (slope * LAST as f64 - own_grown).abs() <= 0.2 * own_grown,
        "{slope} bytes per session, {own_grown} in all"
    );
}

/// Whether what the machine lost for each session is accounted for to a tenth, or as well as a machine can tell on which
/// others take and give back memory meanwhile.
fn is_accounted_for(result: &SessionsResult) -> bool {
    let account = result.account.expect("client and server share this machine");
    let host = result.bytes_per_session.host.expect("a line");
    let accounted = account.host - account.unexplained - account.client;
    let within = host.low.zip(host.high).is_some_and(|(low, high)| (low..=high).contains(&accounted));
    account.unexplained.abs() <= 0.1 * account.host || within
}

/// The kernel charges the server's own control group with the same: nobody else's memory is in there.
fn group_agrees(result: &SessionsResult) {
    let account = result.account.expect("client and server share this machine");
    let accounted = account.host - account.unexplained - account.client;
    let charged = result.bytes_per_session.cgroup.and_then(|group| group.value).expect("it lives in one");
    assert!((accounted - charged).abs() <= 0.15 * charged, "{charged} charged, {account:?}");
}

/// Climbs, each time on a new server, until the machine's account closes: memory that others take or give back meanwhile
/// is in nobody's account.
fn climb_in_quiet<S>(start: impl Fn() -> (S, String, u32)) -> SessionsResult {
    let mut accounts = Vec::new();
    for _ in 0..ATTEMPTS {
        let group = Group::of(ROOMY, 0);
        let (server, url, pid) = start();
        group.take(&tree(pid));
        let (result, sums) = climb(&url, pid);
        drop(server);
        agrees(&result, sums);
        group_agrees(&result);
        if is_accounted_for(&result) {
            return result;
        }
        accounts.push(result.account);
    }
    panic!("not accounted for to a tenth, however often it was measured: {accounts:?}");
}

#[test]
fn sessions_of_postgresql_are_processes() {
    let _alone = alone();
    let result = climb_in_quiet(|| {
        let server = cluster(&ThrowawayOptions { max_connections: ROOM, ..ThrowawayOptions::default() });
        let config = server.config(ThrowawayAuth::Trust, SslMode::Disable);
        let pid = server.postmaster_pid();
        (server, config.display_url(), pid)
    });
    assert_eq!(result.architecture, Some(Architecture::Process));
    let processes = |step: &peaje_model::SessionStep| step.processes.expect("read");
    let grown = processes(result.steps.last().expect("there")) - processes(&result.baseline);
    assert!((LAST..LAST + 5).contains(&grown), "{grown}");
}

#[test]
fn sessions_of_mariadb_are_threads() {
    let _alone = alone();
    let result = climb_in_quiet(|| {
        let server = ThrowawayMariadb::start(&Options { max_connections: ROOM, ..Options::default() })
            .unwrap_or_else(|error| panic!("no throwaway MariaDB (Debian package `mariadb-server`): {error}"));
        let config = server.config(MysqlAuth::None, MysqlTls::Disabled);
        let pid = server.server_pid().expect("it runs");
        (server, config.display_url(), pid)
    });
    assert_eq!(result.architecture, Some(Architecture::Thread));
}

#[test]
fn a_warm_query_shows_what_idle_sessions_hide() {
    let _alone = alone();
    // Views of the catalogue, whose plans and descriptions a session keeps.
    let warm = "select count(*) from information_schema.columns a join information_schema.table_constraints b \
                using (table_name) join pg_stats c on c.tablename = a.table_name";
    let (done, run) = super::sessions(&["postgres:", "--steps", "10,20,30,40", "--warm-query", warm]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let sizes = result(&run).idle_and_worked;
    let (idle, worked) = (sizes.idle.expect("looked at"), sizes.worked.expect("looked at"));
    assert!(worked > 1.5 * idle, "{sizes:?}");
    nothing_is_left(result(&run));
}
