//! The rules against promtool, and the endpoint against a real Prometheus (Debian package `prometheus`).
//!
//! The server runs from a temporary folder on a free loopback port, and ends with the test. Fixed figures are published
//! by the same code that `peaje watch --listen` uses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use peaje_diagnose::churn;
use peaje_watch::listen::{self, Reach};
use peaje_watch::metrics::{
    ApplicationInterval, Applications, Exposition, Failures, Format, Histogram, LIFE_EDGES_S, LOGIN_EDGES_S, Published,
    ServerMetrics, SessionStates, render,
};
use peaje_watch::prometheus_rules::{alert_name, yaml};
use serde_json::Value;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);
const ODD_NAME: &str = "C:\\svc\\\"app\".exe @ h";

/// What promtool says, and its exit code.
fn promtool(args: &[&str], input: &str) -> (String, Option<i32>) {
    let mut child = Command::new("promtool")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is installed (Debian package prometheus; scripts/setup installs it)");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("promtool reads");
    let output = child.wait_with_output().expect("promtool ends");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (said, output.status.code())
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn promtool_accepts_the_rules_and_their_alerts_fire() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rules, tests) = (path(&folder, "peaje.rules.yml"), path(&folder, "tests.yml"));
    std::fs::write(&rules, yaml()).expect("written");
    std::fs::write(&tests, rule_tests()).expect("written");
    let (said, code) = promtool(&["check", "rules", &rules], "");
    assert_eq!(code, Some(0), "{said}");
    let number = 6 + 2 + churn::CODES.len();
    assert!(said.contains(&format!("{number} rules found")), "{said}");
    let (said, code) = promtool(&["test", "rules", &tests], "");
    assert!(code == Some(0) && said.contains("SUCCESS"), "{said}");
}

#[test]
fn promtool_reads_the_figures() {
    let text = render(&exposition(1_000, 1_796_000_000.0), Format::Prometheus);
    let (said, _) = promtool(&["check", "metrics"], &text);
    // The names follow OpenTelemetry (`db.client.connection.count`), whose last word promtool keeps for histograms.
    let wanted = ["peaje_application_session_count", "peaje_session_count"]
        .map(|name| format!("{name} non-histogram and non-summary metrics should not have \"_count\" suffix\n"));
    assert_eq!(said, wanted.concat(), "promtool check metrics");
    let (said, _) = promtool(&["check", "metrics"], &(text + "peaje_watch_up{x=\"unclosed} 1\n"));
    assert!(said.contains("parsing error"), "it does look: {said}");
}

const LABELS: &str = "db_system_name=\"postgresql\",server_address=\"db\",server_port=\"5432\"";

/// Tests for `promtool test rules`: one for each code, and figures worked out by hand.
fn rule_tests() -> String {
    let mut out = "rule_files: [peaje.rules.yml]\nevaluation_interval: 1m\ntests:\n".to_owned();
    for code in churn::CODES {
        out.push_str(&diagnosis_test(code));
    }
    out.push_str(&figures_test());
    out
}

/// Found from the 10th minute on: no alert at 12, one at 16 that names the application, none when it is over.
fn diagnosis_test(code: &str) -> String {
    let alert = alert_name(code);
    let mut out = String::new();
    let _ = write!(
        out,
        "  - interval: 1m
    input_series:
      - series: 'peaje_diagnosis{{rule=\"{code}\",{LABELS}}}'
        values: '0x9 1x20 0x20'
      - series: 'peaje_application_diagnosis{{rule=\"{code}\",peaje_application_name=\"cron @ h\",{LABELS}}}'
        values: '_x9 1x20 _x20'
    promql_expr_test:
      - expr: 'count by (alertname) (ALERTS{{alertstate=\"firing\"}})'
        eval_time: 16m
        exp_samples:
          - labels: '{{alertname=\"{alert}\"}}'
            value: 1
      - expr: 'ALERTS{{alertname=\"{alert}\",alertstate=\"firing\"}}'
        eval_time: 12m
      - expr: 'ALERTS{{alertname=\"{alert}\",alertstate=\"firing\"}}'
        eval_time: 40m
    alert_rule_test:
      - eval_time: 12m
        alertname: {alert}
      - eval_time: 16m
        alertname: {alert}
        exp_alerts:
          - exp_labels:
              rule: {code}
              severity: {severity}
              db_system_name: postgresql
              server_address: db
              server_port: '5432'
            exp_annotations:
              summary: 'db:5432: {title}'
              description: 'Applications: cron @ h; see `peaje explain {code}`.'
",
        severity = if code == "restart-or-failover" { "info" } else { "warning" },
        title = peaje_report::Words::of(peaje_diagnose::Language::English).title(code).replace('\'', "''"),
    );
    out
}

/// 90 sessions, 2 logins a second: each lives 45 s. The server restarts after an hour, which is no rate. Its limit is 95.
fn figures_test() -> String {
    format!(
        "  - interval: 1m
    input_series:
      - series: 'peaje_session_logins_total{{{LABELS}}}'
        values: '5000+120x59 0+120x60'
      - series: 'peaje_session_logouts_total{{{LABELS}}}'
        values: '4000+60x120'
      - series: 'peaje_session_count{{state=\"idle\",{LABELS}}}'
        values: '80x120'
      - series: 'peaje_session_count{{state=\"active\",{LABELS}}}'
        values: '10x120'
      - series: 'peaje_session_limit{{{LABELS}}}'
        values: '95x120'
      - series: 'peaje_session_login_failures_total{{error_type=\"credentials\",{LABELS}}}'
        values: '0+30x120'
      - series: 'peaje_session_login_failures_total{{error_type=\"limit\",{LABELS}}}'
        values: '0+30x120'
      - series: 'peaje_session_login_failures_total{{error_type=\"probe\",{LABELS}}}'
        values: '0+6000x120'
      - series: 'peaje_watch_up{{{LABELS}}}'
        values: '1x100 0x20'
    promql_expr_test:
      - expr: 'peaje:session_logins:rate5m'
        eval_time: 50m
        exp_samples: [{{labels: 'peaje:session_logins:rate5m{{{LABELS}}}', value: 2}}]
      - expr: 'min_over_time(peaje:session_logins:rate5m[20m])'
        eval_time: 70m
        exp_samples: [{{labels: '{{{LABELS}}}', value: 1.6}}]
      - expr: 'peaje:session_logouts:rate5m'
        eval_time: 50m
        exp_samples: [{{labels: 'peaje:session_logouts:rate5m{{{LABELS}}}', value: 1}}]
      - expr: 'peaje:session_count:sum'
        eval_time: 50m
        exp_samples: [{{labels: 'peaje:session_count:sum{{{LABELS}}}', value: 90}}]
      - expr: 'peaje:session_life_seconds:mean30m'
        eval_time: 50m
        exp_samples: [{{labels: 'peaje:session_life_seconds:mean30m{{{LABELS}}}', value: 45}}]
      - expr: 'peaje:session_login_failures:rate5m'
        eval_time: 50m
        exp_samples: [{{labels: 'peaje:session_login_failures:rate5m{{{LABELS}}}', value: 1}}]
      - expr: 'round(100 * peaje:session_use:ratio)'
        eval_time: 50m
        exp_samples: [{{labels: '{{{LABELS}}}', value: 95}}]
    alert_rule_test:
      - eval_time: 100m
        alertname: PeajeServerNotRead
      - eval_time: 110m
        alertname: PeajeServerNotRead
        exp_alerts:
          - exp_labels: {{severity: warning, db_system_name: postgresql, server_address: db, server_port: '5432'}}
            exp_annotations:
              summary: 'db:5432 cannot be read'
              description: >-
                peaje watch gets no figures of it: it is down, or refuses the login, or a privilege is missing.
      - eval_time: 50m
        alertname: PeajeSessionsNearlyFull
        exp_alerts:
          - exp_labels: {{severity: critical, db_system_name: postgresql, server_address: db, server_port: '5432'}}
            exp_annotations:
              summary: 'db:5432 has 94.74% of its sessions open'
              description: 'Soon clients will be turned away. See `peaje explain server-full`.'
"
    )
}

/// A server with `logins` since `started_s`.
fn exposition(logins: u64, started_s: f64) -> Exposition {
    let mut lives = Histogram::new(LIFE_EDGES_S);
    for life in [0.3, 59.0, 61.5] {
        lives.observe(life);
    }
    let mut tls = Histogram::new(LOGIN_EDGES_S);
    for time in [0.0011, 16.0] {
        tls.observe(time);
    }
    let mut applications = Applications::new(started_s);
    let sessions = SessionStates { active: 1, ..SessionStates::default() };
    let interval = ApplicationInterval { logins: 12, logouts: 11, sessions };
    applications.add(started_s, &BTreeMap::from([(ODD_NAME.to_owned(), interval)]));
    let server = ServerMetrics {
        system: "postgresql".into(),
        address: "db.example.com".into(),
        port: 5432,
        up: true,
        readings: 3,
        started_s: Some(started_s),
        watching_since_s: started_s,
        logins: Some(logins),
        logouts: Some(logins - 6),
        failures: Failures { total: Some(7), credentials: Some(4), limit: Some(2), probe: Some(8_640) },
        resets: Some(55),
        sessions: Some(SessionStates { active: 6, idle: 64, idle_in_transaction: 2, never_used: 12 }),
        limit: Some(97),
        encrypted: Some(0.92),
        coverage: Some(0.96),
        mean_life_s: Some(40.25),
        lives: Some(lives),
        logins_by_phase: BTreeMap::from([("tls", tls)]),
        applications: Some(applications),
        found: vec![("no-pooling", Some(ODD_NAME.into()))],
        ..ServerMetrics::default()
    };
    Exposition { version: "0.1.0".into(), rules: churn::CODES.to_vec(), servers: vec![server] }
}

/// The endpoint, on a thread with a runtime of its own for as long as the test runs.
fn serve(published: Published) -> SocketAddr {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let any = SocketAddr::from(([127, 0, 0, 1], free_port()));
            let listener = listen::bind(any, Reach::LoopbackOnly).await.expect("a free port");
            tell.send(listener.address()).expect("the test waits");
            listener.serve(published).await
        });
    });
    told.recv().expect("it listens")
}

/// A free loopback port below those that the kernel gives to clients.
fn free_port() -> u16 {
    let start = 20_000 + (std::process::id() % 6_000) as u16 * 2;
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (start..32_000).chain(20_000..start).find(free).expect("a free port")
}

/// A Prometheus of this test's own.
struct Prometheus {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Prometheus {
    fn start(endpoint: SocketAddr) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("peaje.rules.yml"), yaml()).expect("written");
        let configuration = format!(
            "global: {{scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}}\n\
             rule_files: [peaje.rules.yml]\n\
             scrape_configs:\n  - job_name: peaje\n    static_configs: [{{targets: ['{endpoint}']}}]\n"
        );
        std::fs::write(folder.path().join("prometheus.yml"), configuration).expect("written");
        let port = free_port();
        let log = std::fs::File::create(folder.path().join("log")).expect("a log");
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", path(&folder, "prometheus.yml")))
            .arg(format!("--storage.tsdb.path={}", path(&folder, "data")))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("prometheus is installed (Debian package prometheus; scripts/setup installs it)");
        Self { child, port, folder }
    }

    /// The answer of its API; `None` while it does not answer.
    fn api(&self, path: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        // HTTP/1.0: the answer comes in one piece.
        stream.write_all(format!("GET /api/v1/{path} HTTP/1.0\r\n\r\n").as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
    }

    /// The series of an instant query: labels and value.
    fn query(&self, expression: &str) -> Vec<(Value, f64)> {
        let encoded: String = expression.bytes().fold(String::new(), |mut out, byte| {
            let _ = write!(out, "%{byte:02X}");
            out
        });
        let Some(answer) = self.api(&format!("query?query={encoded}")) else { return Vec::new() };
        let series = answer["data"]["result"].as_array().cloned().unwrap_or_default();
        let value = |one: &Value| one["value"][1].as_str().and_then(|text| text.parse().ok());
        series.iter().filter_map(|one| Some((one["metric"].clone(), value(one)?))).collect()
    }

    /// Waits until the query has one series with this value.
    fn wait(&self, expression: &str, wanted: f64) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let found = self.query(expression);
            if let [(labels, value)] = found.as_slice()
                && (value - wanted).abs() < 1e-9
            {
                return labels.clone();
            }
            assert!(Instant::now() < until, "{expression} should be {wanted}: {found:?}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn log(&self) -> String {
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let targets = self.api("targets?state=active").unwrap_or_default();
        format!("{}\n{targets}", read(&self.folder.path().join("log")))
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_real_prometheus_scrapes_the_figures() {
    let published = Published::default();
    let now_s = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs_f64();
    published.put(exposition(1_000, now_s - 3_600.0));
    let prometheus = Prometheus::start(serve(published.clone()));

    let labels = prometheus.wait("peaje_session_logins_total", 1_000.0);
    assert_eq!(labels["server_address"], "db.example.com");
    assert_eq!((labels["server_port"].as_str(), labels["db_system_name"].as_str()), (Some("5432"), Some("postgresql")));
    for (expression, value) in [
        ("up{job=\"peaje\"}", 1.0),
        ("peaje_build_info{version=\"0.1.0\"}", 1.0),
        ("peaje_session_count{state=\"never_used\"}", 12.0),
        ("sum(peaje_session_count)", 84.0),
        ("peaje_session_limit", 97.0),
        ("peaje_session_login_failures_total{error_type=\"credentials\"}", 4.0),
        ("peaje_session_login_failures_total{error_type=\"other\"}", 1.0),
        ("peaje_session_lifetime_seconds_bucket{le=\"60.0\"}", 2.0),
        ("peaje_session_lifetime_seconds_count", 3.0),
        ("peaje_login_duration_seconds_bucket{phase=\"tls\",le=\"15.0\"}", 1.0),
        ("histogram_quantile(0.5, peaje_session_lifetime_seconds_bucket)", 45.0),
        ("peaje_diagnosis{rule=\"no-pooling\"}", 1.0),
        ("count(peaje_diagnosis)", churn::CODES.len() as f64),
        ("count(peaje_diagnosis == 1)", 1.0),
        ("peaje_application_logins_total{peaje_application_name!=\"other\"}", 12.0),
        // The recording rules are evaluated, and the alert waits for its five minutes.
        ("peaje:session_count:sum", 84.0),
        ("ALERTS{alertname=\"PeajeNoPooling\",alertstate=\"pending\"}", 1.0),
    ] {
        prometheus.wait(expression, value);
    }
    let name = prometheus.wait("peaje_application_diagnosis", 1.0);
    assert_eq!(name["peaje_application_name"], ODD_NAME, "a name comes through as it is");
    let created = prometheus.query("peaje_session_logins_created");
    assert!(matches!(created.as_slice(), [(_, at)] if (at - (now_s - 3_600.0)).abs() < 0.01), "{created:?}");

    // The server restarts: its counters begin anew, which is a reset and not a negative rate.
    published.put(exposition(20, now_s));
    prometheus.wait("peaje_session_logins_total", 20.0);
    prometheus.wait("resets(peaje_session_logins_total[1m])", 1.0);
    let rate = prometheus.query("rate(peaje_session_logins_total[1m])");
    assert!(matches!(rate.as_slice(), [(_, rate)] if *rate >= 0.0), "{rate:?}");
}
