//! The account a server runs under: no server should be root, and most refuse to be.

use crate::ThrowawayError;

/// User and group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// Another account than this process's, when this process is root; else none. The first of `names` that exists.
pub(crate) fn other_account(product: &'static str, names: &[&'static str]) -> Result<Option<Account>, ThrowawayError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let passwd = passwd();
    let found = names.iter().find_map(|name| lookup(&passwd, name));
    found.map(Some).ok_or_else(|| ThrowawayError::NoAccount { product, names: names.join("`, `") })
}

/// Name of the account this process runs under, which a server sees at the other end of a Unix socket.
pub fn own_account_name() -> Option<String> {
    let uid = rustix::process::geteuid().as_raw();
    name_of(&passwd(), uid)
}

fn passwd() -> String {
    std::fs::read_to_string("/etc/passwd").unwrap_or_default()
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

fn name_of(passwd: &str, uid: u32) -> Option<String> {
    let uid = uid.to_string();
    let line = passwd.lines().find(|line| line.split(':').nth(2) == Some(&uid))?;
    line.split(':').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str =
        "root:x:0:0::/root:/bin/sh\npostgres:x:101:104:a,,,:/var/lib/postgresql:/bin/bash\nzero:x:0:5::/:/\n";

    #[test]
    fn user_and_group() {
        assert_eq!(lookup(PASSWD, "postgres"), Some(Account { uid: 101, gid: 104 }));
        assert_eq!(lookup(PASSWD, "nobody"), None);
        assert_eq!(lookup(PASSWD, "zero"), None, "a second name of root is root");
    }

    #[test]
    fn names() {
        assert_eq!(name_of(PASSWD, 101).as_deref(), Some("postgres"));
        assert_eq!(name_of(PASSWD, 0).as_deref(), Some("root"), "the first name counts");
        assert_eq!(name_of(PASSWD, 10), None);
    }
}
