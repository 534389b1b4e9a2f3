//! Kernel, CPU model, usable cores.

use super::LinuxHost;

/// First line without surrounding space; `None` when empty.
pub(super) fn line(text: &str) -> Option<String> {
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Model of the first CPU in `/proc/cpuinfo`. The key differs between architectures; 64-bit ARM gives only numbers, so
/// there it is `None`.
pub(super) fn cpu_model(cpuinfo: &str) -> Option<String> {
    const KEYS: [&str; 4] = ["model name", "cpu model", "cpu", "Hardware"];
    let value = |wanted: &str| {
        let (_, value) =
            cpuinfo.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == wanted)?;
        line(value)
    };
    KEYS.into_iter().find_map(value)
}

impl LinuxHost {
    pub(super) fn kernel(&self) -> String {
        let word = |name: &str| self.read(format!("proc/sys/kernel/{name}")).ok().and_then(|text| line(&text));
        let system = word("ostype").unwrap_or_else(|| "Linux".to_owned());
        let release = word("osrelease").unwrap_or_else(|| "(unknown release)".to_owned());
        format!("{system} {release} {}", std::env::consts::ARCH)
    }

    /// Affinity and control-group quota, whichever is less.
    pub(super) fn cores(&self) -> u32 {
        let by_affinity = rustix::thread::sched_getaffinity(None).map_or_else(
            // More CPUs than the set can hold: the standard library asks with a larger one.
            |_| std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
            |set| set.count(),
        );
        let by_quota = self.cpu_quota().map_or(u32::MAX, |cores| cores.ceil() as u32);
        by_affinity.min(by_quota).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_model_by_architecture() {
        let table = [
            (
                "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R) @ 2.00GHz\n",
                Some("Intel(R) Xeon(R) @ 2.00GHz"),
            ),
            ("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", Some("POWER9, altivec supported")),
            ("processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n", None),
            ("model name\t:\nHardware\t: BCM2835\n", Some("BCM2835")),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(cpu_model(text).as_deref(), expected, "{text}");
        }
    }
}
