//! A recording gives the same verdicts as the watch that wrote it, and nothing that was committed is ever lost.
#![allow(clippy::unwrap_used, reason = "what is missing fails the test")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Fake, WINDOW, gone, pass, session, watch_with};
use peaje_model::GroupKind;
use peaje_watch::{
    Analysis, Exporter, RecordError, Recorder, RecordingPlan, RecordingState, Retention, read_rows, replay_csv,
    replay_db, result,
};

const PLAN: RecordingPlan = RecordingPlan { window: WINDOW, keep: EVERYTHING };
const EVERYTHING: Retention = Retention { keep: None, exact: Duration::MAX, merged: Duration::from_secs(300) };

fn json(result: &peaje_model::WatchResult) -> String {
    serde_json::to_string_pretty(result).unwrap()
}

/// A pool of twelve whose sessions are replaced one by one, and scripts that come for 25 s.
async fn busy_hour(fake: &Fake, collector: &peaje_watch::Collector, minutes: u64) {
    let mut id = 1000;
    for minute in 0..minutes {
        for third in 0..3_u64 {
            let now_us = fake.clock_us();
            {
                let mut world = fake.world();
                let pool = world.sessions.iter().filter(|session| session.application == "pool").count();
                for _ in pool..12 {
                    id += 1;
                    world.sessions.push(session(id, now_us - 1_234_567, "pool"));
                }
                world.sessions.retain(|session| session.application == "pool" || session.id % 3 == third);
                if !(minute + third).is_multiple_of(4) {
                    world.sessions.remove(0);
                }
                id += 1;
                let mut script = session(id, now_us - 300_000, "");
                script.user = format!("cron{}", id % 2);
                script.used = Some(id.is_multiple_of(5));
                world.sessions.push(script);
            }
            pass(collector, 20, |_| {}).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn replay_is_identical_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    let fake = Fake::new(0.4);
    let collector = watch_with(&fake, Some(Recorder::open(&path, PLAN).unwrap()));
    busy_hour(&fake, &collector, 20).await;
    fake.world().broken = Some(gone());
    pass(&collector, 45, |_| {}).await;
    fake.world().broken = None;
    busy_hour(&fake, &collector, 55).await;
    let analysis = Analysis::default();
    let live = collector.result(&analysis);
    let (record, closed) = collector.stop().await;
    closed.unwrap();
    assert_eq!(json(&result(&record, &analysis)), json(&live));
    let replayed = replay_db(&path, WINDOW).unwrap();
    assert_eq!(json(&result(&replayed, &analysis)), json(&live));
    // What is compared is not empty.
    assert!(live.readings > 300 && live.coverage.is_some(), "{} {:?}", live.readings, live.coverage);
    let names: Vec<&str> = live.groups.iter().map(|group| group.name.as_str()).collect();
    assert!(names.contains(&"pool @ 10.0.0.1") && names.contains(&"cron1 @ 10.0.0.1"), "{names:?}");
    let pool = live.groups.iter().find(|group| group.name == "pool @ 10.0.0.1").unwrap();
    assert!(pool.statistics.lives > 50 && pool.encrypted == Some(1.0), "{:?}", pool.statistics);

    // Another length of window is another question, with the same answer on both ways.
    let shorter = Analysis { window: Duration::from_secs(1800), ..Analysis::default() };
    assert_eq!(json(&result(&replayed, &shorter)), json(&result(&record, &shorter)));
}

#[tokio::test(start_paused = true)]
async fn a_recording_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    let fake = Fake::new(0.4);
    let collector = watch_with(&fake, Some(Recorder::open(&path, PLAN).unwrap()));
    busy_hour(&fake, &collector, 12).await;
    collector.stop().await.1.unwrap();
    pass_alone(600).await;
    let recorder = Recorder::open(&path, PLAN).unwrap();
    let mut plan = crate::common::plan(vec![fake.server("alpha:1")], Duration::from_secs(10));
    plan.started_us = fake.clock_us();
    let record = recorder.record();
    let collector = peaje_watch::Collector::spawn(plan, record, Some(recorder));
    busy_hour(&fake, &collector, 12).await;
    let live = collector.result(&Analysis::default());
    collector.stop().await.1.unwrap();
    let replayed = replay_db(&path, WINDOW).unwrap();
    assert_eq!(json(&result(&replayed, &Analysis::default())), json(&live));
    let reasons: Vec<&str> = live.gaps.iter().map(|gap| gap.reason.as_str()).collect();
    assert_eq!(reasons, ["not-sampled"]);
    let instance = &live.groups[0];
    assert!(instance.kind == GroupKind::Instance && (1200.0..1450.0).contains(&instance.statistics.window_s));
}

async fn pass_alone(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn an_export_can_be_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    let fake = Fake::new(0.4);
    let collector = watch_with(&fake, Some(Recorder::open(&path, PLAN).unwrap()));
    busy_hour(&fake, &collector, 15).await;
    let live = collector.result(&Analysis::default());
    collector.stop().await.1.unwrap();
    let (mut csv, mut json_lines) = (Exporter::csv_header() + "\n", 0);
    let (mut to_csv, mut to_json) = (Exporter::default(), Exporter::default());
    read_rows(&path, &mut |label, row| {
        if let Some(line) = to_csv.csv_line(label, row) {
            csv += &line;
            csv.push('\n');
        }
        if let Some(line) = to_json.json_line(label, row) {
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert!(value["logins_total"].as_u64().unwrap() >= 1_000_000 && value["server"] == "alpha:1");
            json_lines += 1;
        }
    })
    .unwrap();
    assert_eq!(json_lines, csv.lines().count() - 1);
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns));
    let replayed = replay_csv("file", csv.as_bytes(), WINDOW).unwrap();
    assert_eq!(replayed.servers(), ["alpha:1"]);
    let again = result(&replayed, &Analysis::default());
    let (was, is) = (&live.groups[0].statistics, &again.groups[0].statistics);
    assert!((was.logins - is.logins).abs() < 0.5, "{} {}", was.logins, is.logins);
    assert!((was.logouts - is.logouts).abs() < 0.5);
    assert!((was.mean_sessions.unwrap() - is.mean_sessions.unwrap()).abs() < 0.2);
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_loses_nothing_that_was_written_and_the_watch_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    let fake = Fake::new(0.4);
    let collector = watch_with(&fake, Some(Recorder::open_with(&path, PLAN, Some(24)).unwrap()));
    let mut waiting = None;
    for _ in 0..400 {
        busy_hour(&fake, &collector, 1).await;
        // The disk is real even where time is not.
        std::thread::sleep(Duration::from_millis(2));
        let recording = collector.snapshots().borrow().recording.clone();
        if let Some(RecordingState::Waiting { message, rows_waiting, .. }) = recording {
            waiting = Some((message, rows_waiting));
            break;
        }
    }
    let (message, rows) = waiting.expect("24 pages are soon full");
    assert!(message.contains("disk is full") && rows > 0, "{message}");
    let before = collector.snapshots().borrow().servers[0].readings;
    busy_hour(&fake, &collector, 2).await;
    assert!(collector.snapshots().borrow().servers[0].readings > before + 8, "the watch goes on");
    let (_, closed) = collector.stop().await;
    assert!(matches!(&closed, Err(RecordError::RowsLeft { rows, .. }) if *rows > 0), "{closed:?}");
    let (mut written, mut last_us) = (0, i64::MIN);
    read_rows(&path, &mut |_, row| {
        assert!(row.at_us >= last_us);
        (written, last_us) = (written + 1, row.at_us);
    })
    .unwrap();
    assert!(written > 20, "{written}");
    // With room again, it goes on.
    let recorder = Recorder::open(&path, PLAN).unwrap();
    let mut plan = crate::common::plan(vec![fake.server("alpha:1")], Duration::from_secs(10));
    plan.started_us = fake.clock_us();
    let record = recorder.record();
    let collector = peaje_watch::Collector::spawn(plan, record, Some(recorder));
    busy_hour(&fake, &collector, 3).await;
    let live = collector.result(&Analysis::default());
    collector.stop().await.1.unwrap();
    assert_eq!(json(&result(&replay_db(&path, WINDOW).unwrap(), &Analysis::default())), json(&live));
}

#[tokio::test(start_paused = true)]
async fn a_second_writer_is_refused_and_a_reader_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    let fake = Fake::new(0.4);
    let collector = watch_with(&fake, Some(Recorder::open(&path, PLAN).unwrap()));
    busy_hour(&fake, &collector, 3).await;
    let second = Recorder::open(&path, PLAN).map(|_| ());
    assert!(matches!(second, Err(RecordError::InUse { .. })), "{second:?}");
    assert!(second.unwrap_err().to_string().contains("another peaje records into"));
    replay_db(&path, WINDOW).unwrap();
    collector.stop().await.1.unwrap();
    Recorder::open(&path, PLAN).unwrap().close().unwrap();
}

#[test]
fn files_that_are_no_recordings_are_named_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let both = |path: &Path| {
        let written = Recorder::open(path, PLAN).map(|_| ()).map_err(|error| error.to_string());
        (written, replay_db(path, WINDOW).map(|_| ()).map_err(|error| error.to_string()))
    };
    std::fs::write(at("text.db"), "this is a letter, and a longish one, to nobody in particular").unwrap();
    let (written, read) = both(&at("text.db"));
    assert!(written.unwrap_err().contains("no SQLite database") && read.unwrap_err().contains("no SQLite database"));
    assert!(std::fs::read_to_string(at("text.db")).unwrap().starts_with("this is a letter"));

    let other = rusqlite::Connection::open(at("other.db")).unwrap();
    other.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").unwrap();
    drop(other);
    let before = std::fs::read(at("other.db")).unwrap();
    let (written, read) = both(&at("other.db"));
    assert!(written.unwrap_err().contains("another program") && read.unwrap_err().contains("another program"));
    assert_eq!(std::fs::read(at("other.db")).unwrap(), before, "not a byte of it was changed");

    Recorder::open(&at("newer.db"), PLAN).unwrap().close().unwrap();
    rusqlite::Connection::open(at("newer.db")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let (written, read) = both(&at("newer.db"));
    assert!(written.unwrap_err().contains("format 99") && read.unwrap_err().contains("use the peaje that wrote it"));

    Recorder::open(&at("cut.db"), PLAN).unwrap().close().unwrap();
    let whole = std::fs::read(at("cut.db")).unwrap();
    for length in [whole.len() - 1, whole.len() / 2, 4096, 60, 7] {
        std::fs::write(at("cut.db"), &whole[..length]).unwrap();
        let (written, read) = both(&at("cut.db"));
        let (written, read) = (written.unwrap_err(), read.unwrap_err());
        assert!(written.contains("damaged") && read.contains("damaged"), "{length}: {written} / {read}");
    }

    let (_, read) = both(&at("nowhere/none.db"));
    assert!(read.unwrap_err().contains("no such file"));
    assert!(matches!(replay_db(&at("none.db"), WINDOW), Err(RecordError::NotFound { .. })));
    std::fs::write(at("empty.db"), "").unwrap();
    assert!(replay_db(&at("empty.db"), WINDOW).unwrap_err().to_string().contains("empty"));
    assert!(both(folder.path()).1.unwrap_err().contains("folder"));
}

#[test]
fn a_damaged_row_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    Recorder::open(&path, PLAN).unwrap().close().unwrap();
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(
        "INSERT INTO server (label) VALUES ('a');
         INSERT INTO row (server, at_us, whole, width, body) VALUES (1, 5, 0, 1, x'00ffffff')",
    )
    .unwrap();
    drop(db);
    let error = replay_db(&path, WINDOW).unwrap_err();
    assert!(matches!(&error, RecordError::Damaged { what, .. } if what.contains("row 1")), "{error}");
}

/// The process that is killed: the test below starts this very program with this test and the path in the environment.
#[test]
fn child_that_records() {
    let Some(path) = std::env::var_os("PEAJE_TEST_RECORD_INTO") else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let fake = Fake::new(50.0);
        let recorder = Recorder::open(Path::new(&path), PLAN).unwrap();
        let mut plan = crate::common::plan(vec![fake.server("alpha:1")], Duration::from_millis(5));
        plan.started_us = fake.clock_us();
        let record = recorder.record();
        let collector = peaje_watch::Collector::spawn(plan, record, Some(recorder));
        let mut snapshots = collector.snapshots();
        loop {
            snapshots.changed().await.unwrap();
            let recording = snapshots.borrow_and_update().recording.clone();
            if let Some(RecordingState::Recording { rows }) = recording {
                // What is said to be written must be there afterwards.
                let mut file = std::fs::File::create(Path::new(&path).with_extension("said")).unwrap();
                std::io::Write::write_all(&mut file, format!("{rows:>12}").as_bytes()).unwrap();
            }
        }
    });
}

#[test]
fn kill_9_loses_nothing_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("watch.db");
    let mut least = 0;
    for round in 1..=3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["recording::child_that_records", "--exact", "--test-threads=1"])
            .env("PEAJE_TEST_RECORD_INTO", &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let said = path.with_extension("said");
        let written = || std::fs::read_to_string(&said).ok().and_then(|text| text.trim().parse::<u64>().ok());
        let end = std::time::Instant::now() + Duration::from_secs(60);
        // Far enough that it is in the middle of writing.
        while written().is_none_or(|rows| rows < 100) && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(7));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        least += written().filter(|rows| *rows >= 100).expect("it recorded");
        std::fs::remove_file(&said).unwrap();
        let mut found = 0;
        read_rows(&path, &mut |_, _| found += 1).unwrap();
        assert!(found >= least, "round {round}: {found} rows of {least}");
        least = found;
    }
    let gaps = result(&replay_db(&path, WINDOW).unwrap(), &Analysis::default()).gaps;
    assert_eq!(gaps.iter().filter(|gap| gap.reason == "not-sampled").count(), 2, "{gaps:?}");
}

#[tokio::test(start_paused = true)]
async fn old_rows_are_merged_and_then_removed_and_the_end_stays_exact() {
    let folder = tempfile::tempdir().unwrap();
    let (exact, thin) = (folder.path().join("exact.db"), folder.path().join("thin.db"));
    let window = Duration::from_secs(1800);
    let keep = Retention {
        keep: Some(Duration::from_secs(3 * 3600)),
        exact: Duration::from_secs(3600),
        merged: Duration::from_secs(300),
    };
    let fake = Fake::new(0.4);
    let plan = RecordingPlan { window, keep: EVERYTHING };
    let collector = watch_with(&fake, Some(Recorder::open(&exact, plan).unwrap()));
    busy_hour(&fake, &collector, 300).await;
    collector.stop().await.1.unwrap();
    std::fs::copy(&exact, &thin).unwrap();

    // Whoever goes on with it cleans up at the first write.
    let recorder = Recorder::open(&thin, RecordingPlan { window, keep }).unwrap();
    let mut plan = crate::common::plan(vec![fake.server("alpha:1")], Duration::from_secs(10));
    (plan.started_us, plan.window) = (fake.clock_us(), window);
    let record = recorder.record();
    let collector = peaje_watch::Collector::spawn(plan, record, Some(recorder));
    busy_hour(&fake, &collector, 1).await;
    let live = collector.result(&Analysis { window, ..Analysis::default() });
    collector.stop().await.1.unwrap();

    let rows = |path: &Path| {
        let mut moments = Vec::new();
        read_rows(path, &mut |_, row| moments.push((row.at_us, row.interval().is_some()))).unwrap();
        moments
    };
    let (all, kept) = (rows(&exact), rows(&thin));
    let end_us = kept.last().unwrap().0;
    let first = kept.iter().find(|(_, interval)| *interval).unwrap().0;
    assert!(first >= end_us - 4 * 3600 * 1_000_000 && first <= end_us - 3 * 3600 * 1_000_000);
    assert!(kept.len() < all.len() / 2, "{} of {}", kept.len(), all.len());
    let newest = |rows: &[(i64, bool)]| rows.iter().filter(|row| row.0 > end_us - 3500 * 1_000_000).count();
    assert!(newest(&kept) > 300);

    // The end says the same, and the logins of the merged part are still the right number.
    let replayed = replay_db(&thin, window).unwrap();
    let analysis = Analysis { window, ..Analysis::default() };
    assert_eq!(json(&result(&replayed, &analysis)), json(&live));
    assert_eq!(replayed.what_answered("alpha:1").unwrap().product, "Fake");
    let hours = Duration::from_secs(3 * 3600);
    let analysis = Analysis { window: hours, ..Analysis::default() };
    let whole = result(&replay_db(&thin, hours).unwrap(), &analysis);
    let rate = whole.groups[0].logins_per_s.unwrap();
    assert!((rate - 0.4).abs() < 0.01, "{rate}");
    let pool = whole.groups.iter().find(|group| group.name == "pool @ 10.0.0.1").unwrap();
    assert!((11.0..=12.5).contains(&pool.statistics.mean_sessions.unwrap()), "{:?}", pool.statistics);
}
