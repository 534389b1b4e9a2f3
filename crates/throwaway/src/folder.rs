//! The folder of a throwaway server: only the server's account can enter it.

use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::ThrowawayError;
use crate::account::Account;

/// The system's limit for the path of a Unix socket is 107 bytes.
const LONGEST_PARENT: usize = 70;
/// Mode of folders: nobody but the account enters.
const PRIVATE: u32 = 0o700;
/// Lines of the log that are quoted.
const LOG_LINES: usize = 20;

/// Where a throwaway server lives.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    account: Option<Account>,
}

impl Folder {
    /// A new folder; it is removed when the first value is dropped.
    pub(crate) fn make(prefix: &str, account: Option<Account>) -> Result<(tempfile::TempDir, Self), ThrowawayError> {
        let mut parent = std::env::temp_dir();
        if parent.as_os_str().len() > LONGEST_PARENT {
            parent = PathBuf::from("/tmp");
        }
        let failed = |source| ThrowawayError::Folder { path: parent.clone(), source };
        // Servers tell their data folder without symbolic links.
        let parent = parent.canonicalize().map_err(failed)?;
        let made =
            tempfile::Builder::new().prefix(prefix).permissions(private()).tempdir_in(&parent).map_err(failed)?;
        let folder = Self { path: made.path().to_owned(), account };
        folder.give(made.path())?;
        Ok((made, folder))
    }

    /// Its path, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of something in it.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Makes a folder in it that belongs to the server's account.
    pub fn make_folder(&self, name: impl AsRef<Path>) -> Result<(), ThrowawayError> {
        let path = self.join(name);
        let made = std::fs::DirBuilder::new().mode(PRIVATE).create(&path);
        made.map_err(|source| ThrowawayError::Folder { path: path.clone(), source })?;
        self.give(&path)
    }

    /// Writes a file in it that only the server's account can read.
    pub fn write(&self, name: impl AsRef<Path>, text: &str) -> Result<(), ThrowawayError> {
        let path = self.join(name);
        let failed = |source| ThrowawayError::Folder { path: path.clone(), source };
        // The mode comes before the contents.
        std::fs::write(&path, "").map_err(failed)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        std::fs::write(&path, text).map_err(failed)?;
        self.give(&path)
    }

    /// Removes a file in it.
    pub fn remove(&self, name: impl AsRef<Path>) -> Result<(), ThrowawayError> {
        let path = self.join(name);
        std::fs::remove_file(&path).map_err(|source| ThrowawayError::Folder { path, source })
    }

    /// The last lines of the server's output.
    pub fn log_tail(&self) -> String {
        let text = std::fs::read(self.join("log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }

    fn give(&self, path: &Path) -> Result<(), ThrowawayError> {
        let Some(account) = self.account else { return Ok(()) };
        std::os::unix::fs::chown(path, Some(account.uid), Some(account.gid))
            .map_err(|source| ThrowawayError::Folder { path: path.to_owned(), source })
    }
}

fn private() -> std::fs::Permissions {
    std::fs::Permissions::from_mode(PRIVATE)
}
