//! Who listens on an address: `/proc/net/tcp` gives the socket's inode, `/proc/PID/fd` who holds it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::LinuxHost;

/// State of a listening socket (`TCP_LISTEN` in the kernel's `tcp_states.h`).
const LISTEN: &str = "0A";

/// Bytes asked for at a time.
const SMALL: usize = 4096;

/// A listening socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Listener {
    pub(super) ip: IpAddr,
    pub(super) port: u16,
    pub(super) inode: u64,
}

/// How well a listener fits an address; the kernel prefers the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Wildcard of the other family: a dual-stack listener.
    OtherWildcard,
    /// Wildcard.
    Wildcard,
    /// The very address.
    Exact,
}

impl Listener {
    fn fit(&self, address: SocketAddr) -> Option<Fit> {
        let wanted = address.ip().to_canonical();
        if self.port != address.port() {
            None
        } else if self.ip.to_canonical() == wanted {
            Some(Fit::Exact)
        } else if !self.ip.is_unspecified() {
            None
        } else if self.ip.is_ipv4() == wanted.is_ipv4() {
            Some(Fit::Wildcard)
        } else {
            // Only an IPv6 socket can take connections of the other family.
            self.ip.is_ipv6().then_some(Fit::OtherWildcard)
        }
    }
}

/// Listening sockets of `/proc/net/tcp` or `/proc/net/tcp6`.
pub(super) fn listeners(table: &str) -> Vec<Listener> {
    table.lines().filter_map(parse_line).collect()
}

/// The peer credentials of a client's Unix socket are those of the process that called `listen` (unix(7)).
pub(super) fn socket_pid(socket: &Path) -> Option<u32> {
    let stream = UnixStream::connect(socket).ok()?;
    let pid = rustix::net::sockopt::socket_peercred(&stream).ok()?.pid.as_raw_nonzero().get();
    u32::try_from(pid).ok()
}

/// `0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0  23456 1 …`; the heading does not
/// parse.
fn parse_line(line: &str) -> Option<Listener> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if *fields.get(3)? != LISTEN {
        return None;
    }
    let local = parse_address(fields[1])?;
    Some(Listener { ip: local.ip(), port: local.port(), inode: fields.get(9)?.parse().ok()? })
}

/// The other end of a line's socket.
pub(super) fn remote(line: &str) -> Option<SocketAddr> {
    parse_address(line.split_ascii_whitespace().nth(2)?)
}

fn parse_address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    Some(SocketAddr::new(parse_ip(ip)?, u16::from_str_radix(port, 16).ok()?))
}

/// Each group of eight digits is a 32-bit word of the address in this machine's byte order.
fn parse_ip(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| {
        let digits = hex.get(at * 8..at * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    match hex.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let octets: [u8; 16] = words.as_flattened().try_into().ok()?;
            Some(Ipv6Addr::from(octets).into())
        }
        _ => None,
    }
}

/// Inodes of the listeners that fit best.
pub(super) fn best(listeners: &[Listener], address: SocketAddr) -> BTreeSet<u64> {
    let fit = listeners.iter().filter_map(|listener| listener.fit(address)).max();
    listeners.iter().filter(|l| fit.is_some() && l.fit(address) == fit).map(|l| l.inode).collect()
}

impl LinuxHost {
    pub(super) fn listener(&self, address: SocketAddr) -> Option<u32> {
        self.holder(&best(&self.all_listeners(), address))
    }

    /// Whoever listens on a port, on loopback before other addresses.
    pub(super) fn port_holder(&self, port: u16) -> Option<u32> {
        let mut all: Vec<Listener> = self.all_listeners().into_iter().filter(|one| one.port == port).collect();
        all.sort_by_key(|one| !(one.ip.to_canonical().is_loopback() || one.ip.is_unspecified()));
        all.iter().find_map(|one| self.holder(&BTreeSet::from([one.inode])))
    }

    fn all_listeners(&self) -> Vec<Listener> {
        let tables = ["proc/net/tcp", "proc/net/tcp6"].map(|name| self.listening(name).unwrap_or_default());
        tables.iter().flat_map(|table| listeners(table)).collect()
    }

    fn holder(&self, inodes: &BTreeSet<u64>) -> Option<u32> {
        if inodes.is_empty() {
            return None;
        }
        let holders: BTreeSet<u32> = self.pids().into_iter().filter(|pid| self.holds(*pid, inodes)).collect();
        // Whoever starts servers by their sockets keeps a copy: the server is the one beneath.
        let starter = |pid: &u32| *pid == 1 && self.starts_servers();
        let holders: BTreeSet<u32> = match holders.iter().filter(|pid| !starter(pid)).count() {
            0 => holders,
            _ => holders.into_iter().filter(|pid| !starter(pid)).collect(),
        };
        let inherited = |pid: &u32| self.stat(*pid).is_ok_and(|stat| holders.contains(&stat.parent));
        holders.iter().copied().find(|pid| !inherited(pid))
    }

    /// Whether process 1 is such a program. In a container it may be the server itself.
    fn starts_servers(&self) -> bool {
        self.read("proc/1/comm").is_ok_and(|name| ["systemd", "init"].contains(&name.trim_end()))
    }

    /// The listening part of a socket table. The kernel writes it as it is read, and listeners first: after a load, the
    /// rest may be a hundred thousand connections in TIME_WAIT, and take longer than the load's own bookkeeping.
    fn listening(&self, table: &str) -> std::io::Result<String> {
        let mut reader = BufReader::with_capacity(SMALL, std::fs::File::open(self.path(table))?);
        let mut text = String::new();
        let mut heading = true;
        loop {
            let start = text.len();
            if reader.read_line(&mut text)? == 0 {
                return Ok(text);
            }
            let state = text[start..].split_ascii_whitespace().nth(3);
            if !std::mem::take(&mut heading) && state != Some(LISTEN) {
                text.truncate(start);
                return Ok(text);
            }
        }
    }

    fn holds(&self, pid: u32, inodes: &BTreeSet<u64>) -> bool {
        let Ok(descriptors) = std::fs::read_dir(self.path(format!("proc/{pid}/fd"))) else { return false };
        descriptors
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .filter_map(|target| socket_inode(target.to_str()?))
            .any(|inode| inodes.contains(&inode))
    }
}

/// `socket:[23456]`.
fn socket_inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As recorded on a little-endian machine: loopback:5432 (inode 100), any:6432 (200), a connection that listens to
    /// nobody (300), and any:5432 (400).
    #[cfg(target_endian = "little")]
    const TCP: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 100 1 0 100 0 0 10 0
   1: 00000000:1920 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 200 1 0 100 0 0 10 0
   2: 00000000:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 400 1 0 100 0 0 10 0
   3: 0100007F:1538 0100007F:C350 01 00000000:00000000 00:00000000 00000000   999        0 300 1 0 100 0 0 10 0
   4: short
";
    /// ::1 port 5433 (500), any port 7777 (600), ::ffff:127.0.0.1 port 8888 (700).
    #[cfg(target_endian = "little")]
    const TCP6: &str = "\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr inode
   0: 00000000000000000000000001000000:1539 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 500 1
   1: 00000000000000000000000000000000:1E61 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 600 1
   2: 0000000000000000FFFF00000100007F:22B8 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 700 1
";

    #[cfg(target_endian = "little")]
    #[test]
    fn the_best_listener_is_chosen() {
        let all: Vec<Listener> = [TCP, TCP6].into_iter().flat_map(listeners).collect();
        assert_eq!(all.len(), 6, "{all:?}");
        let table: [(&str, &[u64]); 10] = [
            ("127.0.0.1:5432", &[100]),
            ("10.1.1.1:5432", &[400]),
            ("127.0.0.1:6432", &[200]),
            ("[::1]:6432", &[]),
            ("[::1]:5433", &[500]),
            ("127.0.0.1:5433", &[]),
            ("127.0.0.1:7777", &[600]),
            ("[::1]:7777", &[600]),
            ("127.0.0.1:8888", &[700]),
            ("127.0.0.1:9999", &[]),
        ];
        for (address, inodes) in table {
            let found: Vec<u64> = best(&all, address.parse().unwrap()).into_iter().collect();
            assert_eq!(found, inodes, "{address}");
        }
    }

    #[test]
    fn damaged_addresses_are_refused() {
        for hex in ["", "0100007", "0100007G", "0100007F0", "é000007F"] {
            assert_eq!(parse_ip(hex), None, "{hex}");
        }
        assert_eq!(socket_inode("socket:[42]"), Some(42));
        for link in ["pipe:[42]", "socket:[]", "socket:[42", "/dev/null"] {
            assert_eq!(socket_inode(link), None, "{link}");
        }
    }

    /// A postmaster (20) whose listening socket its backends (30, 10) have inherited; a stranger (40) has another.
    #[cfg(target_endian = "little")]
    #[test]
    fn the_postmaster_is_found_not_a_backend() {
        let root = tempfile::tempdir().unwrap();
        for (pid, parent, inode) in [(20, 1, 100), (30, 20, 100), (10, 20, 100), (40, 1, 200)] {
            let folder = root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(folder.join("fd")).unwrap();
            let stat = format!("{pid} (postgres) S {parent} 0 0 0 -1 0 0 0 0 0 1 1 1 1 20 0\n");
            std::fs::write(folder.join("stat"), stat).unwrap();
            std::os::unix::fs::symlink("/dev/null", folder.join("fd/0")).unwrap();
            std::os::unix::fs::symlink(format!("socket:[{inode}]"), folder.join("fd/3")).unwrap();
        }
        std::fs::create_dir_all(root.path().join("proc/net")).unwrap();
        std::fs::write(root.path().join("proc/net/tcp"), TCP).unwrap();
        let host = LinuxHost::at(root.path());
        assert_eq!(host.listener("127.0.0.1:5432".parse().unwrap()), Some(20));
        assert_eq!(host.listener("127.0.0.1:6432".parse().unwrap()), Some(40));
        assert_eq!(host.listener("127.0.0.1:1".parse().unwrap()), None);
        for (port, pid) in [(5432, Some(20)), (6432, Some(40)), (1, None)] {
            assert_eq!(host.port_holder(port), pid, "{port}");
        }
    }

    /// systemd (1) holds the socket with which it started the server (20); a container's first process is its server.
    #[cfg(target_endian = "little")]
    #[test]
    fn a_server_started_by_its_socket_is_found() {
        let root = tempfile::tempdir().unwrap();
        for (pid, parent) in [(1, 0), (20, 1), (21, 20)] {
            let folder = root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(folder.join("fd")).unwrap();
            let stat = format!("{pid} (x) S {parent} 0 0 0 -1 0 0 0 0 0 1 1 1 1 20 0\n");
            std::fs::write(folder.join("stat"), stat).unwrap();
            std::os::unix::fs::symlink("socket:[100]", folder.join("fd/3")).unwrap();
        }
        std::fs::create_dir_all(root.path().join("proc/net")).unwrap();
        std::fs::write(root.path().join("proc/net/tcp"), TCP).unwrap();
        let host = LinuxHost::at(root.path());
        let address = "127.0.0.1:5432".parse().unwrap();
        for (name, pid) in [("systemd\n", 20), ("postgres\n", 1)] {
            std::fs::write(root.path().join("proc/1/comm"), name).unwrap();
            assert_eq!(host.listener(address), Some(pid), "{name}");
        }
        let line = TCP.lines().nth(4).unwrap();
        assert_eq!(remote(line), Some("127.0.0.1:50000".parse().unwrap()));
        assert_eq!(remote("  sl  local_address rem_address   st"), None);
    }
}
