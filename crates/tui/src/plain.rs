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
    /// What was said of each group that there is, and whether something was found.
    verdicts: BTreeMap<(String, String), (String, bool)>,
    /// What answered, gaps, notes and findings.
    said: Heard,
    /// What was last known of each server: its readings and whether it is read.
    servers: BTreeMap<String, (u64, ServerStatus)>,
    verdict_at: Option<String>,
}

/// Sentences that are kept although no view has them any more: they may come back.
const MOST_KEPT: usize = 1_000;

/// What was said already. Watches run for months: what no view repeats is forgotten, the oldest first.
#[derive(Debug, Default)]
struct Heard {
    /// Each with the number of the view that had it last.
    last: BTreeMap<String, u64>,
    view: u64,
}

impl Heard {
    fn next_view(&mut self) {
        if self.last.len() > MOST_KEPT {
            let mut gone: Vec<u64> = self.last.values().copied().filter(|last| *last < self.view).collect();
            gone.sort_unstable_by(|a, b| b.cmp(a));
            let here = self.last.len() - gone.len();
            let oldest_kept = MOST_KEPT.saturating_sub(here).checked_sub(1).and_then(|at| gone.get(at).copied());
            let view = self.view;
            self.last.retain(|_, last| *last == view || oldest_kept.is_some_and(|oldest| *last >= oldest));
        }
        self.view += 1;
    }

    /// Whether it is said for the first time.
    fn is_new(&mut self, sentence: String) -> bool {
        self.last.insert(sentence, self.view).is_none()
    }
}

impl Plain {
    /// Nothing has been said. The colours of `look` do not matter.
    pub fn new(look: Look) -> Self {
        Self {
            words: Words::of(look.language),
            glyphs: look.glyphs,
            verdicts: BTreeMap::new(),
            said: Heard::default(),
            servers: BTreeMap::new(),
            verdict_at: None,
        }
    }

    /// What there is to say about `view`: lines without their ends.
    pub fn lines(&mut self, view: &View) -> Vec<String> {
        let clock = stamp(view);
        self.said.next_view();
        let mut lines: Vec<String> = Vec::new();
        for server in &view.servers {
            lines.extend(self.introduction(server));
            let state = (server.readings, server.status);
            if self.servers.insert(server.server.clone(), state) != Some(state) {
                lines.push(figures(&self.words, view, server));
            }
        }
        lines.extend(self.new_gaps(view));
        lines.extend(view.notes.iter().map(|note| Words::clean(note)).filter(|note| self.said.is_new(note.clone())));
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
        self.said.is_new(line.clone()).then_some(line)
    }

    fn new_gaps(&mut self, view: &View) -> Vec<String> {
        let said = |gap| sayings::gap(&self.words, view, gap);
        let lines: Vec<(String, String)> =
            view.gaps.iter().map(|gap| (format!("{} {} {:?}", gap.server, gap.from, gap.until), said(gap))).collect();
        lines.into_iter().filter(|(key, _)| self.said.is_new(key.clone())).map(|(_, line)| line).collect()
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
            let found = group.verdict == Verdict::Found;
            let before = self.verdicts.insert(key, (verdict.clone(), found));
            let was_found = before.as_ref().is_some_and(|(_, found)| *found);
            // That nothing is wrong with an application is worth a line only when something was.
            let first = group.kind == GroupKind::Instance && group.verdict == Verdict::Healthy;
            if before.is_none_or(|(said, _)| said != verdict) && (found || was_found || first) {
                let pal = self.pal(group);
                lines.push(verdict_line(&self.words, group, &verdict, pal));
            }
        }
        self.forget_groups(view);
        lines
    }

    /// What PAL's rule would say, and once why that misleads.
    fn pal(&mut self, group: &WatchGroup) -> Option<String> {
        let (verdict, why) = self.words.pal(group)?;
        Some(if self.said.is_new(why.clone()) { format!("{verdict}, {why}") } else { verdict })
    }

    /// Groups that are gone are no longer compared with anything. Before the first verdicts there are none at all.
    fn forget_groups(&mut self, view: &View) {
        if self.verdicts.len() > view.groups.len() && !view.groups.is_empty() {
            let there: BTreeSet<(&str, &str)> =
                view.groups.iter().map(|view| (view.group.server.as_str(), view.group.name.as_str())).collect();
            self.verdicts.retain(|(server, name), _| there.contains(&(server.as_str(), name.as_str())));
        }
    }

    /// Findings with their next step, once for each code and subject.
    fn new_findings(&mut self, view: &View) -> Vec<String> {
        let mut lines = Vec::new();
        for finding in view.findings.iter().filter(|finding| finding.verdict == Verdict::Found) {
            let said = self.words.finding(finding);
            if !self.said.is_new(format!("{} {}", finding.code, said.title)) {
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

fn verdict_line(words: &Words, group: &WatchGroup, verdict: &str, pal: Option<String>) -> String {
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
    parts.extend(pal);
    parts.join("; ")
}

/// The figures of one server, one line.
fn figures(words: &Words, view: &View, server: &ServerView) -> String {
    let name = Words::clean(&server.server);
    match server.status {
        ServerStatus::Starting => {
            let known = (server.readings > 0).then(|| sayings::sessions(words, server));
            let known = known.into_iter().chain(sayings::ages(words, server)).chain(sayings::security(words, server));
            let parts: Vec<String> = [name].into_iter().chain(known).chain([words.word("screen-starting")]).collect();
            return parts.join("  ");
        }
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
    parts.extend(sayings::ages(words, server));
    parts.extend(sayings::security(words, server));
    parts.extend(server.failed.as_ref().map(|failed| sayings::failures(words, failed)));
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_kept_and_what_is_gone_is_forgotten_at_last() {
        let mut heard = Heard::default();
        let say = |heard: &mut Heard, n: usize| {
            heard.next_view();
            // A finding that stands for months, and a gap each view.
            [heard.is_new("stands".to_owned()), heard.is_new(format!("gap {n}"))]
        };
        assert_eq!(say(&mut heard, 0), [true, true]);
        for n in 1..10_000 {
            assert_eq!(say(&mut heard, n), [false, true], "{n}");
        }
        assert!(heard.last.len() <= MOST_KEPT + 2, "{}", heard.last.len());
        assert_eq!(say(&mut heard, 9_990), [false, false], "it has just been said");
        assert_eq!(say(&mut heard, 3), [false, true], "nobody remembers");
    }

    #[test]
    fn groups_that_are_gone_are_forgotten() {
        let mut plain = Plain::new(Look::default());
        let group = |n: usize| {
            let group = WatchGroup {
                server: "db:1".to_owned(),
                name: format!("app{n} @ h"),
                kind: GroupKind::Application,
                verdict: Verdict::CannotSay,
                verdict_codes: Vec::new(),
                pattern: None,
                grade: None,
                mean_session_life_s: None,
                life_since_start: false,
                logins_per_s: None,
                logouts_per_s: None,
                sessions: None,
                limit: None,
                encrypted: None,
                cost: None,
                statistics: peaje_model::GroupStatistics::default(),
            };
            crate::GroupView { group, logins: Vec::new() }
        };
        for n in 0..500 {
            plain.lines(&View { groups: vec![group(n), group(n + 1)], ..View::default() });
        }
        assert_eq!(plain.verdicts.len(), 2);
        plain.lines(&View::default());
        assert_eq!(plain.verdicts.len(), 2, "a view without verdicts is no news");
    }
}
