//! Questions at a terminal: a pseudo-terminal is made by script(1) (Debian package bsdutils).

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Serve, wait_for};

/// A shell script that runs at a terminal of its own.
struct Terminal {
    child: Child,
    seen: Arc<Mutex<String>>,
}

impl Terminal {
    /// Runs `peaje ARGS`, then prints its exit code and the state of the terminal. The shell outlives Ctrl-C.
    fn start(args: &str) -> Self {
        let script = format!("trap : INT; {} {args}; echo code=$?; stty -a", env!("CARGO_BIN_EXE_peaje"));
        let mut command = Command::new("script");
        command.args(["-qec", &script, "/dev/null"]).env("SHELL", "/bin/sh").env("HOME", "/nonexistent");
        for name in ["PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSSLMODE"] {
            command.env_remove(name);
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script(1) is installed (bsdutils)");
        let mut output = child.stdout.take().expect("piped");
        let seen = Arc::new(Mutex::new(String::new()));
        let all = seen.clone();
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(n @ 1..) = output.read(&mut part) {
                all.lock().expect("nobody panics").push_str(&String::from_utf8_lossy(&part[..n]));
            }
        });
        Self { child, seen }
    }

    fn text(&self) -> String {
        self.seen.lock().expect("nobody panics").clone()
    }

    fn wait_for(&self, words: &str) {
        wait_for(words, Duration::from_secs(20), || self.text().contains(words));
    }

    fn type_in(&mut self, keys: &str) {
        let input = self.child.stdin.as_mut().expect("piped");
        input.write_all(keys.as_bytes()).and_then(|()| input.flush()).expect("the terminal listens");
    }

    /// Waits for the end; the terminal must echo again.
    fn end(&mut self, code: i32) -> String {
        self.wait_for(&format!("code={code}"));
        self.wait_for("icanon");
        wait_for("the last line of stty", Duration::from_secs(5), || self.text().contains("echoctl"));
        let text = self.text();
        assert!(text.contains(" echo ") && !text.contains("-echo ") && !text.contains("-icanon"), "{text}");
        text
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_load_is_agreed_to_or_not() {
    let serve = Serve::start(&[]);
    let load = format!("login '{}' --concurrency 5 --logins 50", serve.url);
    for (keys, code, words) in
        [("y\n", 0, "unpooled"), ("n\n", 2, "not agreed"), ("\n", 2, "not agreed"), ("\x03", 130, "Go on?")]
    {
        let mut terminal = Terminal::start(&load);
        terminal.wait_for("Go on? [y/N] ");
        terminal.type_in(keys);
        let text = terminal.end(code);
        assert!(text.contains(words), "{keys:?}: {text}");
        assert!(text.contains("about 50 logins"), "{text}");
    }
}

#[test]
fn a_password_is_asked_for_and_not_shown() {
    let serve = Serve::start(&["--password", "right-horse"]);
    let login = format!("login '{}' --logins 3", serve.url);
    for (keys, code, words) in [
        ("right-horse\n", 0, "unpooled"),
        ("wrong-horse\n", 2, "28P01"),
        // The key itself, in the middle of a word.
        ("wrong\x03", 130, "Password for peaje"),
    ] {
        let mut terminal = Terminal::start(&login);
        terminal.wait_for("Password for peaje: ");
        terminal.type_in(keys);
        let text = terminal.end(code);
        assert!(text.contains(words) && !text.contains("horse"), "{keys:?}: {text}");
    }
}

#[test]
fn a_signal_at_the_password_prompt_gives_the_terminal_back() {
    let serve = Serve::start(&["--password", "right-horse"]);
    // The shell tells its own number, and `exec` in a child keeps the number of peaje.
    let mut terminal = Terminal::start(&format!("login '{}' --tag T{}", serve.url, std::process::id()));
    terminal.wait_for("Password for peaje: ");
    let tag = format!("T{}", std::process::id());
    let pid = std::fs::read_dir("/proc")
        .expect("Linux")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .find(|pid| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.starts_with(env!("CARGO_BIN_EXE_peaje").as_bytes())
                && words.split(|b| *b == 0).any(|word| word == tag.as_bytes())
        })
        .expect("peaje runs");
    let pid = rustix::process::Pid::from_raw(pid).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it lives");
    terminal.end(130);
}
