//! The two text formats: Prometheus' own (0.0.4) and OpenMetrics 1.0.0.
//!
//! They differ in small things that a scraper does not forgive: in OpenMetrics a counter's family has no `_total`,
//! a counter tells when it was created, edges of buckets are written as floats, and the end is marked.

use std::fmt::Write as _;

use super::histogram::Histogram;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `text/plain; version=0.0.4`.
    Prometheus,
    /// `application/openmetrics-text; version=1.0.0`.
    OpenMetrics,
}

impl Format {
    /// What the answer's `Content-Type` says.
    pub const fn content_type(self) -> &'static str {
        match self {
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// The format that an `Accept` header prefers; Prometheus' own where it asks for neither.
    pub fn accepted(accept: Option<&str>) -> Self {
        let best = |wanted: &[&str]| {
            let offers = accept.unwrap_or_default().split(',');
            offers.filter_map(|offer| quality(offer, wanted)).fold(0.0, f64::max)
        };
        let open_metrics = best(&["application/openmetrics-text"]);
        if open_metrics > 0.0 && open_metrics >= best(&["text/plain", "text/*"]) {
            Self::OpenMetrics
        } else {
            Self::Prometheus
        }
    }
}

/// The `q` of an offer of one of these types; `None` for other types, and for a version of OpenMetrics other than 1 and
/// 0.0.1, which differ in nothing that is used here.
fn quality(offer: &str, wanted: &[&str]) -> Option<f64> {
    let mut parts = offer.split(';').map(str::trim);
    let kind = parts.next()?.to_ascii_lowercase();
    if !wanted.contains(&kind.as_str()) {
        return None;
    }
    let mut q = 1.0;
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        match name.trim().to_ascii_lowercase().as_str() {
            "q" => q = value.trim().parse().unwrap_or(0.0),
            "version" if kind.starts_with("application/") && !matches!(value.trim(), "1.0.0" | "0.0.1") => return None,
            _ => {}
        }
    }
    Some(q)
}

/// A label's name and value.
pub(crate) type Label<'a> = (&'a str, &'a str);

/// What a family is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Counter,
    Gauge,
    Histogram,
    /// A gauge that is always 1, whose labels are what it says.
    Info,
}

/// The exposition under construction.
pub(crate) struct Writer {
    out: String,
    format: Format,
    family: &'static str,
    kind: Kind,
}

impl Writer {
    pub(crate) fn new(format: Format) -> Self {
        Self { out: String::with_capacity(1 << 14), format, family: "", kind: Kind::Gauge }
    }

    /// Begins a family; `name` without `_total` and `_info`. All its samples follow at once.
    pub(crate) fn family(&mut self, name: &'static str, kind: Kind, unit: &str, help: &str) {
        (self.family, self.kind) = (name, kind);
        let (shown, word) = match (self.format, kind) {
            (Format::Prometheus, Kind::Counter) => (format!("{name}_total"), "counter"),
            (Format::Prometheus, Kind::Info) => (format!("{name}_info"), "gauge"),
            (Format::OpenMetrics, Kind::Info) => (name.to_owned(), "info"),
            (_, Kind::Counter) => (name.to_owned(), "counter"),
            (_, Kind::Gauge) => (name.to_owned(), "gauge"),
            (_, Kind::Histogram) => (name.to_owned(), "histogram"),
        };
        let _ = writeln!(self.out, "# HELP {shown} {}", escaped_help(help));
        let _ = writeln!(self.out, "# TYPE {shown} {word}");
        // A unit has to be the end of the name.
        if self.format == Format::OpenMetrics && !unit.is_empty() && name.ends_with(unit) {
            let _ = writeln!(self.out, "# UNIT {shown} {unit}");
        }
    }

    /// A sample of a gauge.
    pub(crate) fn gauge(&mut self, labels: &[Label<'_>], value: f64) {
        let suffix = if self.kind == Kind::Info { "_info" } else { "" };
        self.sample(suffix, labels, &number(value));
    }

    /// A sample of a counter that counts since `created_s` (seconds since 1970).
    pub(crate) fn counter(&mut self, labels: &[Label<'_>], value: u64, created_s: Option<f64>) {
        self.sample("_total", labels, &value.to_string());
        self.created(labels, created_s);
    }

    /// A histogram.
    pub(crate) fn histogram(&mut self, labels: &[Label<'_>], histogram: &Histogram, created_s: Option<f64>) {
        for (edge, up_to) in histogram.cumulative() {
            let edge = match self.format {
                Format::Prometheus => number(edge),
                Format::OpenMetrics => format!("{edge:?}"),
            };
            self.bucket(labels, &edge, up_to);
        }
        self.bucket(labels, "+Inf", histogram.count());
        self.sample("_sum", labels, &number(histogram.sum()));
        self.sample("_count", labels, &histogram.count().to_string());
        self.created(labels, created_s);
    }

    fn bucket(&mut self, labels: &[Label<'_>], edge: &str, up_to: u64) {
        let labels: Vec<Label<'_>> = labels.iter().copied().chain([("le", edge)]).collect();
        self.sample("_bucket", &labels, &up_to.to_string());
    }

    fn created(&mut self, labels: &[Label<'_>], created_s: Option<f64>) {
        if let (Format::OpenMetrics, Some(created_s)) = (self.format, created_s) {
            self.sample("_created", labels, &number(created_s));
        }
    }

    fn sample(&mut self, suffix: &str, labels: &[Label<'_>], value: &str) {
        let _ = write!(self.out, "{}{suffix}", self.family);
        for (i, (name, label)) in labels.iter().enumerate() {
            let _ = write!(self.out, "{}{name}=\"{}\"", if i == 0 { '{' } else { ',' }, escaped(label));
        }
        let _ = writeln!(self.out, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    pub(crate) fn finish(mut self) -> String {
        if self.format == Format::OpenMetrics {
            self.out.push_str("# EOF\n");
        }
        self.out
    }
}

fn number(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned()
    } else {
        value.to_string()
    }
}

/// A label's value: what a client calls itself may hold anything.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// OpenMetrics wants the quotes of a help text escaped too; Prometheus' format does not know that, so there are none.
fn escaped_help(help: &str) -> String {
    help.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accept_header_chooses() {
        let table = [
            (None, Format::Prometheus),
            (Some("*/*"), Format::Prometheus),
            (Some("text/plain"), Format::Prometheus),
            (Some("application/openmetrics-text"), Format::OpenMetrics),
            (
                Some("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
                Format::OpenMetrics,
            ),
            (Some("application/openmetrics-text; version=0.0.1"), Format::OpenMetrics),
            (Some("application/openmetrics-text; version=2.0.0, text/plain;q=0.1"), Format::Prometheus),
            (Some("application/openmetrics-text;q=0.2, text/plain;q=0.9"), Format::Prometheus),
            (Some("application/openmetrics-text;q=0"), Format::Prometheus),
            (Some("application/openmetrics-text;q=x"), Format::Prometheus),
            (Some("APPLICATION/OpenMetrics-Text ; Q=0.4"), Format::OpenMetrics),
        ];
        for (accept, format) in table {
            assert_eq!(Format::accepted(accept), format, "{accept:?}");
        }
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(escaped("a\\b\"c\nd\u{1b}[31m"), "a\\\\b\\\"c\\nd [31m");
    }

    #[test]
    fn numbers_are_what_both_formats_read() {
        let table = [(1.0, "1"), (0.0025, "0.0025"), (f64::NAN, "NaN"), (f64::INFINITY, "+Inf"), (-1e9, "-1000000000")];
        for (value, text) in table {
            assert_eq!(number(value), text);
        }
        assert_eq!(format!("{:?}", 1.0), "1.0", "an edge in OpenMetrics is a float");
    }
}
