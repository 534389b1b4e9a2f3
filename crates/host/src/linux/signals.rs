//! Signals this process ignores: what `nohup` and shells in the background set before they start it.

/// The `SigIgn` mask of `/proc/PID/status`: bit `n - 1` stands for signal `n`.
pub(super) fn ignored(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_read_by_name() {
        let status = "Name:\tSigIgn: f\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored(status), Some(0x1001));
        assert_eq!(ignored("SigIgn:\tnonsense"), None);
        assert_eq!(ignored(""), None);
    }
}
