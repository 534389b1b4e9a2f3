//! Where a process stands in the control groups, and where their files are.
//!
//! Version 1 has a hierarchy for each controller, version 2 one for all; a machine may have both. The path in
//! `/proc/PID/cgroup` begins at the hierarchy's root, a mount may begin further down (a container's does).

use std::path::{Path, PathBuf};

use super::LinuxHost;

/// The two versions have other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// A group of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) version: Version,
    /// The mount's folder, below the host's root.
    mount: PathBuf,
    /// The path at which the mount begins.
    mounted: PathBuf,
    /// Path below the mount; empty = the mount itself.
    below: PathBuf,
}

impl Place {
    /// This group and those above it that can be seen, the lowest first.
    pub(super) fn levels(&self) -> Vec<Self> {
        let at = |below: &Path| Self { below: below.to_owned(), ..self.clone() };
        self.below.ancestors().map(at).collect()
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.mount.join(&self.below)
    }

    /// Path in the hierarchy.
    pub(super) fn path(&self) -> String {
        let whole = Path::new("/").join(&self.mounted).join(&self.below);
        let text = whole.to_string_lossy();
        if text.len() > 1 { text.trim_end_matches('/').to_owned() } else { text.into_owned() }
    }
}

/// A line of `/proc/PID/cgroup`, `number:controllers:path`: of this controller in version 1, or that of version 2.
fn membership(cgroup: &str, controller: Option<&str>) -> Option<PathBuf> {
    let line = cgroup.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let fits = match controller {
            Some(name) => controllers.split(',').any(|one| one == name),
            None => controllers.is_empty(),
        };
        fits.then_some(path)
    })?;
    // `/../x` is a group outside this namespace: its files cannot be seen from here.
    let path = line.strip_prefix('/')?;
    (!path.split('/').any(|part| part == "..")).then(|| PathBuf::from(path))
}

/// Mount point and where the mount begins, both without the first slash, from `/proc/PID/mountinfo`
/// (proc_pid_mountinfo(5)): `36 35 98:0 /ROOT /POINT options … - type source super-options`.
fn mount(mountinfo: &str, controller: Option<&str>) -> Option<(PathBuf, PathBuf)> {
    mountinfo.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut kind = kind.split(' ');
        let (name, _, options) = (kind.next()?, kind.next()?, kind.next()?);
        let fits = match controller {
            Some(wanted) => name == "cgroup" && options.split(',').any(|option| option == wanted),
            None => name == "cgroup2",
        };
        let mut place = place.split(' ');
        let (root, point) = (place.nth(3)?, place.next()?);
        let clean = |text: &str| PathBuf::from(unescape(text).trim_start_matches('/').to_owned());
        fits.then(|| (clean(point), clean(root)))
    })
}

/// Blanks and the like stand as `\040`.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 4).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        if let Some(code) = code.filter(u8::is_ascii) {
            out.push(char::from(code));
            rest = &rest[at + 4..];
        } else {
            out.push('\\');
            rest = &rest[at + 1..];
        }
    }
    out + rest
}

/// Where the files of a process's group are.
fn place(cgroup: &str, mountinfo: &str, controller: &str) -> Option<Place> {
    // A controller that version 1 has is not in version 2.
    let (version, wanted) = match membership(cgroup, Some(controller)) {
        Some(_) => (Version::One, Some(controller)),
        None => (Version::Two, None),
    };
    let path = membership(cgroup, wanted)?;
    let (mount, mounted) = mount(mountinfo, wanted).unwrap_or_else(|| {
        let usual = Path::new("sys/fs/cgroup");
        (wanted.map_or_else(|| usual.to_owned(), |name| usual.join(name)), PathBuf::new())
    });
    // Else it is a group outside the container that this is.
    let below = path.strip_prefix(&mounted).ok()?.to_owned();
    Some(Place { version, mount, mounted, below })
}

impl LinuxHost {
    /// The group of a controller that a process is in; `None` where it cannot be seen.
    pub(super) fn group_of(&self, pid: u32, controller: &str) -> Option<Place> {
        let cgroup = self.read(format!("proc/{pid}/cgroup")).ok()?;
        let mountinfo = self.read("proc/self/mountinfo").unwrap_or_default();
        place(&cgroup, &mountinfo, controller)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As recorded on a machine with both versions.
    const BOTH: &str = "9:name=systemd:/\n8:pids:/\n4:memory:/api/f01f\n2:cpu,cpuacct:/\n0::/\n";
    const BOTH_MOUNTS: &str = "\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
    const TWO: &str = "0::/system.slice/postgresql@15-main.service\n";
    const TWO_MOUNTS: &str =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";

    fn found(cgroup: &str, mountinfo: &str, controller: &str) -> Option<(String, PathBuf)> {
        place(cgroup, mountinfo, controller).map(|place| (place.path(), place.folder()))
    }

    #[test]
    fn both_versions_are_found() {
        let of = |path: &str, folder: &str| Some((path.to_owned(), PathBuf::from(folder)));
        assert_eq!(found(BOTH, BOTH_MOUNTS, "memory"), of("/api/f01f", "sys/fs/cgroup/memory/api/f01f"));
        assert_eq!(found(BOTH, BOTH_MOUNTS, "pids"), of("/", "sys/fs/cgroup/pids/"));
        assert_eq!(
            found(BOTH, BOTH_MOUNTS, "hugetlb"),
            of("/", "sys/fs/cgroup/unified/"),
            "only version 2 may have it"
        );
        let service = "system.slice/postgresql@15-main.service";
        let expected = of(&format!("/{service}"), &format!("sys/fs/cgroup/{service}"));
        assert_eq!(found(TWO, TWO_MOUNTS, "memory"), expected);
        assert_eq!(found(TWO, "", "memory"), expected, "the usual places, without the list of mounts");
        assert_eq!(place(TWO, TWO_MOUNTS, "memory").map(|place| place.levels().len()), Some(3));
    }

    #[test]
    fn a_container_sees_its_own_part() {
        let cgroup = "5:memory:/docker/abc/inner\n";
        let mounts = "40 35 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let place = place(cgroup, mounts, "memory").unwrap();
        assert_eq!(place.folder(), Path::new("sys/fs/cgroup/memory/inner"));
        let paths: Vec<String> = place.levels().iter().map(Place::path).collect();
        assert_eq!(paths, ["/docker/abc/inner", "/docker/abc"]);
        assert_eq!(found("5:memory:/docker/other\n", mounts, "memory"), None, "another container's");
        assert_eq!(found("0::/../other\n", TWO_MOUNTS, "memory"), None, "outside this namespace");
    }

    #[test]
    fn odd_names_are_unescaped() {
        assert_eq!(unescape(r"/a\040b\134c\9\"), r"/a b\c\9\");
        assert_eq!(unescape(r"\377\04"), r"\377\04");
    }

    proptest! {
        #[test]
        fn never_panics(cgroup in "([0-9]:[a-z,]{0,8}:/[a-z./é\\\\]{0,12}\n?){0,4}", mounts in "([0-9] |/|\\\\|- cgroup2?|[a-zé]{1,8} ){0,20}") {
            if let Some(place) = place(&cgroup, &mounts, "memory") {
                let _ = (place.levels(), place.path(), place.folder());
            }
            let _ = unescape(&mounts);
        }
    }
}
