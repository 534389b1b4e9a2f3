//! Texts within statements: literals, names, accounts, and the program name that the server keeps.
//!
//! A newcomer would double backslashes. Whether a backslash is special depends on `sql_mode`, which is the server's.

use std::fmt::Write as _;

/// A string literal that means this text whatever `sql_mode` says of backslashes.
pub fn quote_literal(text: &str) -> String {
    let text = text.replace('\0', "");
    if !text.contains('\\') {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut hex = String::new();
    for byte in text.bytes() {
        let _ = write!(hex, "{byte:02x}");
    }
    format!("convert(x'{hex}' using utf8mb4)")
}

/// A quoted name (of a user, a host, …).
pub fn quote_identifier(name: &str) -> String {
    format!("`{}`", name.replace('\0', "").replace('`', "``"))
}

/// An account from `user` or `user@host`, quoted; without a host, from every host.
pub fn quote_account(account: &str) -> String {
    let (user, host) = account.rsplit_once('@').unwrap_or((account, "%"));
    format!("{}@{}", quote_identifier(user), quote_identifier(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        for (text, expected) in [
            ("peaje", "'peaje'"),
            ("it's", "'it''s'"),
            ("a\\b", "convert(x'615c62' using utf8mb4)"),
            ("\\' or 1=1 --", "convert(x'5c27206f7220313d31202d2d' using utf8mb4)"),
            ("", "''"),
            ("nul\0", "'nul'"),
        ] {
            assert_eq!(quote_literal(text), expected);
        }
    }

    #[test]
    fn accounts() {
        for (account, expected) in [
            ("ann", "`ann`@`%`"),
            ("ann@localhost", "`ann`@`localhost`"),
            ("a@b@10.0.0.%", "`a@b`@`10.0.0.%`"),
            ("o`brien", "`o``brien`@`%`"),
        ] {
            assert_eq!(quote_account(account), expected);
        }
    }
}
