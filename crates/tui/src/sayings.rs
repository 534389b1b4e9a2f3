//! What the screen and the plain lines say with the same words.

use peaje_model::{FailedLogins, Segment, WatchGap, WatchGroup, WhatAnswered};
use peaje_report::{Value, Words};

use crate::clock::{Exactly, time};
use crate::{Exactness, ServerView, View};

/// Authentication methods that are named.
const METHODS: usize = 3;

/// `PostgreSQL 16.4 through Pgpool-II 4.5.0`.
pub(crate) fn answered(words: &Words, what: &WhatAnswered) -> String {
    let mut said = Words::clean(&what.product);
    if let Some(version) = &what.version {
        said = format!("{said} {}", Words::clean(version));
    }
    match (what.segment, &what.pooler) {
        (_, Some(pooler)) => format!("{said} {}", words.say("screen-through", &[("what", Value::Text(pooler))])),
        (Segment::SomethingBetween, None) => format!("{said} {}", words.word("screen-something-between")),
        _ => said,
    }
}

/// The mean session life, labelled where it is an average since the server's start.
pub(crate) fn life(words: &Words, group: &WatchGroup) -> Option<String> {
    let said = words.life(Some(group.mean_session_life_s?));
    let id = if group.life_since_start { "screen-life-since-start" } else { "screen-life" };
    Some(words.say(id, &[("life", Value::Text(&said))]))
}

/// `failed logins 5 (3 credentials, 2 limit)`.
pub(crate) fn failures(words: &Words, failed: &FailedLogins) -> String {
    let total = words.count(failed.total.round() as u64);
    let classes: Vec<String> = [("credentials", failed.credentials), ("limit", failed.limit)]
        .into_iter()
        .filter_map(|(class, n)| {
            let n = words.count(n.filter(|n| *n > 0.0)?.round() as u64);
            Some(words.say(&format!("screen-failed-{class}"), &[("n", Value::Text(&n))]))
        })
        .collect();
    if classes.is_empty() {
        return words.say("screen-failed", &[("n", Value::Text(&total))]);
    }
    let values = [("n", Value::Text(&total)), ("classes", Value::Text(&classes.join(", ")))];
    words.say("screen-failed-by-class", &values)
}

/// `no figures 10:31:02 to 10:31:20, db:5432: the server was restarted`.
pub(crate) fn gap(words: &Words, view: &View, gap: &WatchGap) -> String {
    let from = time(view, &gap.from, Exactly::Second);
    let why = reason(words, gap);
    let mut values =
        vec![("server", Value::Text(&gap.server)), ("from", Value::Text(&from)), ("message", Value::Text(&why))];
    match &gap.until {
        None => words.say("screen-gap-open", &values),
        Some(until) => {
            let until = time(view, until, Exactly::Second);
            values.push(("until", Value::Text(&until)));
            words.say("screen-gap", &values)
        }
    }
}

/// Why there are no figures, in the reader's language; with the server's own words where they tell more.
pub(crate) fn reason(words: &Words, gap: &WatchGap) -> String {
    let reason = words.named("screen-gap-because", &gap.reason);
    let message = Words::clean(&gap.message);
    let tells_more = matches!(gap.reason.as_str(), "unreachable" | "no-privilege") || reason == gap.reason;
    if tells_more && !message.is_empty() { format!("{reason}: {message}") } else { reason }
}

/// `sessions 84 of 97`.
pub(crate) fn sessions(words: &Words, server: &ServerView) -> String {
    let n = words.sessions(server.now.sessions);
    match server.limit.map(|limit| words.count(limit)) {
        Some(limit) => words.say("screen-sessions-of", &[("n", Value::Text(&n)), ("limit", Value::Text(&limit))]),
        None => words.say("screen-sessions", &[("n", Value::Text(&n))]),
    }
}

/// `ages: median 12 min, oldest 3.5 h`.
pub(crate) fn ages(words: &Words, server: &ServerView) -> Option<String> {
    let ages = server.ages?;
    let (median, oldest) = (words.life(Some(ages.median_s)), words.life(Some(ages.oldest_s)));
    let id = match ages.exactness {
        Exactness::Exact => "screen-ages",
        Exactness::AtLeast => "screen-ages-at-least",
    };
    Some(words.say(id, &[("median", Value::Text(&median)), ("oldest", Value::Text(&oldest))]))
}

/// `encrypted 92 %`, and how the sessions authenticated.
pub(crate) fn security(words: &Words, server: &ServerView) -> Vec<String> {
    let encrypted = server.encrypted.map(|share| words.share(Some(share)));
    let encrypted = encrypted.map(|share| words.say("screen-encrypted", &[("share", Value::Text(&share))]));
    let method = |(method, share): &(String, f64)| format!("{} {}", Words::clean(method), words.share(Some(*share)));
    let methods: Vec<String> = server.authentication.iter().take(METHODS).map(method).collect();
    let methods = (!methods.is_empty()).then(|| methods.join(", "));
    let methods = methods.map(|methods| words.say("screen-authentication", &[("methods", Value::Text(&methods))]));
    encrypted.into_iter().chain(methods).collect()
}
