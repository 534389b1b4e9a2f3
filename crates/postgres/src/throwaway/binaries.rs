//! Where the server's binaries are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use peaje_throwaway::{ThrowawayError, first_complete};

/// Folders that hold one version each.
const VERSIONED: [(&str, &str); 2] = [("/usr/lib/postgresql", "bin"), ("/usr", "bin")];

/// The folder of `initdb` and `postgres`: `PEAJE_PG_BINDIR`, what `pg_config` says, the packages' folders (newest
/// version first), `PATH`.
pub(super) fn find() -> Result<PathBuf, ThrowawayError> {
    first_complete(
        "PostgreSQL",
        "postgresql",
        "PEAJE_PG_BINDIR",
        &["initdb", "postgres"],
        || candidates(std::env::var_os("PATH").as_deref()),
        &["`pg_config --bindir`", "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "PATH"],
    )
}

fn candidates(path: Option<&OsStr>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = by_pg_config().into_iter().collect();
    folders.extend(VERSIONED.iter().flat_map(|(parent, bin)| newest_first(Path::new(parent), bin)));
    folders.extend(path.map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default());
    folders
}

fn by_pg_config() -> Option<PathBuf> {
    let answer = Command::new("pg_config").arg("--bindir").output().ok().filter(|o| o.status.success())?;
    let folder = String::from_utf8(answer.stdout).ok()?;
    Some(PathBuf::from(folder.trim()))
}

/// `PARENT/15/bin` and `PARENT/pgsql-15/bin`, the highest number first.
fn newest_first(parent: &Path, bin: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let version = version_of_folder(&name)?;
            Some((version, parent.join(name).join(bin)))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, folder)| folder).collect()
}

fn version_of_folder(name: &str) -> Option<u32> {
    let number = name.strip_prefix("pgsql-").unwrap_or(name);
    number.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_comes_first() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        for name in ["9.6", "15", "18", "README", "pgsql-17"] {
            std::fs::create_dir(parent.path().join(name)).expect("a folder");
        }
        let found = newest_first(parent.path(), "bin");
        let expected = ["18", "pgsql-17", "15", "9.6"].map(|name| parent.path().join(name).join("bin"));
        assert_eq!(found, expected);
    }
}
