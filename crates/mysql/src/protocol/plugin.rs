//! Names of the authentication plugins, and the marks of `caching_sha2_password` and `sha256_password`.

/// SHA-1 over a challenge.
pub const NATIVE: &str = "mysql_native_password";
/// SHA-256 over a challenge, with a cache in the server.
pub const CACHING_SHA2: &str = "caching_sha2_password";
/// SHA-256 of a password that arrives in clear within TLS or RSA.
pub const SHA256: &str = "sha256_password";
/// MariaDB: a signature with a key that is derived from the password.
pub const ED25519: &str = "client_ed25519";
/// The password in clear.
pub const CLEARTEXT: &str = "mysql_clear_password";
/// Before version 4.1 ([`super::old_password`]).
pub const OLD_PASSWORD: &str = "mysql_old_password";
/// MariaDB: questions of PAM ([`super::dialog`]).
pub const DIALOG: &str = "dialog";

/// Kerberos, by MariaDB and by MySQL.
pub const KERBEROS: [&str; 2] = ["auth_gssapi_client", "authentication_kerberos_client"];

/// `caching_sha2_password`: the server knows the password's hash, an OK follows.
pub const FAST_OK: u8 = 3;
/// `caching_sha2_password`: the password itself is needed.
pub const FULL: u8 = 4;
/// `caching_sha2_password`: the client asks for the RSA key.
pub const CACHING_SHA2_KEY: u8 = 2;
/// `sha256_password`: the client asks for the RSA key.
pub const SHA256_KEY: u8 = 1;
