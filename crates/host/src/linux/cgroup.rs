//! The CPU quota of the control groups this process is in: what a container's `--cpus` sets.
//!
//! A quota of any ancestor binds as well. Inside a container `/proc/self/cgroup` may name a path of the host that is
//! not mounted here: the walk then starts at the nearest ancestor that is.

use std::path::{Path, PathBuf};

use super::LinuxHost;

const MOUNT: &str = "sys/fs/cgroup";

/// The two hierarchies' files differ.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Group {
    /// Unified: `cpu.max` holds quota and period.
    V2(PathBuf),
    /// Controller `cpu`: a file each, below a folder named like the controller list.
    V1 { controllers: String, path: PathBuf },
}

/// Lines of `/proc/self/cgroup`: `number:controllers:path`, the unified one `0::path`.
fn groups(text: &str) -> Vec<Group> {
    let parse = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let path = PathBuf::from(path.trim_start_matches('/'));
        match controllers {
            "" => Some(Group::V2(path)),
            list if list.split(',').any(|name| name == "cpu") => Some(Group::V1 { controllers: list.to_owned(), path }),
            _ => None,
        }
    };
    text.lines().filter_map(parse).collect()
}

/// `max 100000` (no quota) or `150000 100000`: cores.
fn cores_of(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (i64, i64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

impl LinuxHost {
    /// The least quota in force, in cores; `None` without one.
    pub(super) fn cpu_quota(&self) -> Option<f64> {
        let groups = groups(&self.read("proc/self/cgroup").ok()?);
        groups.iter().filter_map(|group| self.least_quota(group)).min_by(f64::total_cmp)
    }

    fn least_quota(&self, group: &Group) -> Option<f64> {
        let path = match group {
            Group::V2(path) | Group::V1 { path, .. } => path,
        };
        path.ancestors().filter_map(|ancestor| self.quota_at(group, ancestor)).min_by(f64::total_cmp)
    }

    fn quota_at(&self, group: &Group, path: &Path) -> Option<f64> {
        match group {
            Group::V2(_) => {
                let text = self.read(Path::new(MOUNT).join(path).join("cpu.max")).ok()?;
                let (quota, period) = text.trim().split_once(' ')?;
                cores_of(quota, period)
            }
            Group::V1 { controllers, .. } => {
                let folder = Path::new(MOUNT).join(controllers).join(path);
                let file = |name: &str| self.read(folder.join(name)).ok();
                cores_of(&file("cpu.cfs_quota_us")?, &file("cpu.cfs_period_us")?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths below the root, with their text.
    type Files<'a> = &'a [(&'a str, &'a str)];

    fn quota(files: Files<'_>) -> Option<f64> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        LinuxHost::at(root.path()).cpu_quota()
    }

    #[test]
    fn quotas() {
        let own = ("proc/self/cgroup", "0::/user.slice/job\n");
        let old = ("proc/self/cgroup", "12:memory:/box\n4:cpu,cpuacct:/box\n1:name=systemd:/\n");
        let table: [(&str, Files<'_>, Option<f64>); 8] = [
            ("no groups", &[], None),
            ("no quota", &[own, ("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n")], None),
            ("one and a half cores", &[own, ("sys/fs/cgroup/user.slice/job/cpu.max", "150000 100000\n")], Some(1.5)),
            (
                "the parent binds",
                &[
                    own,
                    ("sys/fs/cgroup/user.slice/job/cpu.max", "400000 100000\n"),
                    ("sys/fs/cgroup/user.slice/cpu.max", "200000 100000\n"),
                ],
                Some(2.0),
            ),
            ("a container's own root", &[own, ("sys/fs/cgroup/cpu.max", "50000 100000\n")], Some(0.5)),
            (
                "version 1",
                &[
                    old,
                    ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "300000\n"),
                    ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"),
                ],
                Some(3.0),
            ),
            (
                "version 1 without quota",
                &[
                    old,
                    ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
                    ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
                ],
                None,
            ),
            ("nonsense", &[own, ("sys/fs/cgroup/cpu.max", "fast 0\n")], None),
        ];
        for (name, files, expected) in table {
            assert_eq!(quota(files), expected, "{name}");
        }
    }

    #[test]
    fn a_part_of_a_core_counts_as_a_whole_one() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.max", "30000 100000\n")] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(LinuxHost::at(root.path()).cores(), 1);
    }
}
