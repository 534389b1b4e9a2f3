//! Whose memory is read, and what comes of it.
//!
//! A set of processes is not a list: a server's sessions may be processes that come and go, so who belongs to it is found
//! anew at each look.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use peaje_model::{Architecture, Gap, MemorySample};

use crate::HostError;

/// A process as the process table shows it. The number alone is not enough: numbers are given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) pid: u32,
    /// When it began, in the kernel's own count.
    pub(crate) began: u64,
    pub(crate) parent: u32,
    /// Session of the terminal's kind (`setsid`): named after the process that began it.
    pub(crate) session: u32,
    /// Ended, and not yet waited for: it has no memory any more.
    pub(crate) zombie: bool,
}

/// Who belongs to a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The named processes.
    Listed,
    /// Their descendants too.
    Descendants,
}

/// A server's processes, or a client's; a `Mutex` within keeps what was seen between looks.
#[derive(Debug)]
pub struct ProcessSet {
    roots: Vec<u32>,
    reach: Reach,
    except: Vec<u32>,
    /// Members at the last look, with their beginnings.
    known: Mutex<BTreeMap<u32, u64>>,
}

impl ProcessSet {
    /// A process and all its descendants: a postmaster with its backends, `mysqld` with its threads.
    ///
    /// A descendant stays a member when its parent ends and it is given to another one, if it was seen before, or if
    /// the root leads a session of its own (`setsid`, as servers do) and the descendant has not left it.
    pub fn tree(pid: u32) -> Self {
        Self::new(vec![pid], Reach::Descendants)
    }

    /// These processes and no others.
    pub fn only(pids: impl IntoIterator<Item = u32>) -> Self {
        Self::new(pids.into_iter().collect(), Reach::Listed)
    }

    /// Leaves a process and its descendants out: an embedded server is no part of the client that started it.
    pub fn except(mut self, pid: u32) -> Self {
        self.except.push(pid);
        self
    }

    /// The process it begins with.
    pub fn root(&self) -> Option<u32> {
        self.roots.first().copied()
    }

    fn new(roots: Vec<u32>, reach: Reach) -> Self {
        Self { roots, reach, except: Vec::new(), known: Mutex::default() }
    }

    /// The processes of which the table has to be read; `None` = of all.
    pub(crate) fn listed(&self) -> Option<&[u32]> {
        (self.reach == Reach::Listed && self.except.is_empty()).then_some(&self.roots)
    }

    /// The members that live now and have memory, ascending. An error when a root has ended.
    pub(crate) fn members(&self, table: &[Seen]) -> Result<Vec<u32>, HostError> {
        // Nothing panics while it is held; if it did, the old members would still be members.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let lives = |seen: &&Seen| known.get(&seen.pid).is_none_or(|began| *began == seen.began);
        let by_pid: BTreeMap<u32, &Seen> = table.iter().filter(lives).map(|seen| (seen.pid, seen)).collect();
        if let Some(gone) = self.roots.iter().find(|pid| by_pid.get(pid).is_none_or(|seen| seen.zombie)) {
            return Err(HostError::NoSuchProcess { pid: *gone });
        }
        let mut members: BTreeSet<u32> = self.roots.iter().copied().collect();
        if self.reach == Reach::Descendants {
            members.extend(known.keys().filter(|pid| by_pid.contains_key(pid)));
            members = with_descendants(members, table);
        }
        let outside = with_descendants(self.except.iter().copied().collect(), table);
        members.retain(|pid| !outside.contains(pid));
        *known = members.iter().filter_map(|pid| Some((*pid, by_pid.get(pid)?.began))).collect();
        Ok(members.into_iter().filter(|pid| by_pid.get(pid).is_some_and(|seen| !seen.zombie)).collect())
    }
}

/// These, their descendants, and who is left of the sessions that they lead.
fn with_descendants(begin: BTreeSet<u32>, table: &[Seen]) -> BTreeSet<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for seen in table {
        children.entry(seen.parent).or_default().push(seen.pid);
        if seen.session != seen.pid && seen.session != seen.parent {
            children.entry(seen.session).or_default().push(seen.pid);
        }
    }
    let mut open: Vec<u32> = begin.iter().copied().collect();
    let mut all = begin;
    while let Some(pid) = open.pop() {
        // Only once: a damaged table could hold a ring.
        let new = children.remove(&pid).unwrap_or_default();
        open.extend(new.into_iter().filter(|child| all.insert(*child)));
    }
    all
}

/// One look at the memory of a server's machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryLook {
    /// What was seen.
    pub sample: MemorySample,
    /// Why `sample.server` is `None` although a server was named.
    pub gap: Option<Gap>,
}

/// Whose limits are asked for. Both are set when server and client share this machine, and what both take of one limit
/// is then added up.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitsOf<'a> {
    /// A server on this machine, and how it serves a session.
    pub server: Option<(&'a ProcessSet, Architecture)>,
    /// A client on this machine.
    pub client: Option<ClientUse>,
}

/// What a client takes to open sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientUse {
    /// Processes over which sessions are spread, at most.
    pub processes: u32,
    /// Source addresses.
    pub sources: u32,
    /// Where to; `None` = a Unix socket, which takes no port.
    pub destination: Option<SocketAddr>,
}

/// Microseconds since 1970.
pub(crate) fn clock_us() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// What is missing when the processes of a server cannot be read, in words for people.
pub(crate) fn gap(error: &HostError) -> Gap {
    let next_step = match error {
        HostError::NoSuchProcess { .. } => "name the server's first process with --server-pid",
        HostError::Unreadable { .. } => {
            "run peaje as root or as the server's own account, or run `peaje sessions --observe` so and read it with \
             --observed-by"
        }
        HostError::Malformed { .. } => "report it with the kernel's version",
        HostError::Unsupported => "run `peaje sessions --observe` on Linux, or read the server's own views",
    };
    let why = match error {
        HostError::Unreadable { path, source } => format!("cannot read {}: {source}", path.display()),
        HostError::Unsupported => "the memory of another process is not read on this operating system".to_owned(),
        other => other.to_string(),
    };
    Gap { what: "memory of the server's processes".to_owned(), why, next_step: Some(next_step.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number, parent, session; each began when its number says.
    fn table(rows: &[(u32, u32, u32)]) -> Vec<Seen> {
        let seen = |&(pid, parent, session)| Seen { pid, began: pid.into(), parent, session, zombie: false };
        rows.iter().map(seen).collect()
    }

    const SERVER: &[(u32, u32, u32)] =
        &[(1, 0, 1), (50, 1, 50), (100, 1, 100), (101, 100, 100), (102, 100, 102), (103, 102, 102), (200, 50, 50)];

    #[test]
    fn a_tree_is_read_anew_at_each_look() {
        let set = ProcessSet::tree(100);
        assert_eq!(set.members(&table(SERVER)).unwrap(), [100, 101, 102, 103]);
        let later = [SERVER, &[(104, 100, 104)]].concat();
        assert_eq!(set.members(&table(&later)).unwrap(), [100, 101, 102, 103, 104]);
        let less: Vec<_> = later.into_iter().filter(|row| row.0 != 101).collect();
        assert_eq!(set.members(&table(&less)).unwrap(), [100, 102, 103, 104]);
    }

    #[test]
    fn who_is_given_to_another_parent_stays() {
        // 102 has ended; its child 103 now belongs to process 1.
        let rows = [(1, 0, 1), (100, 1, 100), (103, 1, 102)];
        let set = ProcessSet::tree(100);
        assert_eq!(set.members(&table(SERVER)).unwrap(), [100, 101, 102, 103]);
        assert_eq!(set.members(&table(&rows)).unwrap(), [100, 103], "it was seen before");
        assert_eq!(ProcessSet::tree(100).members(&table(&rows)).unwrap(), [100], "nothing tells whose it is");
        let same_session = [(1, 0, 1), (100, 1, 100), (103, 1, 100)];
        assert_eq!(ProcessSet::tree(100).members(&table(&same_session)).unwrap(), [100, 103], "its session tells");
    }

    #[test]
    fn a_number_given_again_is_another_process() {
        let set = ProcessSet::tree(100);
        set.members(&table(SERVER)).unwrap();
        let mut rows = table(&[(1, 0, 1), (100, 1, 100), (103, 1, 103)]);
        rows[2].began = 9_999;
        assert_eq!(set.members(&rows).unwrap(), [100], "a stranger has the number of a member that ended");
        rows[1].began = 9_999;
        assert!(matches!(set.members(&rows), Err(HostError::NoSuchProcess { pid: 100 })), "a stranger is no root");
    }

    #[test]
    fn an_embedded_server_is_no_part_of_its_client() {
        let client = ProcessSet::tree(50).except(100);
        let rows = [(1, 0, 1), (50, 1, 40), (51, 50, 40), (100, 50, 40), (101, 100, 101)];
        assert_eq!(client.members(&table(&rows)).unwrap(), [50, 51]);
        assert_eq!(ProcessSet::only([51, 101]).members(&table(&rows)).unwrap(), [51, 101]);
        assert_eq!(ProcessSet::only([51]).except(51).members(&table(&rows)).unwrap(), [0; 0]);
    }

    #[test]
    fn the_ended_have_no_memory_and_rings_end() {
        let mut rows = table(SERVER);
        rows[3].zombie = true;
        assert_eq!(ProcessSet::tree(100).members(&rows).unwrap(), [100, 102, 103]);
        rows[2].zombie = true;
        assert!(ProcessSet::tree(100).members(&rows).is_err());
        let ring = table(&[(7, 8, 8), (8, 7, 7)]);
        assert_eq!(ProcessSet::tree(7).members(&ring).unwrap(), [7, 8]);
    }

    #[test]
    fn every_reason_has_a_next_step() {
        let source = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let unreadable = HostError::Unreadable { path: "/proc/7/smaps_rollup".into(), source };
        for (error, word) in [
            (HostError::NoSuchProcess { pid: 7 }, "--server-pid"),
            (unreadable, "--observe"),
            (HostError::Malformed { path: "/proc/7/stat".into(), missing: "ppid" }, "report"),
            (HostError::Unsupported, "--observe"),
        ] {
            let gap = gap(&error);
            assert!(gap.next_step.as_deref().is_some_and(|step| step.contains(word)), "{gap:?}");
            assert!(!gap.why.is_empty());
        }
    }
}
