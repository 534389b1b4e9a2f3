//! What client and server tell each other that they can do.

/// Set by MySQL. MariaDB 10.2 and later leave it out in the greeting, and then tell their own capabilities.
pub const LONG_PASSWORD: u32 = 1;
/// Longer flags of columns.
pub const LONG_FLAG: u32 = 1 << 2;
/// The login names a database.
pub const CONNECT_WITH_DB: u32 = 1 << 3;
/// Packets are compressed.
pub const COMPRESS: u32 = 1 << 5;
/// The server may ask for a file of the client.
pub const LOCAL_FILES: u32 = 1 << 7;
/// The protocol of version 4.1.
pub const PROTOCOL_41: u32 = 1 << 9;
/// TLS.
pub const SSL: u32 = 1 << 11;
/// The status is told.
pub const TRANSACTIONS: u32 = 1 << 13;
/// The password is answered to a challenge of 20 bytes.
pub const SECURE_CONNECTION: u32 = 1 << 15;
/// Several statements in one query.
pub const MULTI_STATEMENTS: u32 = 1 << 16;
/// Several results for one query.
pub const MULTI_RESULTS: u32 = 1 << 17;
/// Authentication plugins are named.
pub const PLUGIN_AUTH: u32 = 1 << 19;
/// The client tells attributes.
pub const CONNECT_ATTRS: u32 = 1 << 20;
/// The answer to the challenge may be longer than 255 bytes.
pub const PLUGIN_AUTH_LENENC: u32 = 1 << 21;
/// Results end with an OK in the place of an end-of-file packet.
pub const DEPRECATE_EOF: u32 = 1 << 24;

/// What a server of today has, without TLS.
pub const SERVER: u32 = LONG_PASSWORD
    | LONG_FLAG
    | CONNECT_WITH_DB
    | PROTOCOL_41
    | TRANSACTIONS
    | SECURE_CONNECTION
    | MULTI_STATEMENTS
    | MULTI_RESULTS
    | PLUGIN_AUTH
    | CONNECT_ATTRS
    | PLUGIN_AUTH_LENENC
    | DEPRECATE_EOF;

/// What the client of this crate has, without TLS and database. No file of the client can be asked for.
pub const CLIENT: u32 = LONG_PASSWORD
    | LONG_FLAG
    | PROTOCOL_41
    | TRANSACTIONS
    | SECURE_CONNECTION
    | MULTI_RESULTS
    | PLUGIN_AUTH
    | CONNECT_ATTRS
    | PLUGIN_AUTH_LENENC
    | DEPRECATE_EOF;
