//! Where the server's binary is, and the scripts that make its system tables.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use peaje_throwaway::{ThrowawayError, first_complete};

/// The server. `mysqld` may be another product's.
pub(super) const SERVER: &str = "mariadbd";

/// Folders outside `PATH` where packages put servers.
const FOLDERS: [&str; 7] = [
    "/usr/sbin",
    "/usr/libexec",
    "/usr/local/sbin",
    "/usr/local/libexec",
    "/usr/local/bin",
    "/usr/local/mariadb/bin",
    "/usr/local/mysql/bin",
];

/// Where the scripts are, seen from the folder above that of the server.
const SHARES: [&str; 3] = ["share/mysql", "share/mariadb", "share"];

/// The scripts, without the prefix `mysql` or (since version 11) `mariadb`.
const SCRIPTS: [&str; 3] = ["_system_tables.sql", "_performance_tables.sql", "_system_tables_data.sql"];

/// An installed MariaDB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installation {
    /// Folder of the server.
    pub(super) bindir: PathBuf,
    /// The folder above: what the server calls its base.
    pub(super) base: PathBuf,
    /// The scripts that make the system tables, in order.
    pub(super) scripts: Vec<PathBuf>,
}

/// The installation in this folder, or in the first one found: `PEAJE_MARIADB_BINDIR`, `PATH`, packages' folders.
pub(super) fn find(bindir: Option<&Path>) -> Result<Installation, ThrowawayError> {
    let bindir = match bindir {
        Some(bindir) => bindir.to_owned(),
        None => first_complete(
            "MariaDB",
            "mariadb-server",
            "PEAJE_MARIADB_BINDIR",
            &[SERVER],
            || candidates(std::env::var_os("PATH").as_deref()),
            &["PATH", "/usr/sbin", "/usr/libexec", "/usr/local"],
        )?,
    };
    installation(&bindir).ok_or_else(|| ThrowawayError::Unfit {
        product: "MariaDB",
        reason: format!("the scripts of its system tables ({}) are not below it", SCRIPTS.map(prefixed).join(", ")),
        folder: bindir,
    })
}

fn candidates(path: Option<&OsStr>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    folders.extend(FOLDERS.map(PathBuf::from));
    folders
}

fn prefixed(script: &str) -> String {
    format!("mysql{script}")
}

fn installation(bindir: &Path) -> Option<Installation> {
    // A link such as /usr/local/bin/mariadbd leads to the folder where everything else is.
    let binary = bindir.join(SERVER).canonicalize().ok()?;
    let bindir = binary.parent()?.to_owned();
    let base = bindir.parent()?.to_owned();
    let scripts = SHARES.iter().find_map(|share| scripts(&base.join(share)))?;
    Some(Installation { bindir, base, scripts })
}

fn scripts(folder: &Path) -> Option<Vec<PathBuf>> {
    let found: Vec<PathBuf> = SCRIPTS
        .iter()
        .filter_map(|script| {
            let names = ["mariadb", "mysql"].map(|product| folder.join(format!("{product}{script}")));
            names.into_iter().find(|path| path.is_file())
        })
        .collect();
    (found.len() == SCRIPTS.len()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, "").expect("written");
    }

    #[test]
    fn scripts_are_found_beside_the_binary_under_either_name() {
        for (share, product) in [("share/mysql", "mysql"), ("share/mariadb", "mariadb"), ("share", "mysql")] {
            let base = tempfile::tempdir().expect("a temporary folder");
            let root = base.path().canonicalize().expect("it exists");
            touch(&root.join("sbin/mariadbd"));
            assert_eq!(installation(&root.join("sbin")), None, "no scripts yet");
            for script in SCRIPTS {
                touch(&root.join(share).join(format!("{product}{script}")));
            }
            let found = installation(&root.join("sbin")).expect("complete");
            assert_eq!((found.base.as_path(), found.scripts.len()), (root.as_path(), 3));
        }
    }

    #[test]
    fn a_folder_without_the_scripts_is_named() {
        let base = tempfile::tempdir().expect("a temporary folder");
        touch(&base.path().join("bin/mariadbd"));
        let error = find(Some(&base.path().join("bin"))).expect_err("unfit");
        assert!(error.to_string().contains("mysql_system_tables.sql"), "{error}");
    }
}
