//! Connection strings and option files of MySQL and MariaDB. Nothing that a person may type, paste or keep in a file may
//! panic, and what is shown can be read again.
#![no_main]

use std::io;
use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use peaje_mysql::config::{Config, FileKind, Metadata, Surroundings};

/// One file with the second half of the input stands for every file, and for every file of every folder.
struct OneFile(String);

impl Surroundings for OneFile {
    fn var(&self, _: &str) -> Option<String> {
        None
    }

    fn read_file(&self, _: &Path) -> io::Result<String> {
        Ok(self.0.clone())
    }

    fn metadata(&self, path: &Path) -> Option<Metadata> {
        let kind = if path.ends_with("my.cnf") { FileKind::Regular } else { FileKind::Other };
        Some(Metadata { kind, mode: Some(0o600) })
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(vec![path.join("a.cnf")])
    }

    fn home(&self) -> Option<PathBuf> {
        Some(PathBuf::from("/home/fuzzer"))
    }

    fn user_name(&self) -> Option<String> {
        Some("fuzzer".to_owned())
    }
}

fuzz_target!(|input: &str| {
    let (text, file) = input.split_once('\u{1}').unwrap_or((input, ""));
    let _ = Config::is_target(text);
    let Ok(config) = Config::parse(text, &OneFile(file.to_owned())) else { return };
    assert!(!config.endpoints.is_empty(), "no endpoint");
    let shown = config.display_url();
    assert!(Config::is_target(&shown), "what is shown is not a connection string: {shown}");
    if file.is_empty() {
        let again = Config::parse(&shown, &OneFile(String::new())).expect("what is shown can be read again");
        assert_eq!((&again.user, &again.database), (&config.user, &config.database), "{shown}");
    }
});
