//! Makes a run fit to be shown to strangers: hosts, addresses, logins, databases, paths and the tag become aliases.
//!
//! What is redacted is *everything that is not known to be peaje's own word*: a new field of the run file is redacted
//! without anybody remembering to do so. [`OWN_WORDS`] lists the fields that are left alone.

mod names;
mod scan;
mod url;

use serde_json::Value;

use crate::Run;
use names::{Kind, Names};

/// Fields whose strings are peaje's or the protocol's own words: enumerations, codes, versions, algorithms, times,
/// pointers into the run. Replacing a word in them (a login may be called `full`) would make the run unreadable.
const OWN_WORDS: [&str; 45] = [
    "architecture",
    "at",
    "cause",
    "cipher",
    "close",
    "code",
    "experiment",
    "finished_at",
    "from",
    "grade",
    "hold",
    "how",
    "key_exchange",
    "kind",
    "label",
    "loop",
    "memory_source",
    "method",
    "mode",
    "modes",
    "name",
    "outcome",
    "path",
    "pattern",
    "peaje_version",
    "pooler",
    "product",
    "reason",
    "resolve",
    "rule",
    "schema",
    "scram_cache",
    "segment",
    "server_key",
    "severity",
    "started_at",
    "stopped_by",
    "tls",
    "tls_setting",
    "unit",
    "until",
    "verdict",
    "verdict_at",
    "verdict_codes",
    "version",
];

/// Fields left alone with all below them: histograms in base64, and the selectors of a finding's wording.
const OWN_TREES: [&str; 3] = ["engine", "histograms", "variant"];

/// Facts whose value is a name by itself, whatever it looks like.
const NAMING_FACTS: [(&str, Kind); 9] = [
    ("cluster_name", Kind::Host),
    ("server_hostname", Kind::Host),
    ("hostname", Kind::Host),
    ("current_user", Kind::Login),
    ("session_user", Kind::Login),
    ("user", Kind::Login),
    ("current_database", Kind::Database),
    ("database", Kind::Database),
    ("datname", Kind::Database),
];

/// Replaces what identifies a customer by aliases (`host-1`, `address-1`, `login-1`, `database-1`, `path-1`, `tag-1`).
/// The same original has the same alias everywhere in the run: in the target, in messages, facts, gaps, findings and
/// the command line.
///
/// Loopback addresses and `localhost` stay, as do folders of the kernel (`/proc`). Redacting twice changes nothing: a
/// name that already looks like an alias is kept. The text of the query is kept but for the names in it.
///
/// # Panics
/// When a number in the run is not finite. No run file can hold such a number.
pub fn redact(run: &mut Run) {
    Redactor::default().run(run);
}

/// Redacts what comes one after the other (lines, rows, runs), each name with the same alias every time.
#[derive(Debug, Default)]
pub struct Redactor {
    names: Names,
}

impl Redactor {
    /// As [`redact`] does.
    ///
    /// # Panics
    /// As [`redact`] does.
    pub fn run(&mut self, run: &mut Run) {
        let mut json = serde_json::to_value(&*run).expect("a run is plain data");
        self.names.read_in(&json.to_string());
        collect(run, &mut self.names);
        collect_quoted(&json, &mut self.names);
        rewrite(&mut json, None, &mut self.names);
        rewrite_watched(&mut json, &mut self.names);
        if let Some(sessions) = json.get_mut("sessions") {
            rewrite_held(sessions, &mut self.names);
        }
        *run = serde_json::from_value(json).expect("only free text was changed, and numbers of a run are finite");
    }

    /// Learns the names in an argument: a connection string, or a file.
    pub fn learn_argument(&mut self, argument: &str) {
        url::learn(argument, &mut self.names);
        learn_file_argument(argument, &mut self.names);
    }

    /// Learns the names of a target.
    pub fn learn_target(&mut self, target: &crate::Target) {
        collect_target(target, &mut self.names);
    }

    /// Learns a host: a name, an address, or a socket's folder.
    pub fn learn_host(&mut self, host: &str) {
        self.names.learn(Kind::of_host(host), host);
    }

    /// Learns the name of a client's program.
    pub fn learn_application(&mut self, application: &str) {
        self.names.learn(Kind::Application, application);
    }

    /// A text without the names that are known or that it names itself (`user "bob"`, addresses, paths, connection
    /// strings).
    pub fn text(&mut self, text: &str) -> String {
        scan::learn_quoted(text, &mut self.names);
        scan::rewrite(text, None, &mut self.names)
    }
}

/// Names that stand in fields of their own, in a fixed order so that the aliases are the same each time.
fn collect(run: &Run, names: &mut Names) {
    collect_target(&run.target, names);
    names.learn_all(Kind::Host, &run.environment.hostname);
    if let Some(settings) = run.settings.login() {
        names.learn_all(Kind::Tag, &settings.tag);
    }
    for fact in &run.facts {
        let kind = NAMING_FACTS.iter().find(|(name, _)| *name == fact.name).map(|(_, kind)| *kind);
        if let (Some(kind), crate::FactValue::Text(text)) = (kind, &fact.value) {
            names.learn(kind, text);
        }
    }
    for group in run.check.iter().flat_map(crate::CheckResult::seen_applications) {
        // Its login name stands for an application that does not name itself.
        let kind = if group.users.contains(&group.application) { Kind::Login } else { Kind::Application };
        names.learn(kind, &group.application);
        names.learn(Kind::of_host(&group.host), &group.host);
        names.learn_all(Kind::Login, &group.users);
    }
    collect_watched(run, names);
    run.sessions.iter().for_each(|result| collect_held(result, names));
    run.login.iter().flat_map(|login| &login.series).for_each(|series| names.keep(&series.label));
    for argument in &run.environment.command_line {
        url::learn(argument, names);
        learn_file_argument(argument, names);
    }
}

fn collect_target(target: &crate::Target, names: &mut Names) {
    names.learn_all(Kind::Login, &target.user);
    names.learn_all(Kind::Database, &target.database);
    for host in target.hosts.iter().chain(target.addresses.iter().map(|probe| &probe.host)) {
        names.learn(Kind::of_host(host), host);
    }
    url::learn(&target.url, names);
}

/// Names in a watch: servers, and the applications and hosts that groups are named for.
fn collect_watched(run: &Run, names: &mut Names) {
    if let crate::Settings::Watch(settings) = &run.settings {
        names.learn_all(Kind::Path, &settings.replayed);
        let declared = settings.declared_pools.iter().filter_map(|pool| pool.rsplit_once('='));
        declared.for_each(|(application, _)| names.learn(Kind::Application, application));
    }
    let Some(watch) = &run.watch else { return };
    for server in watch.groups.iter().map(|group| &group.server).chain(watch.gaps.iter().map(|gap| &gap.server)) {
        let host = server.rsplit_once(':').map_or(server.as_str(), |(host, _)| host);
        names.learn(Kind::of_host(host), host);
    }
    for group in watch.groups.iter().filter(|group| group.kind != crate::GroupKind::Instance) {
        let Some((application, from)) = group.name.split_once(" @ ") else { continue };
        let host = from.split_once(" # ").map_or(from, |(host, _)| host);
        names.learn(Kind::Application, application);
        names.learn(Kind::of_host(host), host);
    }
    for apart in watch.excluded.iter().filter(|apart| apart.reason != "own") {
        names.learn(Kind::Application, &apart.name);
    }
}

/// Groups have a customer's names where other things have peaje's own.
fn rewrite_watched(json: &mut Value, names: &mut Names) {
    for list in ["/watch/groups", "/watch/excluded"] {
        let items = json.pointer_mut(list).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            if let Some(Value::String(name)) = item.get_mut("name") {
                *name = scan::rewrite(name, None, names);
            }
        }
    }
}

/// Names in held sessions: labels that are connection strings, and the control groups of servers.
fn collect_held(result: &crate::SessionsResult, names: &mut Names) {
    url::learn(&result.label, names);
    let looks = result.steps.iter().chain([&result.baseline]).filter_map(|step| step.memory.as_ref());
    for group in looks.filter_map(|look| look.cgroup.as_ref()).filter(|group| group.path.len() > 1) {
        names.learn(Kind::Path, &group.path);
    }
    result.beside.iter().for_each(|one| collect_held(one, names));
}

/// What is peaje's own word elsewhere, a label and a path, is a customer's here.
fn rewrite_held(json: &mut Value, names: &mut Names) {
    if let Value::Array(items) = json {
        for item in items {
            rewrite_held(item, names);
        }
        return;
    }
    let Value::Object(fields) = json else { return };
    for (key, value) in fields.iter_mut() {
        match (key.as_str(), value) {
            ("label", Value::String(label)) => *label = scan::rewrite(label, None, names),
            ("path", Value::String(path)) => *path = scan::rewrite(path, Some(Kind::Path), names),
            (_, value) => rewrite_held(value, names),
        }
    }
}

/// An argument, or the value of `--option=value`, that is the name of a file.
fn learn_file_argument(argument: &str, names: &mut Names) {
    const SUFFIXES: [&str; 8] = [".json", ".csv", ".html", ".pem", ".crt", ".key", ".txt", ".log"];
    let value = match argument.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        _ => argument,
    };
    let is_file = SUFFIXES.iter().any(|suffix| value.to_ascii_lowercase().ends_with(suffix));
    let is_connection_string = value.contains("://") || value.contains(' ') && value.contains('=');
    if is_file && !is_connection_string {
        names.learn(Kind::Path, value);
    }
}

/// Names that messages put in quotes after a word that says what they are.
fn collect_quoted(json: &Value, names: &mut Names) {
    match json {
        Value::String(text) => scan::learn_quoted(text, names),
        Value::Array(items) => items.iter().for_each(|item| collect_quoted(item, names)),
        Value::Object(fields) => fields.values().for_each(|value| collect_quoted(value, names)),
        _ => {}
    }
}

/// Rewrites every string below `json`, except in fields of own words. `key` is the name of the field it stands in.
fn rewrite(json: &mut Value, key: Option<&str>, names: &mut Names) {
    match json {
        Value::String(text) => *text = scan::rewrite(text, key.and_then(Kind::of_field), names),
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, key, names)),
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                // Own words are strings; an object of the same name (`tls` of a login) is looked into.
                if !is_own_word(key, value) {
                    rewrite(value, Some(key.as_str()), names);
                }
            }
        }
        _ => {}
    }
}

fn is_own_word(key: &str, value: &Value) -> bool {
    let words = match value {
        Value::String(_) => true,
        Value::Array(items) => items.iter().all(Value::is_string),
        _ => false,
    };
    (words && OWN_WORDS.contains(&key)) || OWN_TREES.contains(&key)
}
