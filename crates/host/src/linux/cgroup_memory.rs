//! Memory and tasks of the control group that a server lives in, in both versions.
//!
//! Of the group and those above it, the one whose limit leaves the least room decides. Limit, use and the rest are told
//! of that one group: the limit of one beside the use of another would be a room that nobody has.

use peaje_model::CgroupMemory;

use super::hierarchy::{Place, Version};
use super::{LinuxHost, fields};

/// Version 1 writes "no limit" as the largest number of whole pages, which depends on the size of a page.
const NO_LIMIT: u64 = 1 << 62;

/// A number, or `max` (version 2) or a very large one (version 1) for none.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|limit| *limit < NO_LIMIT)
}

fn amount(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// The smaller one of those that are known.
fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

/// Version 1, from the texts of `limit_in_bytes`, `usage_in_bytes`, `stat`, `memsw.limit_in_bytes`, `failcnt` and
/// `oom_control` of the controller `memory`.
fn version_1(file: impl Fn(&str) -> Option<String>) -> CgroupMemory {
    let number = |name: &str| file(name).and_then(|text| amount(&text));
    let stat = file("memory.stat").unwrap_or_default();
    let limit_of = |name: &str| file(name).and_then(|text| limit(&text));
    let own_limit = limit_of("memory.limit_in_bytes");
    let both = limit_of("memory.memsw.limit_in_bytes");
    CgroupMemory {
        version: 1,
        limit: own_limit,
        usage: number("memory.usage_in_bytes"),
        reclaimable: fields::word(&stat, "total_inactive_file").or_else(|| fields::word(&stat, "inactive_file")),
        swap: fields::word(&stat, "total_swap").or_else(|| fields::word(&stat, "swap")),
        // The limit of version 1 is that of memory and swap together.
        swap_limit: both.map(|both| both.saturating_sub(own_limit.unwrap_or(0))),
        limit_hits: number("memory.failcnt"),
        killed: file("memory.oom_control").and_then(|text| fields::word(&text, "oom_kill")),
        ..CgroupMemory::default()
    }
}

/// Version 2. `memory.high` counts as a limit: beyond it the group is throttled until it gives memory back.
fn version_2(file: impl Fn(&str) -> Option<String>) -> CgroupMemory {
    let limit_of = |name: &str| file(name).and_then(|text| limit(&text));
    let number = |name: &str| file(name).and_then(|text| amount(&text));
    let (stat, events) = (file("memory.stat").unwrap_or_default(), file("memory.events").unwrap_or_default());
    let hits = ["max", "high"].map(|name| fields::word(&events, name));
    CgroupMemory {
        version: 2,
        limit: least(limit_of("memory.max"), limit_of("memory.high")),
        usage: number("memory.current"),
        reclaimable: fields::word(&stat, "inactive_file"),
        swap: number("memory.swap.current"),
        swap_limit: limit_of("memory.swap.max"),
        limit_hits: hits.into_iter().flatten().reduce(u64::saturating_add),
        killed: fields::word(&events, "oom_kill"),
        ..CgroupMemory::default()
    }
}

/// Which of the levels (lowest first) binds: the one with the least room, or the lowest when there is no limit. `above`
/// is the limit that the kernel itself names for the lowest (version 1), which holds groups that cannot be seen.
fn binding(mut levels: Vec<CgroupMemory>, above: Option<u64>) -> Option<CgroupMemory> {
    levels.retain(|group| group.usage.is_some());
    if levels.is_empty() {
        return None;
    }
    if let Some(above) = above {
        // A lower limit further up does not bind: the hierarchy is switched off there (`use_hierarchy` = 0).
        let lowest = levels[0].clone();
        levels.retain(|group| *group == lowest || group.limit.is_none_or(|limit| limit >= above));
        if !levels.iter().any(|group| group.limit == Some(above)) {
            levels[0].limit = least(levels[0].limit, Some(above));
        }
    }
    let tightest = levels.iter().filter(|group| group.limit.is_some()).min_by_key(|group| group.room());
    Some(tightest.unwrap_or(&levels[0]).clone())
}

impl LinuxHost {
    /// The group of a process; `None` when it is in none but the root, which is the machine, or cannot be seen.
    pub(super) fn cgroup_memory(&self, pid: u32) -> Option<CgroupMemory> {
        let place = self.group_of(pid, "memory")?;
        let levels: Vec<CgroupMemory> = place.levels().iter().map(|level| self.group_at(level)).collect();
        let above = match place.version {
            Version::One => self.file_at(&place, "memory.stat").and_then(|stat| named_limit(&stat)),
            Version::Two => None,
        };
        let mut group = binding(levels, above)?;
        if group.path == "/" && group.limit.is_none() {
            return None;
        }
        (group.tasks, group.tasks_limit) = match self.tasks_room(pid) {
            Some((tasks, limit)) => (Some(tasks), limit),
            None => (None, None),
        };
        Some(group)
    }

    /// Processes and threads of the process's group with the limit that leaves least room, and that limit.
    pub(super) fn tasks_room(&self, pid: u32) -> Option<(u64, Option<u64>)> {
        let levels = self.group_of(pid, "pids")?.levels();
        let read = |level: &Place| {
            let tasks = self.file_at(level, "pids.current").and_then(|text| amount(&text))?;
            Some((tasks, self.file_at(level, "pids.max").and_then(|text| limit(&text))))
        };
        let all: Vec<(u64, Option<u64>)> = levels.iter().filter_map(read).collect();
        let limited = all.iter().filter_map(|one| Some((one.1?.saturating_sub(one.0), one)));
        limited.min_by_key(|(room, _)| *room).map(|(_, one)| *one).or_else(|| all.first().copied())
    }

    fn group_at(&self, place: &Place) -> CgroupMemory {
        let file = |name: &str| self.file_at(place, name);
        let group = match place.version {
            Version::One => version_1(file),
            Version::Two => version_2(file),
        };
        CgroupMemory { path: place.path(), ..group }
    }

    fn file_at(&self, place: &Place, name: &str) -> Option<String> {
        self.read(place.folder().join(name)).ok()
    }
}

/// The least limit of a group and all above it, seen or not.
fn named_limit(stat: &str) -> Option<u64> {
    fields::word(stat, "hierarchical_memory_limit").filter(|limit| *limit < NO_LIMIT)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, LinuxHost) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let host = LinuxHost::at(root.path());
        (root, host)
    }

    fn group(files: &[(&str, &str)]) -> Option<CgroupMemory> {
        machine(files).1.cgroup_memory(7)
    }

    /// As recorded on Linux 6.18, shortened; sums made distinct.
    const STAT_1: &str = "cache 36864\nrss 1150976\nswap 1\ninactive_file 12288\nhierarchical_memory_limit 805306368\n\
        hierarchical_memsw_limit 9223372036854771712\ntotal_cache 36864\ntotal_swap 4096\ntotal_inactive_file 8192\n";

    #[test]
    fn version_1_as_recorded() {
        let found = group(&[
            ("proc/7/cgroup", "8:pids:/box\n4:memory:/box\n0::/\n"),
            ("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "805306368\n"),
            ("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "104857600\n"),
            ("sys/fs/cgroup/memory/box/memory.stat", STAT_1),
            ("sys/fs/cgroup/memory/box/memory.memsw.limit_in_bytes", "1073741824\n"),
            ("sys/fs/cgroup/memory/box/memory.failcnt", "17\n"),
            ("sys/fs/cgroup/memory/box/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "999999999\n"),
            ("sys/fs/cgroup/pids/box/pids.current", "5\n"),
            ("sys/fs/cgroup/pids/box/pids.max", "max\n"),
        ]);
        let expected = CgroupMemory {
            path: "/box".to_owned(),
            version: 1,
            limit: Some(768 * MIB),
            usage: Some(100 * MIB),
            reclaimable: Some(8192),
            swap: Some(4096),
            swap_limit: Some(256 * MIB),
            limit_hits: Some(17),
            killed: Some(2),
            tasks: Some(5),
            tasks_limit: None,
        };
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn version_1_without_swap_accounting_or_in_the_root() {
        let bare = [
            ("proc/7/cgroup", "4:memory:/box\n"),
            ("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854710272\n"),
            ("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "4096\n"),
        ];
        let found = group(&bare).unwrap();
        assert_eq!((found.limit, found.usage), (None, Some(4096)), "pages of 64 KiB write no limit otherwise");
        assert_eq!((found.swap, found.swap_limit, found.killed, found.tasks), (None, None, None, None));
        let root = [
            ("proc/7/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n"),
        ];
        assert_eq!(group(&root), None, "the root is the machine");
    }

    #[test]
    fn a_limit_above_the_container_is_known_by_the_kernels_word() {
        let found = group(&[
            ("proc/7/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n"),
            ("sys/fs/cgroup/memory/memory.stat", STAT_1),
        ]);
        assert_eq!(found.and_then(|group| group.limit), Some(768 * MIB));
    }

    /// As systemd makes them on version 2.
    const SERVICE: &str = "sys/fs/cgroup/system.slice/db.service";

    fn version_2_files(service: &'static [(&str, &str)], slice: &'static [(&str, &str)]) -> Option<CgroupMemory> {
        let mut files = vec![("proc/7/cgroup".to_owned(), "0::/system.slice/db.service\n".to_owned())];
        let at = |folder: &str, (name, text): &(&str, &str)| (format!("{folder}/{name}"), format!("{text}\n"));
        files.extend(service.iter().map(|file| at(SERVICE, file)));
        files.extend(slice.iter().map(|file| at("sys/fs/cgroup/system.slice", file)));
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        group(&files)
    }

    #[test]
    fn version_2_as_documented() {
        let found = version_2_files(
            &[
                ("memory.max", "1073741824"),
                ("memory.high", "max"),
                ("memory.current", "524288000"),
                ("memory.stat", "anon 1\nfile 2\ninactive_file 104857600\nactive_file 7"),
                ("memory.swap.current", "4096"),
                ("memory.swap.max", "8192"),
                ("memory.events", "low 0\nhigh 1\nmax 3\noom 1\noom_kill 1\noom_group_kill 0"),
                ("pids.current", "400"),
                ("pids.max", "4915"),
            ],
            &[("memory.max", "max"), ("memory.current", "900000000"), ("pids.max", "500"), ("pids.current", "450")],
        );
        let expected = CgroupMemory {
            path: "/system.slice/db.service".to_owned(),
            version: 2,
            limit: Some(1024 * MIB),
            usage: Some(500 * MIB),
            reclaimable: Some(100 * MIB),
            swap: Some(4096),
            swap_limit: Some(8192),
            limit_hits: Some(4),
            killed: Some(1),
            tasks: Some(450),
            tasks_limit: Some(500),
        };
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn the_group_with_the_least_room_decides() {
        let found = version_2_files(
            &[("memory.max", "536870912"), ("memory.current", "104857600")],
            &[("memory.max", "1073741824"), ("memory.current", "1048576000")],
        );
        let found = found.unwrap();
        assert_eq!((found.path.as_str(), found.limit), ("/system.slice", Some(1024 * MIB)), "24 MiB, not 412");
        let throttled = version_2_files(
            &[("memory.max", "max"), ("memory.high", "268435456"), ("memory.current", "4096")],
            &[("memory.current", "8192")],
        );
        assert_eq!(throttled.and_then(|group| group.limit), Some(256 * MIB));
        let free = version_2_files(&[("memory.max", "max"), ("memory.current", "4096")], &[]).unwrap();
        assert_eq!((free.limit, free.usage, free.tasks), (None, Some(4096), None));
    }

    #[test]
    fn a_hierarchy_that_is_switched_off_does_not_bind() {
        let at = |path: &str, limit, usage| CgroupMemory {
            path: path.to_owned(),
            limit,
            usage: Some(usage),
            ..CgroupMemory::default()
        };
        let levels = || vec![at("/a/b", Some(800), 10), at("/a", Some(100), 90)];
        assert_eq!(binding(levels(), Some(800)).unwrap().path, "/a/b");
        assert_eq!(binding(levels(), Some(100)).unwrap().path, "/a");
        assert_eq!(binding(levels(), None).unwrap().path, "/a");
        assert_eq!(binding(Vec::new(), Some(1)), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in "((max|oom_kill|inactive_file|total_swap|hierarchical_memory_limit|[0-9]{1,20})[ \n]){0,12}") {
            let file = |_: &str| Some(text.clone());
            let levels = vec![version_1(file), version_2(file)];
            let _ = binding(levels, named_limit(&text));
        }
    }
}
