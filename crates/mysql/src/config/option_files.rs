//! The option files of MySQL's and MariaDB's clients, merged: later files and later lines win.

use std::path::Path;

use super::keys::{self, Use};
use super::option_file::{Item, parse};
use super::settings::Settings;
use super::{ConfigError, FileKind, Place, Surroundings};

/// Groups that are read; `client-server` and `client-mariadb` are MariaDB's.
const GROUPS: [&str; 4] = ["client", "client-server", "client-mariadb", OWN_GROUP];
/// The group whose unknown keys are told: nobody else reads it.
const OWN_GROUP: &str = "peaje";
/// As in the engines' own clients, which read files that include each other to this depth, and then go on.
const DEEPEST_INCLUDE: usize = 10;
/// Files read at most: with several circles the depth alone would not end soon.
const MOST_FILES: usize = 5000;
/// What stands in the place of bytes that are not UTF-8.
const NOT_UTF8: char = char::REPLACEMENT_CHARACTER;

/// Everything the option files say; what is not used is told in `warnings`.
pub(super) fn read(surroundings: &dyn Surroundings, warnings: &mut Vec<String>) -> Result<Settings, ConfigError> {
    let mut reader = Reader { surroundings, warnings, settings: Settings::default(), files: 0 };
    for path in ["/etc/my.cnf", "/etc/mysql/my.cnf"] {
        reader.file_if_there(Path::new(path))?;
    }
    if let Some(home) = surroundings.home() {
        reader.file_if_there(&home.join(".my.cnf"))?;
        let obfuscated = home.join(".mylogin.cnf");
        if surroundings.metadata(&obfuscated).is_some() {
            reader.warnings.push(format!("{} is not read: write what is needed to ~/.my.cnf", obfuscated.display()));
        }
    }
    Ok(reader.settings)
}

struct Reader<'a> {
    surroundings: &'a dyn Surroundings,
    warnings: &'a mut Vec<String>,
    settings: Settings,
    files: usize,
}

impl Reader<'_> {
    fn file_if_there(&mut self, path: &Path) -> Result<(), ConfigError> {
        if self.surroundings.metadata(path).is_some() { self.file(path, 0) } else { Ok(()) }
    }

    fn file(&mut self, path: &Path, depth: usize) -> Result<(), ConfigError> {
        let refused = |reason: &str| ConfigError::OptionFile { path: path.to_owned(), reason: reason.to_owned() };
        if depth > DEEPEST_INCLUDE {
            self.warn(format!("{} is not read again: the option files include each other", path.display()));
            return Ok(());
        }
        match self.surroundings.metadata(path).map(|found| found.kind) {
            Some(FileKind::Regular) => {}
            Some(FileKind::Folder | FileKind::Other) => {
                self.warn(format!("{} is not used: it is no file", path.display()));
                return Ok(());
            }
            None => {
                self.warn(format!("{} is included by an option file, and is not there", path.display()));
                return Ok(());
            }
        }
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(refused("too many files are included"));
        }
        if self.is_writable_by_all(path) {
            self.warn(format!("{} is not used: everybody may write to it (chmod o-w)", path.display()));
            return Ok(());
        }
        let text = match self.surroundings.read_file(path) {
            Ok(text) => text,
            // The system's own files may be for others only: clients of MySQL pass over them too.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                self.warn(format!("{} cannot be read: {error}", path.display()));
                return Ok(());
            }
            Err(error) => return Err(refused(&error.to_string())),
        };
        let items = parse(&text).map_err(|(line, problem)| refused(&format!("line {line}: {problem}")))?;
        for item in items {
            match item {
                Item::Setting { group, key, value, line } => self.setting(path, &group, &key, value, line)?,
                // A path that is not absolute is seen from the current folder, not from that of the file.
                Item::Include(other) => self.file(Path::new(&other), depth + 1)?,
                Item::IncludeFolder(folder) => self.folder(Path::new(&folder), depth + 1)?,
            }
        }
        Ok(())
    }

    /// Files that end in `.cnf`.
    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), ConfigError> {
        let Ok(found) = self.surroundings.list_folder(folder) else {
            self.warnings.push(format!("{} cannot be read, and no option file in it is used", folder.display()));
            return Ok(());
        };
        for path in found.iter().filter(|path| path.extension().is_some_and(|e| e == "cnf")) {
            self.file(path, depth)?;
        }
        Ok(())
    }

    fn setting(
        &mut self,
        path: &Path,
        group: &str,
        key: &str,
        value: Option<String>,
        line: usize,
    ) -> Result<(), ConfigError> {
        if !GROUPS.iter().any(|read| read.eq_ignore_ascii_case(group)) {
            return Ok(());
        }
        let key = key.strip_prefix("loose-").or_else(|| key.strip_prefix("loose_")).unwrap_or(key);
        let place = Place::OptionFile { path: path.to_owned(), line };
        let own = OWN_GROUP.eq_ignore_ascii_case(group);
        match keys::find(key) {
            // Other programs read these groups too: what changes nothing here was not written for us.
            Some(known) if !own && matches!(known.used, Use::NoEffect(_)) => Ok(()),
            // Another text in its place would count as a failed login.
            Some(known) if value.as_ref().is_some_and(|value| value.contains(NOT_UTF8)) => Err(ConfigError::BadValue {
                key: known.name,
                place,
                problem: "holds characters that are not UTF-8; save the file in UTF-8, or put ASCII there".to_owned(),
            }),
            Some(_) => self.settings.set(key, value, place),
            None if !own => Ok(()),
            None => {
                self.warnings.push(format!("{place}: an unknown key has no effect"));
                Ok(())
            }
        }
    }

    /// Tells it once, however often it is met.
    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn is_writable_by_all(&self, path: &Path) -> bool {
        const OTHERS_WRITE: u32 = 0o002;
        self.surroundings
            .metadata(path)
            .is_some_and(|m| m.kind == FileKind::Regular && m.mode.is_some_and(|mode| mode & OTHERS_WRITE != 0))
    }
}
