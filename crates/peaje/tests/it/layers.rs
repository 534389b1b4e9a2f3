//! Holds the layers of ARCHITECTURE.md: every crate has its place, edges go down, and pure crates stay pure.
//!
//! A newcomer who adds a crate adds it to [`LAYERS`] and to ARCHITECTURE.md; a failing edge means that the code is in
//! the wrong crate, rarely that the table is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package};

/// Crate (without `peaje-`) and layer. A crate may use what stands in lower layers only.
const LAYERS: [(&str, u8); 17] = [
    ("stats", 0),
    ("model", 1),
    ("names83", 1),
    ("engine", 2),
    ("throwaway", 2),
    ("diagnose", 2),
    ("report", 2),
    ("postgres", 3),
    ("mysql", 3),
    ("sqlserver", 3),
    ("host", 3),
    ("files", 3),
    ("lab", 4),
    ("refserver", 4),
    ("watch", 4),
    ("tui", 5),
    ("peaje", 6),
];

/// Edges within one layer, each with its reason.
const SIDEWAYS: [(&str, &str, &str); 1] =
    [("report", "diagnose", "a report shows the page behind a finding; diagnoses know nothing of reports")];

/// Edges of tests that do not go down, each with its reason.
const TESTS_ONLY: [(&str, &str, &str); 1] =
    [("lab", "refserver", "held sessions are counted against a server that counts them too")];

/// Members that ship nothing and may look at every crate.
const OUTSIDE: [&str; 1] = ["peaje-fuzz"];

/// No clock, no network, no files, no environment.
const PURE: [&str; 5] = ["stats", "model", "names83", "diagnose", "report"];

/// What pure crates may use: crates that compute, and touch nothing outside the process when used as they are here.
const PURE_DEPENDENCIES: [&str; 12] = [
    "anstyle",
    "base64",
    "csv",
    "fluent-bundle",
    "hashbrown",
    "hdrhistogram",
    "plotters",
    "schemars",
    "serde",
    "serde_json",
    "thiserror",
    "unic-langid",
];

fn workspace() -> Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("cargo metadata")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the tree is there")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn short(name: &str) -> &str {
    name.strip_prefix("peaje-").unwrap_or(name)
}

fn crates(workspace: &Metadata) -> Vec<&Package> {
    workspace.workspace_packages().into_iter().filter(|p| !OUTSIDE.contains(&p.name.as_str())).collect()
}

fn layer(name: &str) -> u8 {
    LAYERS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name} has no layer")).1
}

/// Dependencies on crates of this workspace: those with a path.
fn edges(package: &Package) -> impl Iterator<Item = (&Dependency, &str)> {
    package.dependencies.iter().filter(|d| d.path.is_some()).map(|d| (d, short(&d.name)))
}

#[test]
fn every_crate_has_a_layer_and_every_layer_a_crate() {
    let workspace = workspace();
    let found: BTreeSet<&str> = crates(&workspace).iter().map(|p| short(&p.name)).collect();
    let known: BTreeSet<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, known, "left: the workspace, right: LAYERS");
}

#[test]
fn edges_go_down() {
    let workspace = workspace();
    let mut wrong = Vec::new();
    for package in crates(&workspace) {
        let from = short(&package.name);
        for (dependency, to) in edges(package) {
            let sideways = SIDEWAYS.iter().any(|(a, b, _)| (*a, *b) == (from, to));
            let test = dependency.kind == DependencyKind::Development
                && TESTS_ONLY.iter().any(|(a, b, _)| (*a, *b) == (from, to));
            if layer(to) >= layer(from) && !sideways && !test {
                wrong.push(format!("{from} ({}) -> {to} ({}), {:?}", layer(from), layer(to), dependency.kind));
            }
        }
    }
    assert!(wrong.is_empty(), "edges that do not go down:\n{}", wrong.join("\n"));
}

#[test]
fn exceptions_are_used_and_make_no_circle() {
    let workspace = workspace();
    let used: BTreeSet<(&str, &str)> =
        crates(&workspace).iter().flat_map(|p| edges(p).map(|(_, to)| (short(&p.name), to))).collect();
    for (from, to, reason) in SIDEWAYS.into_iter().chain(TESTS_ONLY) {
        assert!(used.contains(&(from, to)), "{from} -> {to} is allowed ({reason}) and not used: remove it");
        assert!(!used.contains(&(to, from)), "{from} and {to} use each other");
    }
}

#[test]
fn a_crate_lies_in_the_folder_of_its_name() {
    for package in crates(&workspace()) {
        let folder = package.manifest_path.parent().expect("a manifest lies in a folder");
        assert_eq!(folder.as_std_path(), root().join("crates").join(short(&package.name)), "{}", package.name);
    }
}

#[test]
fn the_architecture_names_every_crate() {
    let text = read("ARCHITECTURE.md");
    for (name, _) in LAYERS {
        assert!(text.contains(&format!("`{name}`")), "ARCHITECTURE.md does not name `{name}`");
    }
}

#[test]
fn pure_crates_use_nothing_that_reaches_outside() {
    let workspace = workspace();
    let mut wrong = Vec::new();
    for package in crates(&workspace).into_iter().filter(|p| PURE.contains(&short(&p.name))) {
        for dependency in package.dependencies.iter().filter(|d| d.kind != DependencyKind::Development) {
            let name = dependency.name.as_str();
            let pure =
                if dependency.path.is_some() { PURE.contains(&short(name)) } else { PURE_DEPENDENCIES.contains(&name) };
            if !pure {
                wrong.push(format!("{} -> {name}", package.name));
            }
        }
    }
    assert!(wrong.is_empty(), "pure crates with impure dependencies:\n{}", wrong.join("\n"));
}

#[test]
fn pure_crates_have_clippy_hold_them_to_it() {
    // clippy.toml is looked for in the package's own folder: each pure crate has the same one.
    let bans: BTreeMap<&str, String> =
        PURE.iter().map(|name| (*name, read(&format!("crates/{name}/clippy.toml")))).collect();
    for (name, ban) in &bans {
        assert_eq!(ban, &bans["stats"], "crates/{name}/clippy.toml and crates/stats/clippy.toml differ");
    }
    for word in [
        "Instant::now",
        "SystemTime::now",
        "fs::File::open",
        "net::TcpStream::connect",
        "env::var",
        "process::Command::new",
    ] {
        assert!(bans["stats"].contains(&format!("::{word}\"")), "clippy.toml does not ban {word}");
    }
}

/// A new engine is a file in `engines/`, and a line there: elsewhere the command knows none by name.
#[test]
fn the_command_names_an_engines_crate_in_one_folder_only() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source.clone()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path == source.join("engines") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            seen += 1;
            let text = std::fs::read_to_string(&path).expect("a source file");
            for engine in ["peaje_postgres", "peaje_mysql", "peaje_sqlserver"] {
                assert!(!text.contains(engine), "{} names {engine}", path.display());
            }
        }
    }
    assert!(seen > 10, "{seen} files");
}
