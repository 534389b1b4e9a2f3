//! Limits of this machine that sessions run into, each with what is taken of it already.
//!
//! What a session takes depends on how it is served: a thread, a process, or nothing but a descriptor. A limit that
//! these sessions do not use is left out.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use peaje_model::{Architecture, LimitRead, WallKind};

use super::{LinuxHost, fields, limits, listener, net};
use crate::{ClientUse, LimitsOf, ProcessSet};

/// Files of a process that serves one session, where none is there to be looked at.
const FILES_OF_A_PROCESS: f64 = 8.0;
/// Processes that are looked at for their own files.
const SAMPLED_PROCESSES: usize = 8;
/// `fs.file-max` of newer kernels is the largest number there is: no limit.
const NO_LIMIT: u64 = 1 << 40;
/// A thread has a mapping for its stack and one for the guard page beneath.
const MAPPINGS_OF_A_THREAD: f64 = 2.0;

/// What one more session adds to the tasks of a server's machine.
fn task_kind(architecture: Architecture) -> Option<WallKind> {
    match architecture {
        Architecture::Process => Some(WallKind::Processes),
        Architecture::Thread => Some(WallKind::Threads),
        Architecture::Event | Architecture::ThreadPool => None,
    }
}

fn read(kind: WallKind, name: &str, (limit, taken): (u64, u64), per_session: f64) -> LimitRead {
    LimitRead { kind, name: name.to_owned(), limit, taken, per_session }
}

/// All threads of the machine, in the fourth word of `/proc/loadavg`: `0.20 0.18 0.12 1/80 11206`.
fn tasks(loadavg: &str) -> Option<u64> {
    loadavg.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// Real user number in `/proc/PID/status`.
fn user(status: &str) -> Option<u64> {
    fields::number(status, "Uid")
}

/// How many ports a list like `8080,9148-9150` takes out of a range.
fn reserved(list: &str, (first, last): (u16, u16)) -> u64 {
    let within = |text: &str| {
        let (from, to) = text.trim().split_once('-').unwrap_or((text.trim(), text.trim()));
        let (from, to): (u16, u16) = (from.parse().ok()?, to.parse().ok()?);
        let (from, to) = (from.max(first), to.min(last));
        (from <= to).then(|| u64::from(to - from) + 1)
    };
    list.split(',').filter_map(within).sum()
}

/// Sockets of a table that are connected, or were just now, to an address: each holds a port.
fn connected_to(table: &str, destination: SocketAddr) -> u64 {
    let same = |found: SocketAddr| {
        found.port() == destination.port() && found.ip().to_canonical() == destination.ip().to_canonical()
    };
    table.lines().filter_map(listener::remote).filter(|found| same(*found)).count() as u64
}

impl LinuxHost {
    pub(super) fn walls(&self, of: &LimitsOf<'_>) -> Vec<LimitRead> {
        let mut found = Vec::new();
        if let Some((set, architecture)) = of.server {
            found.extend(self.server_walls(set, architecture));
        }
        if let Some(client) = of.client {
            found.extend(self.client_walls(client));
        }
        found.extend(self.file_table(of));
        found
    }

    fn server_walls(&self, set: &ProcessSet, architecture: Architecture) -> Vec<LimitRead> {
        let Some(root) = set.root() else { return Vec::new() };
        let limits = self.read(format!("proc/{root}/limits")).unwrap_or_default();
        let mut found = Vec::new();
        if architecture != Architecture::Process {
            found.extend(self.server_files(set));
        }
        if let Some(kind) = task_kind(architecture) {
            let all = self.read("proc/loadavg").ok().and_then(|text| tasks(&text)).unwrap_or(0);
            for (name, file) in [("kernel.pid_max", "pid_max"), ("kernel.threads-max", "threads-max")] {
                let limit = self.number(&format!("proc/sys/kernel/{file}"));
                found.extend(limit.map(|limit| read(kind, name, (limit, all), 1.0)));
            }
            if let Some((tasks, Some(limit))) = self.tasks_room(root) {
                found.push(read(kind, "pids.max", (limit, tasks), 1.0));
            }
            let of_user = limits::soft_limit(&limits, "Max processes").filter(|limit| *limit != u64::MAX);
            let taken = of_user.and_then(|_| self.tasks_of_user(root));
            found.extend(of_user.zip(taken).map(|room| read(kind, "RLIMIT_NPROC", room, 1.0)));
        }
        if architecture == Architecture::Thread {
            let maps = self.read(format!("proc/{root}/maps")).unwrap_or_default().lines().count() as u64;
            let limit = self.number("proc/sys/vm/max_map_count");
            let wall = |limit| read(WallKind::Threads, "vm.max_map_count", (limit, maps), MAPPINGS_OF_A_THREAD);
            found.extend(limit.map(wall));
        }
        found
    }

    /// The server's own limit, over all its processes: one that spreads its sessions has the room of each.
    fn server_files(&self, set: &ProcessSet) -> Option<LimitRead> {
        let members = set.members(&self.table(set.listed())).ok()?;
        let one = |pid: &u32| {
            let limit = limits::open_files_of(&self.read(format!("proc/{pid}/limits")).ok()?)?;
            Some((limit, self.descriptors(*pid)?.len() as u64))
        };
        let all: Vec<(u64, u64)> = members.iter().filter_map(one).collect();
        let sum = all.into_iter().reduce(|a, b| (a.0.saturating_add(b.0), a.1 + b.1))?;
        (sum.0 != u64::MAX).then(|| read(WallKind::ServerFiles, "RLIMIT_NOFILE", sum, 1.0))
    }

    fn client_walls(&self, client: ClientUse) -> Vec<LimitRead> {
        let mut found = Vec::new();
        let processes = u64::from(client.processes.max(1));
        let limit = limits::open_files();
        if limit != u64::MAX {
            // Each of them has about as many open as this one.
            let taken = self.descriptors(std::process::id()).map_or(0, |all| all.len() as u64);
            let room = (limit.saturating_mul(processes), taken * processes);
            found.push(read(WallKind::ClientFiles, "RLIMIT_NOFILE", room, 1.0));
        }
        found.extend(client.destination.and_then(|destination| self.ports(client.sources, destination)));
        found
    }

    fn ports(&self, sources: u32, destination: SocketAddr) -> Option<LimitRead> {
        let range = net::port_range(&self.read("proc/sys/net/ipv4/ip_local_port_range").ok()?)?;
        let list = self.read("proc/sys/net/ipv4/ip_local_reserved_ports").unwrap_or_default();
        let each = (u64::from(range.1 - range.0) + 1).saturating_sub(reserved(&list, range));
        let table = |name| self.read(name).unwrap_or_default();
        let taken = ["proc/net/tcp", "proc/net/tcp6"].map(|name| connected_to(&table(name), destination));
        let room = (each * u64::from(sources.max(1)), taken.iter().sum());
        Some(read(WallKind::Ports, "net.ipv4.ip_local_port_range", room, 1.0))
    }

    /// Open files of the whole machine; a client on it takes one for each session as well.
    fn file_table(&self, of: &LimitsOf<'_>) -> Option<LimitRead> {
        let limit = self.number("proc/sys/fs/file-max").filter(|limit| *limit < NO_LIMIT)?;
        let taken = self.number("proc/sys/fs/file-nr")?;
        let server = of.server.map_or(0.0, |(set, architecture)| match architecture {
            Architecture::Process => self.files_of_a_process(set),
            Architecture::Thread | Architecture::Event | Architecture::ThreadPool => 1.0,
        });
        let client = of.client.map_or(0.0, |_| 1.0);
        let kind = if of.server.is_some() { WallKind::ServerFiles } else { WallKind::ClientFiles };
        (server + client > 0.0).then(|| read(kind, "fs.file-max", (limit, taken), server + client))
    }

    /// Files that a process has beside those that it has from its parent, which the machine counts once.
    fn files_of_a_process(&self, set: &ProcessSet) -> f64 {
        let Some(root) = set.root() else { return FILES_OF_A_PROCESS };
        let members = set.members(&self.table(set.listed())).unwrap_or_default();
        let inherited: BTreeSet<String> = self.descriptors(root).unwrap_or_default().into_iter().collect();
        // Event queues and the like all have one name.
        let own = |file: &String| file.starts_with("anon_inode:") || !inherited.contains(file);
        let count = |pid: u32| Some(self.descriptors(pid)?.iter().filter(|file| own(file)).count());
        let children = members.into_iter().filter(|pid| *pid != root).rev().take(SAMPLED_PROCESSES);
        children.filter_map(count).max().map_or(FILES_OF_A_PROCESS, |most| most as f64)
    }

    /// What a process's descriptors lead to; `None` where it may not be seen.
    fn descriptors(&self, pid: u32) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(self.path(format!("proc/{pid}/fd"))).ok()?;
        let target = |entry: std::fs::DirEntry| std::fs::read_link(entry.path()).ok();
        let all = entries.filter_map(|entry| target(entry.ok()?));
        Some(all.map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// Threads of the user that a process runs as; `None` for root, whom the limit does not hold.
    fn tasks_of_user(&self, pid: u32) -> Option<u64> {
        let status = |pid: u32| self.read(format!("proc/{pid}/status")).ok();
        let wanted = user(&status(pid)?).filter(|user| *user != 0)?;
        let of_user = |status: &String| user(status) == Some(wanted);
        let threads = |status: String| fields::number(&status, "Threads");
        Some(self.pids().into_iter().filter_map(status).filter(of_user).filter_map(threads).sum())
    }

    /// The first number of a file.
    fn number(&self, relative: &str) -> Option<u64> {
        self.read(relative).ok()?.split_ascii_whitespace().next()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_the_kernel() {
        assert_eq!(tasks("2.12 1.82 1.82 3/112 18844\n"), Some(112));
        assert_eq!(tasks("2.12 1.82 1.82 3 18844\n"), None);
        assert_eq!(user("Name:\tx\nUid:\t112\t0\t0\t0\n"), Some(112));
        let range = (32_768, 60_999);
        for (list, expected) in
            [("", 0), ("\n", 0), ("8080", 0), ("40000", 1), ("40000,50000-50009,1-32768", 12), ("x-y", 0), ("9-3", 0)]
        {
            assert_eq!(reserved(list, range), expected, "{list}");
        }
    }

    /// As recorded on a little-endian machine: the client's end, the server's, one of TIME_WAIT, another destination.
    #[cfg(target_endian = "little")]
    #[test]
    fn ports_that_are_taken() {
        let table = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:C350 0100007F:1538 01 00000000:00000000 00:00000000 00000000   999        0 300 1
   1: 0100007F:1538 0100007F:C350 01 00000000:00000000 00:00000000 00000000   999        0 301 1
   2: 0200007F:C351 0100007F:1538 06 00000000:00000000 03:00000000 00000000     0        0 0 3
   3: 0100007F:C352 0100007F:1539 01 00000000:00000000 00:00000000 00000000   999        0 302 1
";
        assert_eq!(connected_to(table, "127.0.0.1:5432".parse().unwrap()), 2);
        assert_eq!(connected_to(table, "[::ffff:127.0.0.1]:5432".parse().unwrap()), 2);
        assert_eq!(connected_to(table, "10.0.0.1:5432".parse().unwrap()), 0);
    }

    /// Server 20 with one child, user 112, who has another process; 100 threads on the machine.
    fn look_alike() -> (tempfile::TempDir, LinuxHost) {
        let root = tempfile::tempdir().unwrap();
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax processes  500  500  processes\n\
            Max open files  1024  4096  files\n";
        for (pid, parent, uid, threads) in [(20, 1, 112, 30), (21, 20, 112, 1), (33, 1, 112, 2), (40, 1, 0, 5)] {
            let folder = root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(folder.join("fd")).unwrap();
            let status = format!("Name:\tdb\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nThreads:\t{threads}\n");
            let stat = format!("{pid} (db) S {parent} {pid} {pid} 0 -1 0 0 0 0 0 1 1 1 1 20 0 1 0 {pid} 0\n");
            let files =
                [("status", status.as_str()), ("limits", limits), ("maps", "a\nb\nc\n"), ("stat", stat.as_str())];
            for (name, text) in files {
                std::fs::write(folder.join(name), text).unwrap();
            }
            let own = format!("socket:[{pid}]");
            for (fd, target) in ["/dev/null", "pipe:[1]", &own, "anon_inode:[eventpoll]"].iter().enumerate() {
                std::os::unix::fs::symlink(target, folder.join(format!("fd/{fd}"))).unwrap();
            }
            std::fs::write(folder.join("cgroup"), "8:pids:/box\n").unwrap();
        }
        for (path, text) in [
            ("proc/loadavg", "0.1 0.1 0.1 1/100 77\n"),
            ("proc/sys/kernel/pid_max", "32768\n"),
            ("proc/sys/kernel/threads-max", "192730\n"),
            ("proc/sys/vm/max_map_count", "65530\n"),
            ("proc/sys/fs/file-max", "2466177\n"),
            ("proc/sys/fs/file-nr", "557\t0\t2466177\n"),
            ("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
            ("proc/sys/net/ipv4/ip_local_reserved_ports", "40000-40009\n"),
            ("sys/fs/cgroup/pids/box/pids.current", "12\n"),
            ("sys/fs/cgroup/pids/box/pids.max", "200\n"),
        ] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let host = LinuxHost::at(root.path());
        (root, host)
    }

    fn walls(host: &LinuxHost, of: &LimitsOf<'_>) -> Vec<(WallKind, String, u64, u64, f64)> {
        let flat = |limit: LimitRead| (limit.kind, limit.name, limit.limit, limit.taken, limit.per_session);
        host.walls(of).into_iter().map(flat).collect()
    }

    #[test]
    fn each_architecture_has_its_own_walls() {
        use WallKind::{Processes, ServerFiles, Threads};
        let (_root, host) = look_alike();
        let set = ProcessSet::tree(20);
        let of = |architecture| walls(&host, &LimitsOf { server: Some((&set, architecture)), client: None });
        let tasks = |kind| {
            let row = |name: &str, limit, taken| (kind, name.to_owned(), limit, taken, 1.0);
            vec![
                row("kernel.pid_max", 32_768, 100),
                row("kernel.threads-max", 192_730, 100),
                row("pids.max", 200, 12),
                row("RLIMIT_NPROC", 500, 33),
            ]
        };
        let own_files = (ServerFiles, "RLIMIT_NOFILE".to_owned(), 2 * 1024, 8, 1.0);
        let all_files = |per_session| (ServerFiles, "fs.file-max".to_owned(), 2_466_177, 557, per_session);
        let processes = [tasks(Processes), vec![all_files(2.0)]].concat();
        assert_eq!(of(Architecture::Process), processes, "its own socket and event queue");
        let mappings = (Threads, "vm.max_map_count".to_owned(), 65_530, 3, 2.0);
        let threads = [vec![own_files.clone()], tasks(Threads), vec![mappings, all_files(1.0)]].concat();
        assert_eq!(of(Architecture::Thread), threads);
        assert_eq!(of(Architecture::Event), [own_files, all_files(1.0)]);
    }

    #[test]
    fn root_is_not_held_by_its_limit_of_processes() {
        let (_root, host) = look_alike();
        let set = ProcessSet::tree(40);
        let found = walls(&host, &LimitsOf { server: Some((&set, Architecture::Thread)), client: None });
        assert!(found.iter().all(|wall| wall.1 != "RLIMIT_NPROC"), "{found:?}");
    }

    #[test]
    fn a_client_has_files_and_ports() {
        let (_root, host) = look_alike();
        let set = ProcessSet::tree(20);
        let client = ClientUse { processes: 3, sources: 4, destination: "127.0.0.1:5432".parse().ok() };
        let found = walls(&host, &LimitsOf { server: None, client: Some(client) });
        let own = limits::open_files();
        assert!(found.contains(&(WallKind::ClientFiles, "RLIMIT_NOFILE".to_owned(), own * 3, 0, 1.0)), "{found:?}");
        let ports = (WallKind::Ports, "net.ipv4.ip_local_port_range".to_owned(), (28_232 - 10) * 4, 0, 1.0);
        assert!(found.contains(&ports), "{found:?}");
        assert!(found.contains(&(WallKind::ClientFiles, "fs.file-max".to_owned(), 2_466_177, 557, 1.0)), "{found:?}");
        let of = LimitsOf {
            server: Some((&set, Architecture::Event)),
            client: Some(ClientUse { destination: None, ..client }),
        };
        let found = walls(&host, &of);
        assert!(found.contains(&(WallKind::ServerFiles, "fs.file-max".to_owned(), 2_466_177, 557, 2.0)), "{found:?}");
        assert!(found.iter().all(|wall| wall.0 != WallKind::Ports), "a Unix socket takes no port: {found:?}");
    }

    #[test]
    fn what_is_not_known_is_no_wall() {
        let root = tempfile::tempdir().unwrap();
        let set = ProcessSet::tree(20);
        let of = LimitsOf { server: Some((&set, Architecture::Thread)), client: None };
        assert_eq!(walls(&LinuxHost::at(root.path()), &of), []);
        assert_eq!(walls(&LinuxHost::at(root.path()), &LimitsOf::default()), []);
    }

    proptest! {
        #[test]
        fn never_panics(text in "[0-9a-fA-F:,/ \t\n-]{0,120}", first: u16, last: u16) {
            let _ = (tasks(&text), user(&format!("Uid:{text}")), reserved(&text, (first, last)));
            let _ = connected_to(&text, "127.0.0.1:1".parse().unwrap());
        }
    }
}
