//! The screen in a real terminal: tmux (Debian package `tmux`) runs the example `screen`, which is built with the tests.
//!
//! Each test has a tmux server of its own, on a socket in a temporary folder, that ends with the test.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(20);

struct Pane {
    folder: TempDir,
}

impl Pane {
    /// A shell that prints a line, notes the state of its terminal, runs the example, and notes it again.
    fn start(environment: &str, argument: &str) -> Self {
        let pane = Self { folder: tempfile::tempdir().unwrap() };
        let folder = pane.folder.path().display();
        let script = format!(
            "echo what was there before; stty -g > {folder}/before; {environment} {} {argument}; \
             echo code=$?; stty -g > {folder}/after; echo the shell goes on; exec cat",
            example().display()
        );
        pane.tmux(&["-f", "/dev/null", "-u", "new-session", "-d", "-x", "100", "-y", "30", "sh", "-c", &script]);
        pane
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.folder.path().join("tmux")).args(args);
        for name in ["TMUX", "NO_COLOR", "LC_CTYPE", "LANG"] {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C.UTF-8").env("SHELL", "/bin/sh");
        command.output().expect("tmux is installed (Debian package tmux; scripts/setup installs it)")
    }

    fn tmux(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "tmux {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn text(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn asked(&self, what: &str) -> String {
        self.tmux(&["display-message", "-p", what]).trim().to_owned()
    }

    /// Waits until the pane's text is as wanted, and returns it.
    fn wait(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            assert!(Instant::now() < until, "waited in vain for {what}:\n{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn wait_for(&self, words: &str) -> String {
        self.wait(words, |text| text.contains(words))
    }

    /// The shell goes on, with the terminal that it had.
    fn assert_restored(&self) -> String {
        let text = self.wait_for("the shell goes on");
        assert!(text.contains("what was there before"), "the screen before is back:\n{text}");
        assert!(!text.contains("web-shop"), "nothing of the screen is left:\n{text}");
        let state = |name| std::fs::read_to_string(self.folder.path().join(name)).unwrap();
        assert_eq!(state("after"), state("before"), "stty -g");
        assert_eq!(self.asked("#{alternate_on} #{cursor_flag}"), "0 1", "alternate screen, cursor");
        text
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ = self.run(&["kill-server"]);
    }
}

/// `target/debug/examples/screen`, beside the folder of this test.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join("examples/screen");
    assert!(path.exists(), "{} is built with the tests (cargo test, cargo nextest run)", path.display());
    path
}

#[test]
fn keys_resizing_and_quitting() {
    let pane = Pane::start("", "");
    let first = pane.wait_for("web-shop @ 10.0.0.21");
    assert!(first.contains("db.example.com:5432  PostgreSQL 16.4") && first.contains('█'), "{first}");
    assert_eq!(pane.asked("#{alternate_on}"), "1");
    assert!(pane.tmux(&["capture-pane", "-p", "-e"]).contains("\u{1b}[38;5;6m"), "the curves are coloured");

    // The clock runs; frozen, it stands still.
    let clock = |text: &str| text.lines().next().unwrap_or_default()[14..22].to_owned();
    let at = clock(&first);
    pane.wait("a newer view", |text| clock(text) != at);
    pane.press("f");
    let missed = |text: &str| Some(text.split_once("FROZEN, ")?.1.split_once(' ')?.0.parse::<u32>().unwrap_or(1));
    let frozen = clock(&pane.wait("frozen", |text| missed(text).is_some()));
    assert_eq!(clock(&pane.wait("some readings behind", |text| missed(text) >= Some(3))), frozen);
    pane.press("f");
    pane.wait("thawed", |text| !text.contains("FROZEN"));

    pane.tmux(&["resize-window", "-x", "60", "-y", "15"]);
    // Until the next frame, tmux shows what fits of the one before.
    let whole = |text: &str| text.contains("mean session life") && text.contains("q quit");
    let small = pane.wait("60 columns", |text| text.lines().count() <= 15 && whole(text));
    assert!(small.lines().all(|line| line.chars().count() <= 60), "{small}");
    pane.tmux(&["resize-window", "-x", "40", "-y", "10"]);
    pane.wait_for("60 x 15");
    pane.tmux(&["resize-window", "-x", "120", "-y", "40"]);
    pane.wait_for("each replaced 531 times an hour");

    pane.press("s");
    pane.wait_for("most sessions");
    pane.press("/");
    pane.tmux(&["send-keys", "-l", "bill"]);
    pane.wait("the filter", |text| text.contains("filter: bill_") && !text.contains("web-shop"));
    pane.press("Escape");
    pane.wait_for("web-shop");
    pane.press("Tab");
    pane.press("Enter");
    pane.wait_for("Code: `server-full`");
    pane.press("NPage");
    pane.wait("the page's next part", |text| !text.contains("Code: `server-full`"));
    pane.press("q");
    pane.wait_for("web-shop");
    pane.press("q");
    let end = pane.assert_restored();
    assert!(end.contains("ended: quit") && end.contains("code=0"), "{end}");
}

#[test]
fn ctrl_c_restores_the_terminal() {
    let pane = Pane::start("NO_COLOR=1", "");
    pane.wait_for("web-shop");
    let coloured = pane.tmux(&["capture-pane", "-p", "-e"]);
    assert!(!coloured.contains("38;5"), "{coloured:?}");
    pane.press("C-c");
    let end = pane.assert_restored();
    assert!(end.contains("ended: interrupted"), "{end}");
}

#[test]
fn sigterm_restores_the_terminal() {
    let pane = Pane::start("LC_ALL=C", "");
    let text = pane.wait_for("web-shop");
    assert!(text.is_ascii(), "{text}");
    let children = format!("/proc/{0}/task/{0}/children", pane.asked("#{pane_pid}"));
    let example = std::fs::read_to_string(children).unwrap().trim().to_owned();
    assert!(Command::new("kill").args(["-TERM", &example]).status().unwrap().success(), "{example}");
    let end = pane.assert_restored();
    assert!(end.contains("ended: stopped"), "{end}");
}

#[test]
fn a_panic_of_another_thread_restores_the_terminal_and_is_told() {
    let pane = Pane::start("RUST_BACKTRACE=0", "panic");
    let end = pane.assert_restored();
    assert!(end.contains("a thread of the example panics"), "the message is readable:\n{end}");
    assert!(end.contains("Panicked") && end.contains("code=1"), "{end}");
}

/// Nobody reads the other end of this terminal, so the first frame never gets through.
#[test]
fn a_terminal_that_stands_still_cannot_keep_the_process() {
    let controller = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&controller).unwrap();
    rustix::pty::unlockpt(&controller).unwrap();
    let name = rustix::pty::ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let open = || std::fs::OpenOptions::new().read(true).write(true).open(&name).unwrap();
    let size = rustix::termios::Winsize { ws_row: 200, ws_col: 400, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(open(), size).unwrap();
    let before = rustix::termios::tcgetattr(open()).unwrap().local_modes;
    let mut child = Command::new("setsid")
        .arg("--ctty")
        .arg(example())
        .stdin(open())
        .stdout(open())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("setsid is installed (Debian package util-linux)");
    let until = Instant::now() + PATIENCE;
    let wait = || {
        assert!(Instant::now() < until, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    };
    let modes = || rustix::termios::tcgetattr(open()).unwrap().local_modes;
    while modes() == before {
        wait();
    }
    let id = child.id().to_string();
    let terminate = || Command::new("kill").args(["-TERM", &id]).status().unwrap();
    terminate();
    // The second signal is another one only when the first was heard.
    while child.try_wait().unwrap().is_none() {
        terminate();
        wait();
    }
    assert_eq!(child.wait().unwrap().code(), Some(3), "the drawing never came back, the second signal ended it");
    assert_eq!(modes(), before, "the terminal echoes again");
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    let output = Command::new(example()).output().unwrap();
    assert!(!output.status.success());
    assert!(output.stdout.is_empty(), "no escape sequence goes to a pipe: {:?}", output.stdout);
    assert!(String::from_utf8_lossy(&output.stderr).contains("NoTerminal"));
}
