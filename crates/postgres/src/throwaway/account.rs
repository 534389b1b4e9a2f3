//! The account the server runs under: PostgreSQL refuses to be root.

use super::ThrowawayError;

/// User and group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// Another account than this process's, when this process is root; else none.
pub(super) fn other_account() -> Result<Option<Account>, ThrowawayError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    ["postgres", "nobody"].iter().find_map(|name| lookup(&passwd, name)).map(Some).ok_or(ThrowawayError::NoAccount)
}

fn lookup(passwd: &str, name: &str) -> Option<Account> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next()? != name {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok().filter(|uid| *uid != 0)?;
        let gid = fields.next()?.parse().ok()?;
        Some(Account { uid, gid })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_group() {
        let passwd =
            "root:x:0:0::/root:/bin/sh\npostgres:x:101:104:a,,,:/var/lib/postgresql:/bin/bash\nzero:x:0:5::/:/\n";
        assert_eq!(lookup(passwd, "postgres"), Some(Account { uid: 101, gid: 104 }));
        assert_eq!(lookup(passwd, "nobody"), None);
        assert_eq!(lookup(passwd, "zero"), None, "a second name of root is root");
    }
}
