//! Counts the files below folders, for measuring the scan alone.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::PathBuf;

use peaje_files::scan::{Options, Sizes, Threads, Watch, scan};

fn main() {
    let mut options = Options::default();
    let mut roots = Vec::new();
    for argument in std::env::args_os().skip(1) {
        let text = argument.to_string_lossy();
        if text == "--sizes" {
            options.sizes = Sizes::Yes;
        } else if let Some(threads) = text.strip_prefix("--threads=").and_then(|n| n.parse().ok()) {
            options.threads = Threads::Exactly(threads);
        } else {
            roots.push(PathBuf::from(argument));
        }
    }
    let found = scan(&roots, &options, Watch::default()).expect("folders to read");
    println!(
        "{} files, {} folders, {} threads, {:?}",
        found.totals.files, found.totals.folders, found.threads, found.elapsed
    );
}
