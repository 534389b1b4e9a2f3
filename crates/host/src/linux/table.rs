//! The process table: who is whose child, and which sessions there are, from `/proc/PID/stat`.

use std::io::ErrorKind;

use super::LinuxHost;
use super::stat::ESRCH;
use crate::HostError;
use crate::memory::Seen;

/// Field numbers of proc_pid_stat(5): 3 state, 4 ppid, 6 session, 22 starttime.
fn parse(pid: u32, text: &str) -> Option<Seen> {
    // The name before may hold spaces and parentheses.
    let (_, after_name) = text.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let began = fields.nth(15)?.parse().ok()?;
    Some(Seen { pid, began, parent, session, zombie: matches!(state, "Z" | "X" | "x") })
}

/// Field 51, `env_end`: where the main thread's stack begins, downwards, beneath a page or two. Zero where it may not
/// be seen.
pub(super) fn environment_end(text: &str) -> Option<u64> {
    let (_, after_name) = text.rsplit_once(')')?;
    let end = after_name.split_ascii_whitespace().nth(51 - 3)?.parse().ok()?;
    (end > 0).then_some(end)
}

impl LinuxHost {
    /// These processes, or all.
    pub(super) fn table(&self, listed: Option<&[u32]>) -> Vec<Seen> {
        let pids = listed.map_or_else(|| self.pids(), <[u32]>::to_vec);
        pids.into_iter().filter_map(|pid| parse(pid, &self.read(format!("proc/{pid}/stat")).ok()?)).collect()
    }

    /// A file of a process; `None` = it has ended.
    pub(super) fn file_of(&self, pid: u32, name: &str) -> Result<Option<String>, HostError> {
        let relative = format!("proc/{pid}/{name}");
        match self.read(&relative) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(ESRCH) => Ok(None),
            Err(source) => Err(HostError::Unreadable { path: self.path(relative), source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As recorded.
    const CAT: &str = "18841 (cat) R 18836 18836 11939 0 -1 4194304 102 0 0 0 0 0 0 0 20 0 1 0 3692046 3133440 380 \
        18446744073709551615 94127384170496 94127384190377 140725421058352 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 \
        94127384206384 94127384208000 94128203132928 140725421066977 140725421066997 140725421066997 140725421068267 0\n";

    #[test]
    fn a_recorded_line() {
        let seen = Seen { pid: 18841, began: 3_692_046, parent: 18836, session: 11939, zombie: false };
        assert_eq!(parse(18841, CAT), Some(seen));
        assert_eq!(environment_end(CAT), Some(140_725_421_068_267));
        let odd = CAT.replace("(cat) R", "(a) Z 1 (b) Z");
        assert_eq!(parse(18841, &odd), Some(Seen { zombie: true, ..seen }));
        assert_eq!(parse(18841, "18841 (cat) R 1 2 3"), None);
        assert_eq!(environment_end("1 (x) S 0 0"), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,300}") {
            let _ = (parse(1, &text), environment_end(&text));
        }
    }
}
