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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raising_reaches_the_hard_limit() {
        let before = open_files();
        let after = raise_open_files();
        assert!(after >= before);
        assert_eq!(after, getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX));
        assert_eq!(after, open_files());
    }
}
