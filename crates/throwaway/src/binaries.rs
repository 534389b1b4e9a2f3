//! Where a server's binaries are.

use std::path::{Path, PathBuf};

use crate::ThrowawayError;

/// The folder named by an environment variable if it is set, else the first candidate that holds all of the wanted
/// files.
pub fn first_complete(
    product: &'static str,
    package: &'static str,
    variable: &'static str,
    wanted: &[&'static str],
    candidates: impl FnOnce() -> Vec<PathBuf>,
    searched: &[&str],
) -> Result<PathBuf, ThrowawayError> {
    let is_complete = |folder: &Path| wanted.iter().all(|name| folder.join(name).is_file());
    if let Some(named) = std::env::var_os(variable).filter(|named| !named.is_empty()) {
        let folder = PathBuf::from(named);
        let wanted = wanted.join("` and `");
        return if is_complete(&folder) {
            Ok(folder)
        } else {
            Err(ThrowawayError::WrongFolder { variable, folder, wanted })
        };
    }
    candidates().into_iter().find(|folder| is_complete(folder)).ok_or_else(|| ThrowawayError::NoBinaries {
        product,
        package,
        variable,
        wanted: wanted.join(" and "),
        searched: searched.iter().map(|place| (*place).to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(candidates: Vec<PathBuf>) -> Result<PathBuf, ThrowawayError> {
        // No such variable: what a test reads must not depend on who runs it.
        first_complete("Fake", "fake", "PEAJE_TEST_NO_SUCH_VARIABLE", &["init", "serve"], || candidates, &["PATH"])
    }

    #[test]
    fn a_folder_needs_all_binaries_and_the_first_one_wins() {
        let [half, whole, other] = [(); 3].map(|()| tempfile::tempdir().expect("a temporary folder"));
        std::fs::write(half.path().join("init"), "").expect("written");
        for folder in [&whole, &other] {
            for name in ["init", "serve"] {
                std::fs::write(folder.path().join(name), "").expect("written");
            }
        }
        let candidates: Vec<PathBuf> = [&half, &whole, &other].iter().map(|f| f.path().to_owned()).collect();
        assert_eq!(find(candidates).expect("complete"), whole.path());
        let error = find(vec![half.path().to_owned()]).expect_err("incomplete");
        assert!(error.to_string().contains("init and serve"), "{error}");
    }
}
