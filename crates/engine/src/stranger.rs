//! Who answers when it is not the server that was meant, by its first bytes.
//!
//! A newcomer would tell servers apart by their ports. The port is what was mistaken here.

/// What speaks, where an engine got bytes that are not its protocol's: in words for "… answers here". `None` = unknown.
pub fn stranger(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        // A packet's length (3 bytes) and number 0; then version 10 of the protocol and the server's version, or an
        // error in the place of the greeting: full, or not for this address.
        [_, _, 0, 0, 10, b'0'..=b'9', ..] | [_, _, 0, 0, 0xFF, _, 3..=4, ..] => Some("a MySQL or MariaDB server"),
        [_, _, _, 0, 11, 8, ..] => Some("a MySQL server's X protocol"),
        // PostgreSQL's error: a length, and fields that begin with the severity.
        [b'E', 0, 0, _, _, b'S', ..] => Some("a PostgreSQL server or pooler"),
        // The answer to PRELOGIN.
        [4, 1, _, _, 0, 0, 1, 0, 0, ..] => Some("a SQL Server"),
        // An alert or a handshake of TLS.
        [0x15 | 0x16, 3, 0..=4, ..] => Some("a server that wants TLS from the first byte"),
        [b'S', b'S', b'H', b'-', ..] => Some("an SSH server"),
        [b'H', b'T', b'T', b'P', b'/', ..] => Some("a web server"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::stranger;

    #[test]
    fn first_bytes() {
        let table: [(&[u8], Option<&str>); 13] = [
            (b"J\0\0\0\x0a8.0.36\0", Some("a MySQL or MariaDB server")),
            (b"n\0\0\0\x0a5.5.5-10.11.14-MariaDB", Some("a MySQL or MariaDB server")),
            (b"E\0\0\0\xFFj\x04Host 'x' is not allowed", Some("a MySQL or MariaDB server")),
            (b"\x17\0\0\0\xFF\x10\x04Too many connections", Some("a MySQL or MariaDB server")),
            (b"E\0\0\0QSFATAL\0", Some("a PostgreSQL server or pooler")),
            (b"\x04\x01\0\x2b\0\0\x01\0\0\0\x1a", Some("a SQL Server")),
            (b"\x15\x03\x01\0\x02\x02\x28", Some("a server that wants TLS from the first byte")),
            (b"SSH-2.0-OpenSSH_9.2", Some("an SSH server")),
            (b"HTTP/1.1 400 Bad Request", Some("a web server")),
            (b"S", None),
            (b"N", None),
            (b"R\0\0\0\x08\0\0\0\0", None),
            (b"", None),
        ];
        for (bytes, who) in table {
            assert_eq!(stranger(bytes), who, "{bytes:?}");
        }
    }
}
