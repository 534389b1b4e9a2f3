//! The listening sockets.
//!
//! A newcomer would let the system choose the port. It would choose one of the ephemeral range, which another program's
//! outgoing connection can take at any moment between two runs.

use std::io;
use std::net::{SocketAddr, TcpListener};

use rand::Rng;
use socket2::{Domain, Protocol, Socket, Type};

use crate::RefServerError;

/// Ports tried when none is named: below the ephemeral range of every usual system.
const PORTS: std::ops::Range<u16> = 20_000..32_000;
const TRIES: u32 = 500;
/// The system cuts it down to its own limit (`somaxconn`).
const BACKLOG: i32 = 4096;

/// Whether several sockets listen on the port, and the system spreads the connections over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sharing {
    Alone,
    Shared,
}

/// As many listening sockets as there are event loops, all on one address.
pub(crate) fn listen(wanted: SocketAddr, threads: usize) -> Result<(SocketAddr, Vec<TcpListener>), RefServerError> {
    let first = match wanted.port() {
        0 => on_free_port(wanted)?,
        _ => bind(wanted, Sharing::Alone).map_err(|source| RefServerError::Listen { address: wanted, source })?,
    };
    let failed = |source| RefServerError::Listen { address: wanted, source };
    let address = first.local_addr().map_err(failed)?;
    if threads <= 1 {
        return Ok((address, vec![first]));
    }
    // The port is known to be ours alone; only now may it be shared.
    drop(first);
    let sockets: io::Result<Vec<TcpListener>> = (0..threads).map(|_| bind(address, Sharing::Shared)).collect();
    Ok((address, sockets.map_err(failed)?))
}

fn on_free_port(wanted: SocketAddr) -> Result<TcpListener, RefServerError> {
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..TRIES {
        let address = SocketAddr::new(wanted.ip(), rand::rng().random_range(PORTS));
        match bind(address, Sharing::Alone) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = error,
            Err(source) => return Err(RefServerError::Listen { address: wanted, source }),
        }
    }
    Err(RefServerError::NoFreePort { source: last })
}

fn bind(address: SocketAddr, sharing: Sharing) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // Sessions that the server closed first leave TIME_WAIT on the port; it has to be usable again at once.
    socket.set_reuse_address(true)?;
    if sharing == Sharing::Shared {
        socket.set_reuse_port(true)?;
    }
    // Accepted sockets inherit it: one system call less for each login.
    socket.set_tcp_nodelay(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    // Inherited too, if set after `listen`: what came is acknowledged with the answer, not by a packet of its own.
    #[cfg(target_os = "linux")]
    socket.set_tcp_quickack(false)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_free_port_lies_below_the_ephemeral_range_and_is_taken_once() {
        let (address, sockets) = listen((Ipv4Addr::LOCALHOST, 0).into(), 1).unwrap();
        assert!(PORTS.contains(&address.port()));
        assert_eq!(sockets.len(), 1);
        let again = listen(address, 1);
        assert!(matches!(again, Err(RefServerError::Listen { .. })), "{again:?}");
        let again = listen(address, 2);
        assert!(matches!(again, Err(RefServerError::Listen { .. })), "{again:?}");
    }

    #[test]
    fn threads_share_one_port() {
        let (address, sockets) = listen((Ipv4Addr::LOCALHOST, 0).into(), 3).unwrap();
        assert_eq!(sockets.len(), 3);
        assert!(sockets.iter().all(|s| s.local_addr().unwrap() == address));
    }
}
