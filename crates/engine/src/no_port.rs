//! The one socket option that no library in use offers.
#![allow(unsafe_code, reason = "setsockopt(IP_BIND_ADDRESS_NO_PORT) has no safe wrapper in socket2 or rustix")]

use std::io;
use std::os::fd::AsRawFd;

/// Leaves the choice of the local port to `connect`, so that one port serves several destinations and source addresses.
pub(crate) fn bind_address_no_port(socket: &socket2::Socket) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open for the whole call, and the pointer and length describe `on`.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
