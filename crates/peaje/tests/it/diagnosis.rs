//! Real pools against real servers, told apart by `peaje watch`: four classes of `scripts/bench-diagnosis`, one run each.
//!
//! The whole table takes most of an hour and stands in BENCHMARKS.md; this is its short selection, with the same drivers,
//! the same rules and the same clients. It takes two minutes: the windows of the rules, scaled down as far as they go.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn real_pools_are_told_apart() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/bench-diagnosis");
    let mut bench = Command::new(script);
    bench.args(["--quick", "1", "--side-by-side", "4"]).stdin(Stdio::null());
    bench.env("PEAJE", env!("CARGO_BIN_EXE_peaje")).env("EXAMPLES", example_clients());
    let done = bench.output().expect("scripts/bench-diagnosis can be started");
    let (table, talk) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!(done.status.code(), Some(0), "{table}\n{talk}");
    assert_eq!(table.lines().last(), Some("right 100.0 %, benign accused 0"), "{table}\n{talk}");
}

/// The folder of the clients that are examples of the crate `watch`, built beside the program under test.
fn example_clients() -> PathBuf {
    let programs = Path::new(env!("CARGO_BIN_EXE_peaje")).parent().expect("it lies in a folder");
    let target = programs.parent().expect("of the target folder");
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", "peaje-watch", "--examples", "--target-dir"]).arg(target);
    build.args(if cfg!(debug_assertions) { &[][..] } else { &["--release"][..] });
    let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo can be started");
    assert!(built.success(), "the example clients do not build");
    programs.join("examples")
}
