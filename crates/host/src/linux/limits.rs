//! The limit of open files (sockets are files). Raising the soft limit up to the hard one needs no privilege.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The soft limit; `u64::MAX` when there is none.
pub(super) fn open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Soft limit to hard limit; the soft limit that is then in force.
pub(super) fn raise_open_files() -> u64 {
    let hard = getrlimit(Resource::Nofile).maximum;
    // A refusal leaves the old limit, which the answer then shows.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: hard, maximum: hard });
    open_files()
}

/// Raises the soft limit to `wanted`, and with privilege the hard one too; the soft limit that is then in force. Not
/// higher than wanted: programs that close every possible descriptor take long when there are many.
pub(super) fn raise_open_files_to(wanted: u64) -> u64 {
    if open_files() >= wanted {
        return open_files();
    }
    let hard = getrlimit(Resource::Nofile).maximum;
    if hard.is_some_and(|hard| hard < wanted) {
        let both = Some(wanted);
        // Refused without CAP_SYS_RESOURCE, and beyond fs.nr_open: the old hard limit is then the most.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: both, maximum: both });
    }
    let hard = getrlimit(Resource::Nofile).maximum;
    let current = Some(hard.map_or(wanted, |hard| hard.min(wanted)));
    let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum: hard });
    open_files()
}

/// The soft limit in `/proc/PID/limits`: `Max open files            1024                 4096                 files`.
pub(super) fn open_files_of(text: &str) -> Option<u64> {
    soft_limit(text, "Max open files")
}

/// A soft limit by its name there; `u64::MAX` when there is none.
pub(super) fn soft_limit(text: &str, name: &str) -> Option<u64> {
    let soft = text.lines().find_map(|line| line.strip_prefix(name))?.split_ascii_whitespace().next()?;
    if soft == "unlimited" { Some(u64::MAX) } else { soft.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_another_process() {
        let table = "Limit                     Soft Limit           Hard Limit           Units     \n\
                     Max processes             7823                 7823                 processes \n\
                     Max open files            1024                 524288               files     \n";
        assert_eq!(open_files_of(table), Some(1024));
        assert_eq!(open_files_of(&table.replace("1024  ", "unlimited  ")), Some(u64::MAX));
        assert_eq!(soft_limit(table, "Max processes"), Some(7823));
        assert_eq!(open_files_of("Max open files"), None);
        let own = std::fs::read_to_string("/proc/self/limits").unwrap();
        assert!(open_files_of(&own).is_some_and(|limit| limit >= 64), "{own}");
    }

    #[test]
    fn raising_reaches_the_hard_limit() {
        let before = open_files();
        let after = raise_open_files();
        assert!(after >= before);
        assert_eq!(after, getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX));
        assert_eq!(after, open_files());
    }
}
