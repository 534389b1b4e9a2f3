//! A server that speaks TDS, and clients that were not written here.
#![allow(unreachable_pub, clippy::unwrap_used, missing_docs)]

pub mod raw;
pub mod recorder;

pub use crate::common::wait_for;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use peaje_model::Secret;
use peaje_refserver::{Auth, KeyKind, Protocol, RefServer, ServerOptions, TlsSetting};

pub const USER: &str = "sa";
pub const PASSWORD: &str = "Pencil-4711";

/// What a client printed, on both streams.
#[derive(Debug)]
pub struct Told {
    pub ok: bool,
    pub text: String,
}

/// Options of a server that checks passwords.
pub fn checking() -> ServerOptions {
    ServerOptions {
        protocol: Protocol::SqlServer,
        auth: Auth::Password { user: USER.into(), password: Secret::new(PASSWORD) },
        ..ServerOptions::default()
    }
}

pub fn with_tls() -> ServerOptions {
    ServerOptions { tls: TlsSetting::SelfMade(KeyKind::EcdsaP256), ..checking() }
}

pub fn start(options: ServerOptions) -> RefServer {
    RefServer::start(options).unwrap()
}

/// The project's folder for what `scripts/setup` installs.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache")
}

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

/// Runs a client for at most half a minute, its input given.
pub fn run(mut command: Command, input: &str) -> Told {
    use std::io::Write;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("ODBCINI").env("HOME", "/nonexistent").env("ODBCSYSINI", "/nonexistent");
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{program} is missing ({e}): run scripts/setup"));
    // A client that was not let in may have ended before it hears anything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let pid = child.id();
    let (give, done) = std::sync::mpsc::channel();
    std::thread::spawn(move || give.send(child.wait_with_output()));
    let output = done.recv_timeout(Duration::from_secs(30));
    let Ok(output) = output else {
        let _ = Command::new("kill").arg(pid.to_string()).status();
        panic!("{program} did not end within 30 s");
    };
    let output = output.unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Told { ok: output.status.success(), text }
}

/// FreeTDS's own program.
pub fn tsql(server: &RefServer, password: &str, encryption: &str, input: &str) -> Told {
    tsql_to(server.address().port(), password, encryption, input)
}

pub fn tsql_to(port: u16, password: &str, encryption: &str, input: &str) -> Told {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("freetds.conf");
    std::fs::write(&file, format!("[global]\ntds version = 7.4\nencryption = {encryption}\n")).unwrap();
    let mut command = Command::new("tsql");
    command.env("FREETDSCONF", &file).env("LANG", "C.UTF-8");
    command.args(["-H", "127.0.0.1", "-p", &port.to_string(), "-U", USER, "-P", password]);
    run(command, input)
}

/// unixODBC's program with a driver.
pub fn isql(connection: &str, input: &str) -> Told {
    let mut command = Command::new("isql");
    command.args(["-v", "-b", "-k", connection]);
    run(command, input)
}

/// FreeTDS's ODBC driver.
pub fn freetds_odbc(server: &RefServer, password: &str, encryption: &str, input: &str) -> Told {
    freetds_odbc_to(server.address().port(), password, encryption, input)
}

pub fn freetds_odbc_to(port: u16, password: &str, encryption: &str, input: &str) -> Told {
    let driver = ["/usr/lib/x86_64-linux-gnu/odbc", "/usr/lib/aarch64-linux-gnu/odbc", "/usr/lib64"]
        .into_iter()
        .map(|folder| Path::new(folder).join("libtdsodbc.so"))
        .find(|file| file.exists())
        .expect("FreeTDS's ODBC driver is missing (Debian package tdsodbc): run scripts/setup");
    let connection = format!(
        "Driver={};Server=127.0.0.1;Port={port};UID={USER};PWD={password};TDS_Version=7.4;Encryption={encryption}",
        driver.display()
    );
    isql(&connection, input)
}

/// Microsoft's ODBC driver 18, out of its wheel.
pub fn microsoft_driver() -> PathBuf {
    let folder = find(&cache().join("python/lib"), &|path| path.ends_with("mssql_python_odbc/libs/linux"))
        .expect("Microsoft's ODBC driver is missing: run scripts/setup");
    let system = if Path::new("/etc/debian_version").exists() { "debian_ubuntu" } else { "rhel" };
    let is_driver =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libmsodbcsql-18"));
    find(&folder.join(system), &is_driver).expect("the wheel holds the driver")
}

fn find(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if wanted(&path) {
            return Some(path);
        }
        let inside = entry.file_type().is_ok_and(|kind| kind.is_dir()).then(|| find(&path, wanted)).flatten();
        if inside.is_some() {
            return inside;
        }
    }
    None
}

/// Microsoft's driver, with what is added to its connection string.
pub fn microsoft_odbc(server: &RefServer, password: &str, more: &str, input: &str) -> Told {
    microsoft_odbc_to(server.address().port(), password, more, input)
}

pub fn microsoft_odbc_to(port: u16, password: &str, more: &str, input: &str) -> Told {
    let driver = microsoft_driver();
    let connection =
        format!("Driver={};Server=tcp:127.0.0.1,{port};UID={USER};PWD={password};{more}", driver.display());
    isql(&connection, input)
}

/// A Python program of `tests/clients`, with mssql-python.
pub fn python(program: &str, arguments: &[&str]) -> Told {
    let mut command = Command::new(cache().join("python/bin/python"));
    command.arg(clients().join(program)).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    run(command, "")
}

/// A program of `tests/clients`, with the packages of npm.
pub fn node(program: &str, arguments: &[&str]) -> Told {
    let modules = cache().join("node/node_modules");
    let mut command = Command::new("node");
    command.env("NODE_PATH", modules).env("NODE_NO_WARNINGS", "1").arg(clients().join(program)).args(arguments);
    run(command, "")
}

/// A listening socket on a free port below those that clients get.
pub fn listen() -> std::net::TcpListener {
    use rand::Rng;
    let free = || std::net::TcpListener::bind(("127.0.0.1", rand::rng().random_range(20_000..32_000))).ok();
    std::iter::repeat_with(free).take(500).flatten().next().unwrap()
}

/// Runs a client of this process.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
