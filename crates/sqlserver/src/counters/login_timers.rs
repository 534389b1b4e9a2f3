//! The connectivity ring buffer: logins of which the server kept where their time went.
//!
//! A newcomer would have the server take its XML apart. That depends on options of the session which not every client
//! sets; the records are small, and two spellings of them are known.

use peaje_model::{Fact, FactValue};

use super::row::Row;

/// A login that takes longer is slow, milliseconds.
const SLOW_MS: u64 = 1_000;

const SOURCE: &str = "sys.dm_os_ring_buffers (RING_BUFFER_CONNECTIVITY)";

/// Where the time of a login went: the word of the fact, the tag of either spelling, and the tag around it in the second.
const PARTS: [(&str, &str, &str, Option<&str>); 6] = [
    ("queueing", "LoginTaskEnqueuedInMilliseconds", "EnqueueTime", None),
    ("network-reads", "NetworkReadsInMilliseconds", "NetReadsTime", None),
    ("network-writes", "NetworkWritesInMilliseconds", "NetWritesTime", None),
    ("tls", "SslProcessingInMilliseconds", "TotalTime", Some("Ssl")),
    ("windows-authentication", "SspiProcessingInMilliseconds", "TotalTime", Some("Sspi")),
    ("triggers", "LoginTriggerAndResourceGovernorProcessingInMilliseconds", "TriggerAndResGovTime", None),
];

/// One login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Recorded {
    total_ms: u64,
    /// The part that took most, when one is known to have taken any time.
    part: Option<&'static str>,
}

/// Facts of the records.
pub(super) fn facts(rows: &[Row]) -> Vec<Fact> {
    let logins: Vec<Recorded> = rows.iter().filter_map(|row| recorded(row.text("record")?)).collect();
    let slow = logins.iter().filter(|login| login.total_ms >= SLOW_MS).count();
    let slowest = logins.iter().max_by_key(|login| login.total_ms);
    let number = |name: &str, n: f64, unit: Option<&str>| fact(name, FactValue::Number(n), unit);
    let mut facts =
        vec![number("recorded_logins", logins.len() as f64, None), number("slow_recorded_logins", slow as f64, None)];
    if let Some(slowest) = slowest {
        facts.push(number("slowest_recorded_login_ms", slowest.total_ms as f64, Some("ms")));
        let part = slowest.part.map(|part| FactValue::Text(part.to_owned()));
        facts.extend(part.map(|part| fact("slowest_recorded_login_part", part, None)));
    }
    facts
}

fn fact(name: &str, value: FactValue, unit: Option<&str>) -> Fact {
    Fact { name: name.to_owned(), value, unit: unit.map(str::to_owned), source: SOURCE.to_owned(), at: None }
}

fn recorded(record: &str) -> Option<Recorded> {
    let timers = inside(record, "LoginTimers").or_else(|| inside(record, "LoginTimersInMilliseconds"))?;
    // The second spelling nests the times of TLS and Windows authentication, whose totals have the same name.
    let outer = without(&without(timers, "Ssl"), "Sspi");
    let total_ms = number(timers, "TotalLoginTimeInMilliseconds").or_else(|| number(&outer, "TotalTime"))?;
    let time = |(_, first, second, around): &(&str, &str, &str, Option<&str>)| {
        let nested = match around {
            Some(tag) => inside(timers, tag).and_then(|part| number(part, second)),
            None => number(&outer, second),
        };
        number(timers, first).or(nested).unwrap_or(0)
    };
    let part = PARTS.iter().max_by_key(|part| time(part)).filter(|part| time(part) > 0);
    Some(Recorded { total_ms, part: part.map(|part| part.0) })
}

/// The text of the first element of this name.
fn inside<'a>(xml: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>"))?.0)
}

/// The text without the first element of this name.
fn without(xml: &str, tag: &str) -> String {
    match (xml.split_once(&format!("<{tag}>")), xml.split_once(&format!("</{tag}>"))) {
        (Some((before, _)), Some((_, after))) => format!("{before}{after}"),
        _ => xml.to_owned(),
    }
}

fn number(xml: &str, tag: &str) -> Option<u64> {
    inside(xml, tag)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "<Record id=\"2\" type=\"RING_BUFFER_CONNECTIVITY\"><ConnectivityTraceRecord>\
        <RecordType>LoginTimers</RecordType><Spid>0</Spid><LoginTimers>\
        <TotalLoginTimeInMilliseconds>1529</TotalLoginTimeInMilliseconds>\
        <LoginTaskEnqueuedInMilliseconds>0</LoginTaskEnqueuedInMilliseconds>\
        <NetworkWritesInMilliseconds>3</NetworkWritesInMilliseconds>\
        <NetworkReadsInMilliseconds>1510</NetworkReadsInMilliseconds>\
        <SslProcessingInMilliseconds>11</SslProcessingInMilliseconds>\
        </LoginTimers></ConnectivityTraceRecord></Record>";

    const SECOND: &str = "<Record><ConnectivityTraceRecord><LoginTimersInMilliseconds><TotalTime>3000</TotalTime>\
        <EnqueueTime>12</EnqueueTime><NetWritesTime>0</NetWritesTime><NetReadsTime>20</NetReadsTime>\
        <Ssl><TotalTime>40</TotalTime><NetReadsTime>30</NetReadsTime></Ssl>\
        <Sspi><TotalTime>2900</TotalTime></Sspi><TriggerAndResGovTime>5</TriggerAndResGovTime>\
        </LoginTimersInMilliseconds></ConnectivityTraceRecord></Record>";

    #[test]
    fn both_spellings() {
        assert_eq!(recorded(FIRST), Some(Recorded { total_ms: 1529, part: Some("network-reads") }));
        assert_eq!(recorded(SECOND), Some(Recorded { total_ms: 3000, part: Some("windows-authentication") }));
        let other =
            "<Record><ConnectivityTraceRecord><RecordType>Error</RecordType></ConnectivityTraceRecord></Record>";
        for text in [other, "", "<LoginTimers>", "<LoginTimers></LoginTimers>"] {
            assert_eq!(recorded(text), None, "{text}");
        }
    }

    #[test]
    fn the_slowest_is_kept_with_its_part() {
        let value = |facts: &[Fact], name: &str| facts.iter().find(|fact| fact.name == name).map(|f| f.value.clone());
        let rows = [FIRST, SECOND, "<Record/>"].map(|text| Row::of(&[("record", text)]));
        let found = facts(&rows);
        assert_eq!(value(&found, "recorded_logins"), Some(FactValue::Number(2.0)));
        assert_eq!(value(&found, "slow_recorded_logins"), Some(FactValue::Number(2.0)));
        assert_eq!(value(&found, "slowest_recorded_login_ms"), Some(FactValue::Number(3000.0)));
        let part = FactValue::Text("windows-authentication".to_owned());
        assert_eq!(value(&found, "slowest_recorded_login_part"), Some(part));
        assert_eq!(facts(&[]).len(), 2);
    }
}
