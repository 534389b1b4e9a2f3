//! Connection strings, password files and service files. Nothing that a person may type or paste may panic, and no
//! password may come out in the string that is shown.
#![no_main]

use std::io;
use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use peaje_postgres::config::{Config, FileKind, Metadata, Surroundings};

/// One file with the second half of the input stands for every file.
struct OneFile(String);

impl Surroundings for OneFile {
    fn var(&self, name: &str) -> Option<String> {
        (name == "PGPASSFILE").then(|| "/file".to_owned())
    }

    fn read_file(&self, _: &Path) -> io::Result<String> {
        Ok(self.0.clone())
    }

    fn metadata(&self, _: &Path) -> Option<Metadata> {
        Some(Metadata { kind: FileKind::Regular, mode: Some(0o600) })
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
    assert!(!text.trim().contains('\0'), "a zero byte was accepted");
    assert!(!config.endpoints.is_empty(), "no endpoint");
    let shown = config.display_url();
    assert!(Config::is_target(&shown), "what is shown is not a connection string: {shown}");
    // A host may hold anything in the key=value form; only a name or an address can be read again in every case.
    let plain = |host: &str| host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_/".contains(&b));
    if !file.contains('\0') && config.endpoints.iter().all(|endpoint| plain(&endpoint.host())) {
        Config::parse(&shown, &OneFile(String::new())).expect("what is shown can be read again");
    }
});
