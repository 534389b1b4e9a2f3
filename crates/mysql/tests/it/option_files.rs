//! Option files, read by peaje and by MariaDB's own `my_print_defaults`: the same files mean the same.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use peaje_engine::{Endpoint, Metadata, ProcessSurroundings, Surroundings};
use peaje_mysql::config::Config;

/// A home folder, and nothing else of this machine's settings.
struct Home<'a>(&'a Path);

impl Surroundings for Home<'_> {
    fn var(&self, _: &str) -> Option<String> {
        None
    }

    fn read_file(&self, path: &Path) -> io::Result<String> {
        ProcessSurroundings.read_file(path)
    }

    fn metadata(&self, path: &Path) -> Option<Metadata> {
        ProcessSurroundings.metadata(path).filter(|_| path.starts_with(self.0))
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        ProcessSurroundings.list_folder(path)
    }

    fn home(&self) -> Option<PathBuf> {
        Some(self.0.to_owned())
    }

    fn user_name(&self) -> Option<String> {
        Some("nobody said".to_owned())
    }
}

/// User, password and port; `None` = refused.
type Found = Option<[Option<Vec<u8>>; 3]>;

fn by_the_client(home: &Path) -> Found {
    let mut command = Command::new("my_print_defaults");
    command.arg(format!("--defaults-file={}", home.join(".my.cnf").display()));
    command.args(["client", "client-server", "client-mariadb", "peaje"]);
    let done = command.output().expect("my_print_defaults is installed (package mariadb-client): run scripts/setup");
    if !done.status.success() {
        return None;
    }
    let mut last: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
    for line in done.stdout.split(|byte| *byte == b'\n') {
        let option = line.strip_prefix(b"--").unwrap_or(line);
        let at = option.iter().position(|byte| *byte == b'=').unwrap_or(option.len());
        last.insert(&option[..at], option.get(at + 1..).unwrap_or_default());
    }
    let said = |key: &str| last.get(key.as_bytes()).filter(|value| !value.is_empty()).map(|value| value.to_vec());
    Some(["user", "password", "port"].map(said))
}

fn by_peaje(home: &Path) -> Found {
    let config = Config::parse("mysql://", &Home(home)).ok()?;
    let Endpoint::Tcp { port, .. } = config.endpoints[0] else { return None };
    let text = |text: &str| Some(text.as_bytes().to_vec()).filter(|text| !text.is_empty());
    Some([
        text(&config.user).filter(|user| user != b"nobody said"),
        config.password.as_ref().and_then(|password| text(password.expose())),
        text(&port.to_string()).filter(|port| port != b"3306"),
    ])
}

/// Writes the files, with `HOME` in them replaced by the folder; `.my.cnf` is the first.
fn compare(files: &[(&str, &[u8])]) -> (Found, Found) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    for (name, contents) in files {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().expect("the home folder")).expect("made");
        let mut text = contents.to_vec();
        while let Some(at) = text.windows(4).position(|four| four == b"HOME") {
            text.splice(at..at + 4, OsStr::as_bytes(home.as_os_str()).iter().copied());
        }
        std::fs::write(&path, text).expect("written");
        let mode = if name.contains("everybody") { 0o666 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("ours");
    }
    (by_peaje(home), by_the_client(home))
}

#[test]
fn the_same_files_mean_the_same() {
    let values: &[&[u8]] = &[
        b"user=a\npassword=b\nport=1",
        b"user = a b \npassword=\"q\\\"x#y\" # c",
        b"password=a#b\nuser='a#b'",
        b"user=\"it's\"",
        br"password=a\sb\tc\\d\qe",
        br"password='a\'b'",
        b"password=\"open\nuser='x",
        b"password=a=b\nuser==c",
        b"password\nuser=\nport=2",
        b"\tuser\t=\ta\t\n\r\nport=3\r\n",
        b"user=a ; b\n;user=x\n #user=y",
        b"# caf\xE9\nuser=a",
        "user=caf\u{E9}\npassword=\u{F1}".as_bytes(),
        b"!include HOME/none.cnf\nuser=a",
        b"!include   HOME/more.cnf   \nuser=a",
        b"!include more.cnf\nuser=a",
        b"user=a\n!include HOME/everybody.cnf",
        b"user=a\n!include HOME/folder\npassword=b",
        b"user=a\n!includedir HOME/folder\nport=1",
        b"user=a\n!include HOME/.my.cnf\npassword=b",
        b"user=a\n!include HOME/circle.cnf",
        b"!include HOME/circle.cnf\nuser=a",
        b"!exclude HOME/more.cnf\nuser=a",
        b"!include\nuser=a",
        b"[mysqld]\nuser=m\n!include HOME/more.cnf\nport=4",
        b"[PEAJE]\nuser=m\n[Client-Server]\npassword=x\n[CLIENT-MariaDB]\nport=7",
        b"[ peaje ]\nuser=m",
        b"[peaje ]\nuser=m",
        b"[peaje] words\nuser=m",
        b"[peaje\nuser=m",
        b"[client_server]\nuser=m",
        b"[mysql]\nuser=m",
    ];
    for value in values {
        let my_cnf = [b"[client]\n", *value, b"\n"].concat();
        let (ours, theirs) = compare(&[
            (".my.cnf", &my_cnf),
            ("more.cnf", b"[client]\npassword=more\nport=9\n"),
            ("everybody.cnf", b"[client]\npassword=everybody\n"),
            ("circle.cnf", b"[client]\nuser=circle\n!include HOME/.my.cnf\npassword=circle\n"),
            ("folder/b.cnf", b"[client]\npassword=second\n"),
            ("folder/a.cnf", b"[client]\npassword=first\nuser=first\n"),
            ("folder/.c.cnf", b"[client]\nport=8\n"),
            ("folder/d.CNF", b"[client]\npassword=capitals\n"),
            ("folder/e.ini", b"[client]\npassword=ini\n"),
        ]);
        assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(value));
    }
    let before_any_group: &[(&str, &[u8])] = &[(".my.cnf", b"user=a\n[client]\nport=1\n")];
    assert_eq!(compare(before_any_group), (None, None));
}

/// Where peaje is not the client: what it could only send wrong is refused, and a folder that is not there is no reason to
/// stop.
#[test]
fn known_differences() {
    let (ours, theirs) = compare(&[(".my.cnf", b"[client]\npassword=caf\xE9\n")]);
    assert_eq!((ours, theirs), (None, Some([None, Some(b"caf\xE9".to_vec()), None])));
    let (ours, theirs) = compare(&[(".my.cnf", b"[client]\nuser=a\n!includedir HOME/none\n")]);
    assert_eq!((ours, theirs), (Some([Some(b"a".to_vec()), None, None]), None));
}
