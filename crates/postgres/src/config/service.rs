//! Service files: named sets of settings, weaker than the connection string and stronger than the variables.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use super::{ConfigError, FileKind, Place, Surroundings};

/// Where the packages of the common distributions look when `PGSYSCONFDIR` is not set.
const SYSTEM_FOLDERS: [&str; 3] = ["/etc/postgresql-common", "/etc/sysconfig/pgsql", "/usr/local/pgsql/etc"];

/// Adds the settings of the service that is asked for, if one is.
pub(super) fn apply(settings: &mut Settings, surroundings: &dyn Surroundings) -> Result<(), ConfigError> {
    let asked = settings.text("service").or_else(|| surroundings.var("PGSERVICE").filter(|name| !name.is_empty()));
    let Some(name) = asked else { return Ok(()) };
    let files = files(settings, surroundings);
    for (file, needed) in &files {
        if *needed == Needed::No && !surroundings.exists(file) {
            continue;
        }
        // A device or a pipe may have no end.
        if surroundings.metadata(file).is_some_and(|found| found.kind != FileKind::Regular) {
            return Err(ConfigError::ServiceFile { path: file.clone(), reason: "it is not a plain file".to_owned() });
        }
        let text = surroundings
            .read_file(file)
            .map_err(|error| ConfigError::ServiceFile { path: file.clone(), reason: error.to_string() })?;
        if apply_section(&text, file, &name, settings)? {
            return Ok(());
        }
    }
    let searched = files.iter().map(|(file, _)| file.display().to_string()).collect();
    Err(ConfigError::NoService { name, searched })
}

/// Whether a file must be there: one that was named must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needed {
    Yes,
    No,
}

fn files(settings: &Settings, surroundings: &dyn Surroundings) -> Vec<(PathBuf, Needed)> {
    let named = settings.path("servicefile").or_else(|| surroundings.var("PGSERVICEFILE").map(PathBuf::from));
    let mut files = Vec::new();
    match named {
        Some(file) => files.push((file, Needed::Yes)),
        None => files.extend(surroundings.home().map(|home| (home.join(".pg_service.conf"), Needed::No))),
    }
    match surroundings.var("PGSYSCONFDIR") {
        Some(folder) => files.push((Path::new(&folder).join("pg_service.conf"), Needed::No)),
        None => files.extend(SYSTEM_FOLDERS.map(|folder| (Path::new(folder).join("pg_service.conf"), Needed::No))),
    }
    files
}

/// Takes over the section `[name]`; false when the file does not have it.
fn apply_section(text: &str, file: &Path, name: &str, settings: &mut Settings) -> Result<bool, ConfigError> {
    let mut found = false;
    for (i, line) in text.lines().enumerate() {
        let place = Place::ServiceFile { path: file.to_owned(), line: i + 1 };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(section) = line.strip_prefix('[') {
            if found {
                break;
            }
            found = section.strip_suffix(']') == Some(name);
            continue;
        }
        if found {
            apply_line(line, place, settings)?;
        }
    }
    Ok(found)
}

fn apply_line(line: &str, place: Place, settings: &mut Settings) -> Result<(), ConfigError> {
    if line.starts_with("ldap") {
        return Err(ConfigError::Unsupported {
            key: "service",
            place,
            problem: "refers to an LDAP server".to_owned(),
            next_step: "write the settings themselves into the service file",
        });
    }
    let Some((key, value)) = line.split_once('=') else {
        return Err(ConfigError::Syntax {
            place,
            problem: "`=` is missing".to_owned(),
            next_step: "write key=value, without quotes and without spaces around the `=`",
        });
    };
    if key == "service" || key == "servicefile" {
        return Err(ConfigError::Syntax {
            place,
            problem: "a service cannot refer to another one".to_owned(),
            next_step: "write the settings themselves",
        });
    }
    settings.set_weak(key, value.to_owned(), place)
}
