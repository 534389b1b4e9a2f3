//! How many processes and source addresses so many sessions need.

/// Files of a process that are no sessions: its own, and sessions that are probed or replaced.
const SPARE_FILES: u64 = 256;
/// Sessions for each source address. Beyond some 14,000 for each destination the kernel takes 1 ms to find a port; logins
/// of probes and churn, and ports that wait for their end, take part of them.
const PER_SOURCE: u64 = 10_000;

/// Worker processes that so many sessions need; 0 = this process may hold them. `files` is the limit of open files
/// (raised as far as it goes), `in_use` what this process has open or will have for something else, such as the other
/// ends of the same sessions.
pub fn workers_needed(sessions: u64, files: u64, in_use: u64) -> u32 {
    if sessions <= files.saturating_sub(in_use).saturating_sub(SPARE_FILES) {
        return 0;
    }
    let each = files.saturating_sub(SPARE_FILES).max(1);
    u32::try_from(sessions.div_ceil(each)).unwrap_or(u32::MAX)
}

/// Loopback source addresses that so many sessions need.
pub fn sources_needed(sessions: u64) -> u32 {
    u32::try_from(sessions.div_ceil(PER_SOURCE)).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_spread_when_one_process_may_not_open_so_many_files() {
        let table = [
            (100, 1024, 20, 0),
            (1000, 1024, 20, 2),
            (19_000, 20_000, 19_000, 1),
            (19_700, 20_000, 20, 0),
            (19_744, 20_000, 20, 1),
            (19_745, 20_000, 20, 2),
            (250_000, 20_000, 20, 13),
            (1_000_000, u64::MAX, 20, 0),
        ];
        for (sessions, files, in_use, workers) in table {
            assert_eq!(workers_needed(sessions, files, in_use), workers, "{sessions} sessions, {files} files");
        }
    }

    #[test]
    fn no_source_address_has_more_than_its_ports() {
        for sessions in [0, 1, 10_000, 10_001, 250_000, 1_000_000] {
            let sources = sources_needed(sessions);
            assert!(sources >= 1 && sessions.div_ceil(u64::from(sources)) <= 14_000);
        }
    }
}
