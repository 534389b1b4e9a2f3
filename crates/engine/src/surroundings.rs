//! What a connection string may draw on outside itself: variables, files, the home folder, the user's name.
//!
//! It is a trait so that the rules can be tested without touching the process: tests use a map. What an engine never asks
//! for needs no answer: every method but one says "there is none" by itself.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A plain file.
    Regular,
    /// A folder.
    Folder,
    /// A Unix socket, a device, …
    Other,
}

/// The little that is asked about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Permission bits; `None` where the system has none.
    pub mode: Option<u32>,
}

/// Outside of the connection string.
pub trait Surroundings {
    /// An environment variable; an empty one counts as set.
    fn var(&self, name: &str) -> Option<String>;

    /// A whole text file.
    fn read_file(&self, _path: &Path) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }

    /// Kind and permissions of a file, links followed; `None` when there is none.
    fn metadata(&self, _path: &Path) -> Option<Metadata> {
        None
    }

    /// Paths of what is in a folder, sorted.
    fn list_folder(&self, _path: &Path) -> io::Result<Vec<PathBuf>> {
        Err(io::ErrorKind::NotFound.into())
    }

    /// The home folder.
    fn home(&self) -> Option<PathBuf> {
        None
    }

    /// Name of the operating-system user.
    fn user_name(&self) -> Option<String> {
        None
    }

    /// Name of this machine.
    fn host_name(&self) -> Option<String> {
        None
    }

    /// Whether something is there.
    fn exists(&self, path: &Path) -> bool {
        self.metadata(path).is_some()
    }
}

/// Far more than a password file, a service file or an option file holds.
const LONGEST_FILE: u64 = 1 << 20;

/// The surroundings of this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessSurroundings;

impl Surroundings for ProcessSurroundings {
    fn var(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn read_file(&self, path: &Path) -> io::Result<String> {
        // A pipe or a device would hang, or never end.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(LONGEST_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST_FILE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is longer than 1 MiB"));
        }
        // A password or option file in an old encoding must still be readable: only the lines with odd bytes suffer.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn metadata(&self, path: &Path) -> Option<Metadata> {
        let found = std::fs::metadata(path).ok()?;
        let kind = match found.file_type() {
            t if t.is_file() => FileKind::Regular,
            t if t.is_dir() => FileKind::Folder,
            _ => FileKind::Other,
        };
        Some(Metadata { kind, mode: mode(&found) })
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let found: io::Result<Vec<PathBuf>> = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect();
        let mut found = found?;
        found.sort();
        Ok(found)
    }

    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
    }

    fn host_name(&self) -> Option<String> {
        let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
        (!name.is_empty()).then_some(name)
    }

    fn user_name(&self) -> Option<String> {
        user_of_this_process().or_else(|| self.var("USER")).or_else(|| self.var("LOGNAME"))
    }
}

/// Nothing outside of the connection string: no variables, no files, no user.
#[derive(Debug, Clone, Copy, Default)]
pub struct BareSurroundings;

impl Surroundings for BareSurroundings {
    fn var(&self, _: &str) -> Option<String> {
        None
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)]
fn mode(found: &std::fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(found.permissions().mode())
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> Option<u32> {
    None
}

/// The name that belongs to the effective user id, as the engines' own clients take it: `USER` may say something else
/// under `sudo`.
#[cfg(unix)]
fn user_of_this_process() -> Option<String> {
    let uid = rustix::process::geteuid().as_raw().to_string();
    let passwd = std::fs::read_to_string("/etc/passwd").ok();
    let local = passwd.as_deref().and_then(|text| name_of(text, &uid));
    local.or_else(|| {
        // Users of a directory service are in no file.
        let answer = std::process::Command::new("id").arg("-un").output().ok().filter(|o| o.status.success())?;
        let name = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
        (!name.is_empty()).then_some(name)
    })
}

#[cfg(not(unix))]
fn user_of_this_process() -> Option<String> {
    std::env::var("USERNAME").ok()
}

#[cfg(unix)]
fn name_of(passwd: &str, uid: &str) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_one_of_the_user_id() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n";
        assert_eq!(name_of(passwd, "1000").as_deref(), Some("ann"));
        assert_eq!(name_of(passwd, "10"), None);
    }

    #[test]
    fn neither_devices_nor_files_without_end_are_read() {
        assert!(ProcessSurroundings.read_file(Path::new("/dev/zero")).is_err());
        let path = std::env::temp_dir().join(format!("peaje-long-file-{}", std::process::id()));
        std::fs::write(&path, vec![b'#'; LONGEST_FILE as usize]).expect("writable");
        assert!(ProcessSurroundings.read_file(&path).is_ok());
        std::fs::write(&path, vec![b'#'; LONGEST_FILE as usize + 1]).expect("writable");
        let long = ProcessSurroundings.read_file(&path);
        std::fs::remove_file(&path).expect("ours");
        assert!(long.is_err());
    }

    #[test]
    fn this_process_has_a_user() {
        assert!(ProcessSurroundings.user_name().is_some_and(|name| !name.is_empty()));
    }
}
