//! Memory of this process.

/// A `Vm…` line of `/proc/PID/status`, which the kernel gives in `kB` and means KiB.
pub(super) fn status_bytes(status: &str, name: &str) -> Option<u64> {
    let (_, rest) = status.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| *key == name)?;
    match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [kib, "kB"] => kib.parse::<u64>().ok()?.checked_mul(1024),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str =
        "Name:\tVmRSS: 1 kB\nVmPeak:\t  201456 kB\nVmHWM:\t   61000 kB\nVmRSS:\t   60416 kB\nThreads:\t3\n";

    #[test]
    fn reads_by_name_and_in_bytes() {
        let table = [
            ("VmHWM", Some(61_000 * 1024)),
            ("VmRSS", Some(60_416 * 1024)),
            ("VmSwap", None),
            ("Threads", None),
            ("Name", None),
        ];
        for (name, expected) in table {
            assert_eq!(status_bytes(STATUS, name), expected, "{name}");
        }
        assert_eq!(status_bytes("VmRSS:\t99999999999999999999 kB", "VmRSS"), None);
    }
}
