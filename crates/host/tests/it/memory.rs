//! Memory of real processes: what this test allocates, starts and limits itself is found again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use peaje_host::{ClientUse, LimitsOf, ProcessSet, this_host};
use peaje_model::{Architecture, MemorySample, WallKind};

const MIB: u64 = 1 << 20;

/// A shell with this script; killed with its children when it is dropped.
struct Shell(Child);

impl Shell {
    /// Returns when the script has said that it is ready.
    fn start(script: &str) -> Self {
        let mut command = Command::new("setsid");
        command.args(["sh", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("util-linux and a shell are installed");
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(child)
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_raw(self.0.id() as i32).expect("a process has a number");
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

/// `Pss` and private memory of processes by another way: every word of every line, added up by name.
fn by_hand(pids: &[u32]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for pid in pids {
        let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        for at in words.iter().enumerate().filter(|(_, word)| **word == "kB").map(|(at, _)| at) {
            *sums.entry(words[at - 2].trim_end_matches(':').to_owned()).or_default() +=
                words[at - 1].parse::<u64>().unwrap() * 1024;
        }
    }
    sums
}

/// A `sleep` that has not begun to sleep still loads its program.
fn wait_until_asleep(pid: u32) {
    let end = Instant::now() + Duration::from_secs(20);
    while !std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains("(sleep) S ") {
        assert!(Instant::now() < end, "process {pid} does not fall asleep");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn near(a: u64, b: u64, share: f64) -> bool {
    a.abs_diff(b) as f64 <= share * b as f64
}

#[test]
fn what_is_allocated_is_found_and_what_is_given_back_is_gone() {
    let host = this_host();
    let own = ProcessSet::only([std::process::id()]);
    let private = || host.process_memory(&own).unwrap().private.expect("Linux tells");
    let before = private();
    let touched = std::hint::black_box(vec![7_u8; 64 << 20]);
    let grown = private() - before;
    assert!(near(grown, 64 * MIB, 0.1), "{grown}");
    drop(touched);
    assert!(private() < before + 8 * MIB);
}

#[test]
fn a_tree_is_the_sum_of_its_processes() {
    let host = this_host();
    let shell = Shell::start("for i in 1 2 3 4 5; do sleep 60 & done; echo ready; read line");
    let set = ProcessSet::tree(shell.pid());
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", shell.pid())).unwrap();
    let mut pids: Vec<u32> = children.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    for pid in &pids {
        wait_until_asleep(*pid);
    }
    pids.push(shell.pid());
    // Whoever runs the same programs elsewhere shares their pages, and changes the shares: taken when that rests.
    let (memory, sums) = (0..100)
        .map(|_| (host.process_memory(&set).unwrap(), by_hand(&pids), host.process_memory(&set).unwrap()))
        .find_map(|(before, sums, after)| (before.pss == after.pss).then_some((before, sums)))
        .expect("there are quiet moments");
    assert_eq!((memory.processes, memory.threads), (6, 6));
    assert!(near(memory.pss.unwrap(), sums["Pss"], 0.02), "{memory:?} {sums:?}");
    assert!(near(memory.private.unwrap(), sums["Private_Clean"] + sums["Private_Dirty"], 0.02), "{memory:?} {sums:?}");
    assert!(near(memory.rss.unwrap(), sums["Rss"], 0.02), "{memory:?} {sums:?}");
    assert_eq!(memory.swap, Some(sums["SwapPss"]));
    assert!(memory.page_tables.unwrap() >= 6 * 4096 && memory.context_switches.unwrap() >= 6, "{memory:?}");
    // Each has touched a page of its stack at least, and none of these programs more than its usual limit.
    assert!((6 * 4096..6 * 8 * MIB).contains(&memory.thread_stacks.unwrap()), "{memory:?}");

    let look = host.memory_sample(Some(&set));
    assert_eq!(look.gap, None);
    assert_eq!(look.sample.server.unwrap().rss, memory.rss);
    drop(shell);
    let look = host.memory_sample(Some(&set));
    assert!(look.sample.server.is_none(), "{look:?}");
    assert!(look.gap.is_some_and(|gap| gap.why.contains("no process") && gap.next_step.is_some()));
}

#[test]
fn a_child_that_lost_its_parent_still_belongs_to_the_server() {
    let host = this_host();
    // The subshell ends at once: its child is given to another process, and stays in the session that the shell leads.
    let shell = Shell::start("(sleep 60 &) ; echo ready; read line");
    let memory = host.process_memory(&ProcessSet::tree(shell.pid())).unwrap();
    assert_eq!(memory.processes, 2);
}

#[test]
fn stacks_of_threads_are_those_parts_that_were_touched() {
    const THREADS: usize = 40;
    /// Touches this much of its own stack.
    #[inline(never)]
    #[expect(clippy::large_stack_arrays, reason = "a large stack is what is looked for")]
    fn touch() -> u8 {
        std::hint::black_box([1_u8; 512 << 10])[77]
    }
    let host = this_host();
    let own = ProcessSet::only([std::process::id()]);
    let (ready, all_ready) = channel();
    let (threads, ends): (Vec<_>, Vec<_>) = (0..THREADS)
        .map(|_| {
            let (end, wait) = channel::<()>();
            let ready = ready.clone();
            let run = move || {
                touch();
                ready.send(()).unwrap();
                let _ = wait.recv();
            };
            (std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap(), end)
        })
        .unzip();
    all_ready.iter().take(THREADS).for_each(drop);
    let with = host.process_memory(&own).unwrap();
    drop(ends);
    for thread in threads {
        thread.join().unwrap();
    }
    // Tests of the same program run beside this one: it may have a few threads more, never a few less.
    let least = THREADS as u64 * (512 << 10);
    let stacks = with.thread_stacks.expect("Linux tells");
    assert!((least..least * 2 + 16 * MIB).contains(&stacks), "{stacks} of at least {least}");
    assert!(with.threads > THREADS as u64 && with.context_switches > Some(THREADS as u64), "{with:?}");
}

#[test]
fn processes_that_come_and_go_do_no_harm() {
    let host = this_host();
    let shell = Shell::start("echo ready; while :; do true & /bin/true; done");
    let set = ProcessSet::tree(shell.pid());
    let end = Instant::now() + Duration::from_secs(1);
    while Instant::now() < end {
        let memory = host.process_memory(&set).expect("whoever has ended is left out");
        assert!(memory.processes >= 1 && memory.pss.is_some(), "{memory:?}");
    }
}

#[test]
fn four_hundred_processes_are_read_in_a_fifth_of_a_second() {
    let host = this_host();
    let shell = Shell::start("i=0; while [ $i -lt 400 ]; do sleep 120 & i=$((i+1)); done; echo ready; read line");
    let set = ProcessSet::tree(shell.pid());
    let own = std::process::id();
    let before = host.process_cpu(own).unwrap();
    let wall = Instant::now();
    const LOOKS: u32 = 5;
    for _ in 0..LOOKS {
        assert_eq!(host.memory_sample(Some(&set)).sample.server.unwrap().processes, 401);
    }
    // Processor time, because the machine may be busy; other tests of this program may be in it.
    let each = host.process_cpu(own).unwrap().since(before).total() / LOOKS;
    assert!(each < Duration::from_millis(200), "{each:?} of a processor, {:?} by the clock", wall.elapsed() / LOOKS);
}

#[test]
fn the_whole_machine() {
    let sample = this_host().memory_room(None);
    let host = sample.host;
    assert!(host.available < host.total && host.available > Some(MIB), "{host:?}");
    assert!(host.slab >= host.slab_unreclaimable && host.page_tables > Some(0), "{host:?}");
    assert!(host.context_switches > Some(1000) && host.sockets.is_some() && host.swap_used.is_some(), "{host:?}");
    assert!(sample.server.is_none() && sample.cgroup.is_none());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros() as i64;
    assert!((now - sample.clock_us).abs() < 10_000_000);
    let line = serde_json::to_string(&sample).unwrap();
    assert!(!line.contains('\n'));
    assert_eq!(serde_json::from_str::<MemorySample>(&line).unwrap(), sample);
}

/// A control group of this test's own, of whichever version there is; removed when it is dropped.
struct Group {
    folder: PathBuf,
    version: u8,
}

impl Group {
    fn make(limit: u64) -> Self {
        let old = Path::new("/sys/fs/cgroup/memory");
        let (base, version) =
            if old.join("cgroup.procs").exists() { (old, 1) } else { (Path::new("/sys/fs/cgroup"), 2) };
        let folder = base.join(format!("peaje-test-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let group = Self { folder, version };
        if version == 2 {
            let _ = std::fs::write(base.join("cgroup.subtree_control"), "+memory +pids");
        }
        let file = if version == 1 { "memory.limit_in_bytes" } else { "memory.max" };
        std::fs::write(group.folder.join(file), limit.to_string()).expect("root may limit its own group");
        group
    }

    fn take(&self, pid: u32) {
        std::fs::write(self.folder.join("cgroup.procs"), pid.to_string()).expect("root may move its own child");
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The members have been killed; the kernel may need a moment to let them go.
        let end = Instant::now() + Duration::from_secs(5);
        while std::fs::remove_dir(&self.folder).is_err() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn the_group_of_a_server_with_its_limit() {
    let host = this_host();
    let shell =
        Shell::start("echo ready; read line; head -c 20000000 /dev/zero | tail -c 20000000 | { read x; sleep 60; }");
    let set = ProcessSet::tree(shell.pid());
    if !rustix::process::geteuid().is_root() {
        // Whoever may make no groups has one all the same, or none: that of the shell is that of this process.
        let own = host.memory_room(Some(&ProcessSet::tree(std::process::id()))).cgroup;
        let its = host.memory_room(Some(&set)).cgroup;
        assert_eq!(own.map(|group| (group.path, group.limit)), its.map(|group| (group.path, group.limit)));
        return;
    }
    let group = Group::make(256 * MIB);
    group.take(shell.pid());
    let found = host.memory_sample(Some(&set)).sample.cgroup.expect("it is in a group");
    assert_eq!((found.version, found.limit), (group.version, Some(256 * MIB)));
    assert!(found.path.ends_with(group.folder.file_name().unwrap().to_str().unwrap()), "{found:?}");
    let usage = if group.version == 1 { "memory.usage_in_bytes" } else { "memory.current" };
    let by_file: u64 = std::fs::read_to_string(group.folder.join(usage)).unwrap().trim().parse().unwrap();
    assert!(found.usage.unwrap().abs_diff(by_file) < MIB, "{found:?} {by_file}");
    assert!(found.limit_hits.is_some() && found.killed == Some(0), "{found:?}");
    drop(shell);
}

#[test]
fn limits_of_a_real_process() {
    let host = this_host();
    let shell = Shell::start("echo ready; read line");
    let set = ProcessSet::tree(shell.pid());
    let client = ClientUse { processes: 2, sources: 3, destination: "127.0.0.1:5432".parse().ok() };
    let of = LimitsOf { server: Some((&set, Architecture::Thread)), client: Some(client) };
    let limits = host.session_limits(&of);
    let find = |name: &str, kind| {
        let found = limits.iter().find(|limit| limit.name == name && limit.kind == kind);
        found.unwrap_or_else(|| panic!("{name}: {limits:#?}"))
    };
    let shell_limit = Command::new("sh").args(["-c", "ulimit -n"]).output().unwrap().stdout;
    let shell_limit: u64 = String::from_utf8(shell_limit).unwrap().trim().parse().unwrap_or(u64::MAX);
    assert_eq!(find("RLIMIT_NOFILE", WallKind::ServerFiles).limit, shell_limit);
    assert!((3..=10).contains(&find("RLIMIT_NOFILE", WallKind::ServerFiles).taken), "{limits:?}");
    assert!(find("RLIMIT_NOFILE", WallKind::ClientFiles).taken >= 6);
    let (first, last) = host.ephemeral_ports().unwrap();
    let ports = find("net.ipv4.ip_local_port_range", WallKind::Ports).limit;
    assert!(ports <= 3 * (u64::from(last - first) + 1) && ports > 0);
    for (name, kind) in [("kernel.pid_max", WallKind::Threads), ("vm.max_map_count", WallKind::Threads)] {
        let found = find(name, kind);
        assert!(found.taken > 0 && found.taken < found.limit, "{found:?}");
    }
}

#[test]
fn raising_stops_at_what_is_wanted() {
    // In a process of its own: the limit cannot be put back when the hard one was raised.
    let before = this_host().open_files_limit().unwrap();
    assert_eq!(this_host().raise_open_files_to(before.min(64)), Some(before), "never lowered");
}
