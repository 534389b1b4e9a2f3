//! The frame of a throwaway server around a server of a few lines of shell: what it does with each way to end.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use peaje_throwaway::{
    CertificateState, CommandLine, Folder, Recipe, Server, ServerKeyKind, Started, ThrowawayError, random_password,
};

/// Longer than the guard needs, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the shell's server does.
#[derive(Clone, Copy)]
enum Behaviour {
    /// Serves: it writes a file and sleeps.
    Serves,
    /// Serves, and will not hear of polite signals.
    IsDeaf,
    /// Finds its port taken, so many times.
    LosesItsPort(u32),
    /// Ends at once.
    Dies,
}

struct Shell {
    behaviour: Behaviour,
    initialise: &'static str,
    starts: AtomicU32,
}

impl Shell {
    fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, initialise: "mkdir \"$0/data\"", starts: AtomicU32::new(0) }
    }

    fn script(&self) -> String {
        let serve = "echo $$ > \"$0/pid\"; echo \"$1\" > \"$0/ready\"; while :; do sleep 0.05; done";
        match self.behaviour {
            Behaviour::Serves => serve.to_owned(),
            Behaviour::IsDeaf => format!("trap '' TERM; {serve}"),
            Behaviour::LosesItsPort(times) if self.starts.load(Ordering::SeqCst) <= times => {
                "echo 'port is taken'; exit 3".to_owned()
            }
            Behaviour::LosesItsPort(_) => "echo 'lucky'; ".to_owned() + serve,
            Behaviour::Dies => "echo 'nothing to serve'; exit 7".to_owned(),
        }
    }
}

impl Recipe for Shell {
    const PRODUCT: &'static str = "Shell";
    const PREFIX: &'static str = "peaje-test it's-";
    const ACCOUNTS: &'static [&'static str] = &["nobody"];
    const STOP_SIGNALS: &'static str = "TERM KILL";

    fn identity(&self) -> (ServerKeyKind, CertificateState) {
        (ServerKeyKind::EcdsaP256, CertificateState::Valid)
    }

    fn before_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError> {
        folder.write("secret", random_password().expose())
    }

    fn initialise(&self, folder: &Folder) -> CommandLine {
        CommandLine::new("/bin/sh").args(["-c", self.initialise]).arg(folder.path())
    }

    fn after_initialising(&self, folder: &Folder) -> Result<(), ThrowawayError> {
        folder.remove("secret")
    }

    fn configure(&self, folder: &Folder, port: u16) -> Result<(), ThrowawayError> {
        self.starts.fetch_add(1, Ordering::SeqCst);
        folder.write("data/port", &port.to_string())
    }

    fn serve(&self, folder: &Folder, port: u16) -> CommandLine {
        CommandLine::new("/bin/sh").arg("-c").arg(self.script()).arg(folder.path()).arg(port.to_string())
    }

    fn port_was_taken(&self, log: &str) -> bool {
        log.lines().last() == Some("port is taken")
    }

    async fn is_ready(&self, started: &Started) -> Result<(), String> {
        let ready = std::fs::read_to_string(started.folder.join("ready")).map_err(|error| error.to_string())?;
        if ready.trim() == started.port.to_string() { Ok(()) } else { Err("half written".to_owned()) }
    }

    async fn prepare(&self, started: &Started) -> Result<(), ThrowawayError> {
        let pid = std::fs::read_to_string(started.folder.join("pid")).unwrap_or_default();
        if pid.trim() == started.pid.to_string() { Ok(()) } else { Err(started.not_ours("another process")) }
    }
}

fn runs(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

fn start(behaviour: Behaviour) -> (Server, PathBuf) {
    let server = Server::start(&Shell::new(behaviour)).expect("it starts");
    let folder = server.folder().to_owned();
    (server, folder)
}

#[test]
fn a_server_has_its_folder_its_port_and_its_number() {
    let (server, folder) = start(Behaviour::Serves);
    assert!(runs(server.pid()) && server.port() < 32_768);
    assert_eq!(std::fs::metadata(&folder).expect("it exists").permissions().mode() & 0o077, 0, "nobody else enters");
    for name in ["server.key", "server.crt", "root.crt", "data/port"] {
        let mode = std::fs::metadata(folder.join(name)).expect("it exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert!(!folder.join("secret").exists());
    let pid = server.pid();
    server.stop().expect("it stops");
    assert!(!folder.exists() && !runs(pid));
}

#[test]
fn dropping_and_panicking_stop_it_too() {
    let (server, folder) = start(Behaviour::Serves);
    let pid = server.pid();
    drop(server);
    assert!(!folder.exists() && !runs(pid));
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let (server, folder) = start(Behaviour::Serves);
        sender.send((folder, server.pid())).expect("received below");
        panic!("as intended");
    });
    assert!(thread.join().is_err());
    let (folder, pid) = receiver.recv().expect("sent above");
    assert!(!folder.exists() && !runs(pid));
}

#[test]
fn a_server_that_does_not_hear_is_killed() {
    let (server, folder) = start(Behaviour::IsDeaf);
    let pid = server.pid();
    server.stop().expect("it stops");
    assert!(!folder.exists() && !runs(pid));
}

#[test]
fn a_server_that_was_killed_leaves_a_folder_that_goes_at_the_end() {
    let (server, folder) = start(Behaviour::Serves);
    let pid = server.pid();
    let number = rustix::process::Pid::from_raw(i32::try_from(pid).expect("a number")).expect("not zero");
    rustix::process::kill_process(number, rustix::process::Signal::KILL).expect("it is ours");
    let since = Instant::now();
    while runs(pid) {
        assert!(since.elapsed() < PATIENCE, "it was not waited for");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(folder.exists(), "its log may still be read");
    server.stop().expect("it stops");
    assert!(!folder.exists());
}

#[test]
fn a_port_that_was_taken_meanwhile_is_replaced() {
    let recipe = Shell::new(Behaviour::LosesItsPort(2));
    let server = Server::start(&recipe).expect("the third port is free");
    assert_eq!(recipe.starts.load(Ordering::SeqCst), 3);
    assert!(server.log_tail().ends_with("lucky"), "{}", server.log_tail());
    let error = Server::start(&Shell::new(Behaviour::LosesItsPort(100))).expect_err("not for ever");
    assert!(matches!(error, ThrowawayError::Exited { status: 3, .. }), "{error}");
}

#[test]
fn what_fails_is_told_with_the_log() {
    let error = Server::start(&Shell::new(Behaviour::Dies)).expect_err("it dies");
    let ThrowawayError::Exited { status: 7, log } = &error else { panic!("{error}") };
    assert_eq!(log, "nothing to serve");
    let recipe = Shell { initialise: "echo 'no room'; exit 5", ..Shell::new(Behaviour::Serves) };
    let error = Server::start(&recipe).expect_err("no data");
    let ThrowawayError::Initialise { product: "Shell", status: 5, log } = &error else { panic!("{error}") };
    assert_eq!(log, "no room");
}

#[test]
fn nothing_is_left_of_what_failed() {
    let before = left();
    for behaviour in [Behaviour::Dies, Behaviour::LosesItsPort(100)] {
        Server::start(&Shell { initialise: "mkdir \"$0/data\" \"$0/marked\"", ..Shell::new(behaviour) })
            .expect_err("it fails");
    }
    let marked: Vec<PathBuf> =
        left().into_iter().filter(|f| !before.contains(f) && f.join("marked").exists()).collect();
    assert_eq!(marked, Vec::<PathBuf>::new());
}

/// Folders of tests of this program, other ones' that run now included.
fn left() -> Vec<PathBuf> {
    let parent = std::env::temp_dir().canonicalize().expect("it exists");
    let entries = std::fs::read_dir(parent).expect("readable").flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(Shell::PREFIX))).collect()
}
