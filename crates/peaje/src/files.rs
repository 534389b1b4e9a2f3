//! Writing results: whole or not at all, and never over a file by half.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

use crate::exit::hinted;
use crate::printer::Printer;

/// Whether a path means standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether a file can be written here: its folder is there and takes new files.
pub(crate) fn check_place(path: &Path) -> anyhow::Result<()> {
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    beside(path).map(drop).map_err(|error| cannot_write(path, &error))
}

/// A temporary file in the folder of a path; gone when it is dropped.
fn beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() || !folder.is_dir() {
        return Err(std::io::ErrorKind::NotADirectory.into());
    }
    tempfile::Builder::new().prefix(".peaje-").tempfile_in(folder)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> anyhow::Error {
    // The temporary file's own name would only confuse.
    let reason =
        error.get_ref().and_then(std::error::Error::source).map_or_else(|| error.to_string(), ToString::to_string);
    hinted(
        format!("cannot write {}: {reason}", path.display()),
        "choose a folder that exists, may be written to, and has room",
    )
}

/// Writes a result to a file (through a temporary one beside it, so that a full disk leaves the old one alone) or, for
/// `-`, to standard output.
pub(crate) fn write(path: &Path, contents: &str, printer: Printer) -> anyhow::Result<()> {
    if is_stdout(path) {
        return printer.result(contents).context("cannot write to standard output");
    }
    let failed = |error: std::io::Error| cannot_write(path, &error);
    if path.exists() && !path.is_file() {
        // A device or a pipe (/dev/null, /dev/stderr) is written to as it is.
        return std::fs::write(path, contents).map_err(failed);
    }
    let mut file = beside(path).map_err(failed)?;
    file.write_all(contents.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    readable_as_usual(file.as_file()).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Temporary files are private; a result is as readable as any file the user makes.
fn readable_as_usual(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let mask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(mask);
    file.set_permissions(std::fs::Permissions::from_mode(0o666 & !mask.bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_cannot_be_written_leaves_nothing_and_says_where() {
        let folder = tempfile::tempdir().expect("a folder");
        let printer = Printer::new(true);
        let good = folder.path().join("run.json");
        write(&good, "{}", printer).expect("writable");
        assert_eq!(std::fs::read_to_string(&good).expect("readable"), "{}");
        let bad = folder.path().join("missing/run.json");
        let error = write(&bad, "{}", printer).expect_err("no such folder");
        assert!(error.to_string().contains("missing/run.json"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1);
    }
}
