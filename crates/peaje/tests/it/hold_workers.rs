//! Sessions beyond the limit of open files: worker processes hold them, and neither secrets nor processes are left behind.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use peaje_model::Secret;
use peaje_refserver::{Auth, RefServer, ServerOptions};

use crate::common::{peaje, read_run, wait_for};

const PASSWORD: &str = "geheim-und-lang";
const SESSIONS: u64 = 500;

fn server() -> RefServer {
    let auth = Auth::Password { user: "ana".to_owned(), password: Secret::new(PASSWORD) };
    RefServer::start(ServerOptions { auth, max_sessions: Some(3000), ..ServerOptions::default() }).expect("a free port")
}

/// The command, with few open files allowed, and the password in a file of its own: in no argument and no variable.
fn command(server: &RefServer, home: &Path, args: &[&str]) -> Command {
    let password = home.join("pgpass");
    std::fs::write(&password, format!("*:*:*:ana:{PASSWORD}\n")).expect("writable");
    let only_me = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&password, only_me).expect("it is ours");
    let own = peaje();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 400; exec \"$0\" \"$@\""]).arg(own.get_program());
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let url = format!("postgresql://ana@{}/peaje?sslmode=disable", server.address());
    command.args(["sessions", &url, "--yes", "--steps", &SESSIONS.to_string(), "--settle", "10ms"]).args(args);
    command.env("PGPASSFILE", password).stdin(Stdio::null());
    command
}

/// Processes whose parent this is.
fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_dir("/proc").expect("Linux").flatten();
    let pids = list.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|child| parent(*child) == Some(pid)).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut words = stat.rsplit(')').next()?.split_whitespace();
    if words.next()? == "Z" { None } else { words.next()?.parse().ok() }
}

/// All sessions are held; the workers that hold them.
fn holding(server: &RefServer, peaje: &Child) -> Vec<u32> {
    wait_for("all sessions are open", Duration::from_secs(60), || server.counters().sessions_now >= SESSIONS);
    children(peaje.id())
}

#[test]
fn workers_hold_what_one_process_may_not_open_and_show_no_password() {
    let (server, home) = (server(), tempfile::tempdir().expect("a folder"));
    let file = home.path().join("run.json");
    let mut command = command(&server, home.path(), &["--hold", "2s", "--json"]);
    let mut child = command.arg(&file).stdout(Stdio::null()).spawn().expect("sh");
    let workers = holding(&server, &child);
    assert!(workers.len() >= 2, "{workers:?}");
    for pid in &workers {
        for what in ["cmdline", "environ"] {
            let bytes = std::fs::read(format!("/proc/{pid}/{what}")).expect("it is there");
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(PASSWORD) && !text.contains("ana@"), "{what} of a worker: {text}");
        }
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(workers.iter().all(|pid| parent(*pid).is_none()), "workers end with their purpose");
    let run = read_run(&file).expect("a run file");
    let sessions = run.sessions.expect("a run of sessions");
    assert_eq!(sessions.steps.last().map(|step| (step.sessions, step.failed)), Some((SESSIONS, 0)));
    let client = sessions.steps.last().and_then(|step| step.client).expect("its own processes are read");
    assert_eq!(client.processes, workers.len() as u64);
    assert!(sessions.dropped.is_empty());
    assert!(!std::fs::read_to_string(&file).expect("it is there").contains(PASSWORD));
    wait_for("nothing is left open", Duration::from_secs(10), || server.counters().sessions_now == 0);
}

#[test]
fn killing_the_command_leaves_no_worker_and_no_session() {
    let (server, home) = (server(), tempfile::tempdir().expect("a folder"));
    let mut command = command(&server, home.path(), &["--hold", "60s"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("sh");
    let workers = holding(&server, &child);
    assert!(workers.len() >= 2, "{workers:?}");
    child.kill().expect("it is there");
    child.wait().expect("it was killed");
    wait_for("its sessions are gone", Duration::from_secs(10), || server.counters().sessions_now == 0);
    wait_for("its workers are gone", Duration::from_secs(10), || workers.iter().all(|pid| parent(*pid).is_none()));
    assert_eq!(server.counters().sessions_ended, 0, "each session said goodbye");
}

#[test]
fn the_hidden_command_is_for_peaje_alone() {
    let done = peaje().arg("hold-sessions").output().expect("the command runs");
    assert_eq!(done.status.code(), Some(2));
    let words = String::from_utf8_lossy(&done.stderr);
    assert!(words.contains("is for peaje itself"), "{words}");
    let help = peaje().arg("--help").output().expect("the command runs");
    assert!(!String::from_utf8_lossy(&help.stdout).contains("hold-sessions"));
}
