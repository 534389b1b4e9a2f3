//! Where the server's binaries are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ThrowawayError;

/// Folders that hold one version each.
const VERSIONED: [(&str, &str); 2] = [("/usr/lib/postgresql", "bin"), ("/usr", "bin")];

/// The folder of `initdb` and `postgres`: `PEAJE_PG_BINDIR`, what `pg_config` says, the packages' folders (newest
/// version first), `PATH`.
pub(super) fn find() -> Result<PathBuf, ThrowawayError> {
    if let Some(named) = std::env::var_os("PEAJE_PG_BINDIR").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return if is_complete(&named) { Ok(named) } else { Err(ThrowawayError::WrongFolder(named)) };
    }
    candidates(std::env::var_os("PATH").as_deref()).into_iter().find(|folder| is_complete(folder)).ok_or_else(|| {
        let searched = ["`pg_config --bindir`", "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "PATH"];
        ThrowawayError::NoBinaries { searched: searched.map(str::to_owned).to_vec() }
    })
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

fn is_complete(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|name| folder.join(name).is_file())
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

    #[test]
    fn a_folder_needs_both_binaries() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("initdb"), "").expect("written");
        assert!(!is_complete(folder.path()));
        std::fs::write(folder.path().join("postgres"), "").expect("written");
        assert!(is_complete(folder.path()));
    }
}
