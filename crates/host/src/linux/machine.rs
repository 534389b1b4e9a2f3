//! Memory of the whole machine: `meminfo`, `vmstat`, `sockstat`, pressure.
//!
//! Socket buffers are counted in pages, and for all network namespaces together; sockets in this namespace only.

use peaje_model::HostMemory;

use super::{LinuxHost, fields};

/// Texts of the files, empty where there is none.
#[derive(Debug, Clone, Default)]
struct Files {
    meminfo: String,
    vmstat: String,
    sockstat: String,
    sockstat6: String,
    pressure: String,
    cpu_pressure: String,
    stat: String,
}

fn reading(files: &Files, page: u64) -> HostMemory {
    let memory = |name| fields::bytes(&files.meminfo, name);
    let swap_total = memory("SwapTotal");
    HostMemory {
        total: memory("MemTotal"),
        available: memory("MemAvailable"),
        page_tables: memory("PageTables"),
        kernel_stacks: memory("KernelStack"),
        slab: memory("Slab"),
        slab_unreclaimable: memory("SUnreclaim"),
        per_cpu: memory("Percpu"),
        sockets: socket_bytes(files, page),
        tcp_sockets: tcp_sockets(files),
        swap_total,
        swap_used: swap_total.zip(memory("SwapFree")).map(|(total, free)| total.saturating_sub(free)),
        swapped_in_pages: fields::word(&files.vmstat, "pswpin"),
        swapped_out_pages: fields::word(&files.vmstat, "pswpout"),
        pressure: pressure(&files.pressure),
        memory_stall_us: stall_us(&files.pressure),
        cpu_stall_us: stall_us(&files.cpu_pressure),
        context_switches: fields::word(&files.stat, "ctxt"),
    }
}

/// TCP and UDP count pages, fragments bytes. IPv6's buffers are in the same figures.
fn socket_bytes(files: &Files, page: u64) -> Option<u64> {
    let pages = |group| fields::labelled(&files.sockstat, group, "mem");
    let in_pages = pages("TCP")?.checked_add(pages("UDP").unwrap_or(0))?.checked_mul(page)?;
    let fragments = [("FRAG", &files.sockstat), ("FRAG6", &files.sockstat6)];
    let mut bytes = fragments.into_iter().filter_map(|(group, text)| fields::labelled(text, group, "memory"));
    bytes.try_fold(in_pages, u64::checked_add)
}

fn tcp_sockets(files: &Files) -> Option<u64> {
    let four = fields::labelled(&files.sockstat, "TCP", "inuse")?;
    // There is no such file where IPv6 is off.
    four.checked_add(fields::labelled(&files.sockstat6, "TCP6", "inuse").unwrap_or(0))
}

/// `some avg10=1.50 avg60=…`: per cent of the last 10 s.
fn pressure(text: &str) -> Option<f64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let per_cent: f64 = some.split_ascii_whitespace().find_map(|word| word.strip_prefix("avg10="))?.parse().ok()?;
    (0.0..=100.0).contains(&per_cent).then_some(per_cent / 100.0)
}

/// `total=` of the line `some`: microseconds in which something waited, since the start.
fn stall_us(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

impl LinuxHost {
    pub(super) fn machine_memory(&self) -> HostMemory {
        let text = |name: &str| self.read(name).unwrap_or_default();
        let files = Files {
            meminfo: text("proc/meminfo"),
            vmstat: text("proc/vmstat"),
            sockstat: text("proc/net/sockstat"),
            sockstat6: text("proc/net/sockstat6"),
            pressure: text("proc/pressure/memory"),
            cpu_pressure: text("proc/pressure/cpu"),
            stat: text("proc/stat"),
        };
        reading(&files, rustix::param::page_size() as u64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As recorded on Linux 6.18, shortened.
    fn recorded() -> Files {
        Files {
            meminfo: "MemTotal:       24684092 kB\nMemFree:        20705940 kB\nMemAvailable:   23283856 kB\n\
                SwapCached:            0 kB\nSwapTotal:        102400 kB\nSwapFree:         100400 kB\n\
                Slab:             444784 kB\nSReclaimable:     338224 kB\nSUnreclaim:       106560 kB\n\
                KernelStack:        1840 kB\nPageTables:         5448 kB\nPercpu:              760 kB\n"
                .to_owned(),
            vmstat: "pgpgin 5\npswpin 11\npswpout 12\npgmajfault 79723\n".to_owned(),
            sockstat: "sockets: used 18\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 34\nUDP: inuse 0 mem 2\n\
                UDPLITE: inuse 0\nRAW: inuse 0\nFRAG: inuse 0 memory 100\n"
                .to_owned(),
            sockstat6: "TCP6: inuse 3\nUDP6: inuse 0\nFRAG6: inuse 0 memory 28\n".to_owned(),
            pressure: "some avg10=1.50 avg60=0.00 avg300=0.00 total=55635639\n\
                full avg10=99.00 avg60=0.00 avg300=0.00 total=27248836\n"
                .to_owned(),
            cpu_pressure: "some avg10=0.00 avg60=0.00 avg300=0.00 total=77\n".to_owned(),
            stat: "cpu  1 2 3\nintr 99 1\nctxt 150932017\nbtime 1\n".to_owned(),
        }
    }

    #[test]
    fn a_recorded_machine() {
        let kib = |n: u64| Some(n * 1024);
        let expected = HostMemory {
            total: kib(24_684_092),
            available: kib(23_283_856),
            page_tables: kib(5_448),
            kernel_stacks: kib(1_840),
            slab: kib(444_784),
            slab_unreclaimable: kib(106_560),
            per_cpu: kib(760),
            sockets: Some(36 * 4096 + 128),
            tcp_sockets: Some(4),
            swap_total: kib(102_400),
            swap_used: kib(2_000),
            swapped_in_pages: Some(11),
            swapped_out_pages: Some(12),
            pressure: Some(0.015),
            memory_stall_us: Some(55_635_639),
            cpu_stall_us: Some(77),
            context_switches: Some(150_932_017),
        };
        assert_eq!(reading(&recorded(), 4096), expected);
    }

    #[test]
    fn an_old_kernel_and_no_files_at_all() {
        let files = Files { pressure: String::new(), sockstat6: String::new(), vmstat: String::new(), ..recorded() };
        let files = Files { meminfo: files.meminfo.replace("MemAvailable", "Other").replace("Percpu", "X"), ..files };
        let memory = reading(&files, 65_536);
        assert_eq!((memory.available, memory.per_cpu), (None, None));
        assert_eq!((memory.pressure, memory.memory_stall_us), (None, None), "pressure is told since Linux 4.20");
        assert_eq!((memory.sockets, memory.tcp_sockets), (Some(36 * 65_536 + 100), Some(1)));
        assert_eq!(memory.swapped_in_pages, None);
        assert_eq!(reading(&Files::default(), 4096), HostMemory::default());
    }

    #[test]
    fn pressure_is_a_share() {
        for (text, expected) in [
            ("some avg10=100.00 avg60=1", Some(1.0)),
            ("some avg10=101 avg60=1", None),
            ("some avg10=NaN", None),
            ("some avg10=-1", None),
            ("full avg10=5.00", None),
            ("some avg60=5.00", None),
        ] {
            assert_eq!(pressure(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "((TCP|UDP|FRAG|FRAG6|TCP6|MemTotal|SwapTotal|some):? ?[a-z0-9=. ]{0,60}\n){0,6}", page in 0_u64..=u64::MAX) {
            let files = Files {
                meminfo: text.clone(),
                vmstat: text.clone(),
                sockstat: text.clone(),
                sockstat6: text.clone(),
                pressure: text.clone(),
                cpu_pressure: text.clone(),
                stat: text,
            };
            let _ = reading(&files, page);
        }
    }
}
