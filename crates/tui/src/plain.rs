//! The same in lines, for a log or a pipe: one for each server and interval, and one whenever a verdict or a gap is new.

use std::collections::{BTreeMap, BTreeSet};

use peaje_model::{GroupKind, Verdict, WatchGroup};
use peaje_report::{Value, Words};

use crate::clock::{Exactly, seconds_between, stamp, time};
use crate::view::{ServerStatus, ServerView};
use crate::{Glyphs, Look, View, ascii, sayings};

/// A verdict that moves by less is no news.
const WORTH_SAYING_S: i64 = 300;

/// Makes lines of views; remembers what it has said.
#[derive(Debug)]
pub struct Plain {
    words: Words,
    glyphs: Glyphs,
    verdicts: BTreeMap<(String, String), String>,
    found: BTreeMap<(String, String), bool>,
    said: BTreeSet<String>,
    /// What was last known of each server: its readings and whether it is read.
    servers: BTreeMap<String, (u64, ServerStatus)>,
    verdict_at: Option<String>,
    answered: BTreeSet<String>,
}

impl Plain {
    /// Nothing has been said. The colours of `look` do not matter.
    pub fn new(look: Look) -> Self {
        Self {
            words: Words::of(look.language),
            glyphs: look.glyphs,
            verdicts: BTreeMap::new(),
            found: BTreeMap::new(),
            said: BTreeSet::new(),
            servers: BTreeMap::new(),
            verdict_at: None,
            answered: BTreeSet::new(),
        }
    }

    /// What there is to say about `view`: lines without their ends.
    pub fn lines(&mut self, view: &View) -> Vec<String> {
        let clock = stamp(view);
        let mut lines: Vec<String> = Vec::new();
        for server in &view.servers {
            lines.extend(self.introduction(server));
            let state = (server.readings, server.status);
            if self.servers.insert(server.server.clone(), state) != Some(state) {
                lines.push(figures(&self.words, view, server));
            }
        }
        lines.extend(self.new_gaps(view));
        lines.extend(view.notes.iter().map(|note| Words::clean(note)).filter(|note| self.said.insert(note.clone())));
        lines.extend(self.coming(view));
        lines.extend(self.changed_verdicts(view));
        lines.extend(self.new_findings(view));
        let whole = lines.into_iter().map(|line| format!("{clock}  {line}"));
        match self.glyphs {
            Glyphs::Unicode => whole.collect(),
            Glyphs::Ascii => whole.map(|line| ascii::folded(&line)).collect(),
        }
    }

    /// What answered, once for each answer.
    fn introduction(&mut self, server: &ServerView) -> Option<String> {
        let what = sayings::answered(&self.words, server.answered.as_ref()?);
        let line = format!("{}  {what}", Words::clean(&server.server));
        self.answered.insert(line.clone()).then_some(line)
    }

    fn new_gaps(&mut self, view: &View) -> Vec<String> {
        let said = |gap| sayings::gap(&self.words, view, gap);
        let lines: Vec<(String, String)> =
            view.gaps.iter().map(|gap| (format!("{} {} {:?}", gap.server, gap.from, gap.until), said(gap))).collect();
        lines.into_iter().filter(|(key, _)| self.said.insert(key.clone())).map(|(_, line)| line).collect()
    }

    /// When a verdict will come, whenever that changes by much.
    fn coming(&mut self, view: &View) -> Option<String> {
        let at = view.verdict_at.as_ref()?;
        let said = self.verdict_at.as_ref().and_then(|said| seconds_between(said, at));
        if said.is_some_and(|moved| moved.abs() < WORTH_SAYING_S) {
            return None;
        }
        self.verdict_at = Some(at.clone());
        let at = time(view, at, Exactly::Minute);
        Some(self.words.say("screen-verdict-at", &[("at", Value::Text(&at))]))
    }

    /// Groups whose verdict is another than it was. Single processes are the evidence, not a line of their own.
    fn changed_verdicts(&mut self, view: &View) -> Vec<String> {
        let mut lines = Vec::new();
        for group in view.groups.iter().map(|view| &view.group).filter(|group| group.kind != GroupKind::Process) {
            let verdict = self.words.verdict(group);
            let key = (group.server.clone(), group.name.clone());
            let before = self.verdicts.insert(key.clone(), verdict.clone());
            let found = group.verdict == Verdict::Found;
            let was_found = std::mem::replace(self.found.entry(key).or_default(), found);
            // That nothing is wrong with an application is worth a line only when something was.
            let first = group.kind == GroupKind::Instance && group.verdict == Verdict::Healthy;
            if before.as_ref() != Some(&verdict) && (found || was_found || first) {
                lines.push(verdict_line(&self.words, group, &verdict));
            }
        }
        lines
    }

    /// Findings with their next step, once for each code and subject.
    fn new_findings(&mut self, view: &View) -> Vec<String> {
        let mut lines = Vec::new();
        for finding in view.findings.iter().filter(|finding| finding.verdict == Verdict::Found) {
            let said = self.words.finding(finding);
            if !self.said.insert(format!("{} {}", finding.code, said.title)) {
                continue;
            }
            let severity = self.words.severity(finding.severity);
            lines.push(format!("{severity}: {} ({}). {}", said.title, finding.code, said.sentence));
            let next = said.next_step.map(|step| self.words.say("finding-next", &[("step", Value::Text(&step))]));
            lines.extend(next);
        }
        lines
    }
}

fn verdict_line(words: &Words, group: &WatchGroup, verdict: &str) -> String {
    let name = match group.kind {
        GroupKind::Instance => Words::clean(&group.server),
        GroupKind::Application | GroupKind::Process => {
            format!("{}  {}", Words::clean(&group.server), Words::clean(&group.name))
        }
    };
    let mut parts = vec![format!("{name}: {verdict}")];
    parts.extend(sayings::life(words, group));
    parts.push(words.say("screen-logins", &[("rate", Value::Text(&words.rate(group.logins_per_s)))]));
    if let Some(code) = group.verdict_codes.first() {
        parts.push(format!("peaje explain {}", Words::clean(code)));
    }
    parts.join("; ")
}

/// The figures of one server, one line.
fn figures(words: &Words, view: &View, server: &ServerView) -> String {
    let name = Words::clean(&server.server);
    match server.status {
        ServerStatus::Starting => return format!("{name}  {}", words.word("screen-starting")),
        ServerStatus::Gap => return format!("{name}  {}", words.word("screen-not-read")),
        ServerStatus::Read => {}
    }
    let rate = |id, rate| words.say(id, &[("rate", Value::Text(&words.rate(rate)))]);
    let mut parts = vec![
        name,
        rate("screen-logins", server.now.logins_per_s),
        rate("screen-logouts", server.now.logouts_per_s),
        sayings::sessions(words, server),
    ];
    parts.extend(
        server
            .now
            .waiting
            .filter(|n| *n > 0.0)
            .map(|n| words.say("screen-queue", &[("n", Value::Text(&words.sessions(Some(n))))])),
    );
    parts.extend(view.instance(&server.server).and_then(|group| sayings::life(words, group)));
    parts.extend(
        server
            .encrypted
            .map(|share| words.say("screen-encrypted", &[("share", Value::Text(&words.share(Some(share))))])),
    );
    parts.extend(server.failed.as_ref().map(|failed| sayings::failures(words, failed)));
    parts.join("  ")
}
