//! temporary
use peaje_engine::Observer;
use peaje_postgres::config::{BareSurroundings, Config, SslMode};
use peaje_postgres::counters::{ObserverOptions, PgObserver};
use peaje_postgres::throwaway::{ThrowawayAuth, ThrowawayCluster, ThrowawayOptions};
use std::process::{Command, Stdio};
#[tokio::test]
async fn bouncer() {
    let server = ThrowawayCluster::start(&ThrowawayOptions::default()).expect("pg");
    let dir = tempfile::tempdir().expect("dir");
    let p = dir.path();
    std::fs::write(p.join("users"), "\"peaje_trust\" \"\"\n").expect("w");
    std::fs::write(p.join("ini"), format!("[databases]\npeaje = host=127.0.0.1 port={} dbname=peaje user=peaje_trust\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port=16432\nauth_type=any\nadmin_users=peaje_trust\npool_mode=transaction\nunix_socket_dir=\nignore_startup_parameters=extra_float_digits\n", server.port())).expect("w");
    std::process::Command::new("chmod").args(["-R", "777"]).arg(p).status().expect("c");
    let mut b = Command::new("runuser")
        .args(["-u", "postgres", "--", "/usr/sbin/pgbouncer"])
        .arg(p.join("ini"))
        .stderr(Stdio::null())
        .spawn()
        .expect("b");
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    for db in ["peaje", "pgbouncer"] {
        let text = format!("host=127.0.0.1 port=16432 user=peaje_trust password=x dbname={db} sslmode=disable");
        let c = Config::parse(&text, &BareSurroundings).expect("c");
        let o = ObserverOptions {
            ssl_mode: SslMode::Disable,
            application_name: "peaje".into(),
            endpoint: None,
            skip: vec![],
        };
        match PgObserver::connect(&c, &o).await {
            Ok(mut obs) => {
                let w = obs.what_answered().await;
                let k = obs.counters().await;
                let s = obs.sample().await;
                let l = obs.limits().await;
                let f = obs.facts().await.1;
                panic_print(&format!("{db}: {obs:?} {w:?}\n{k:?} {s:?} {l:?} {f:?}"));
            }
            Err(e) => panic_print(&format!("{db}: {e:?}")),
        }
    }
    let c = server.config(ThrowawayAuth::Admin, SslMode::Disable);
    let _ = c;
    let out = Command::new("psql")
        .args([
            "-At",
            "-c",
            "show statement_timeout",
            "host=127.0.0.1 port=16432 user=peaje_trust password=x dbname=peaje sslmode=disable",
        ])
        .output()
        .expect("psql");
    panic_print(&format!("pooled session's statement_timeout: {}", String::from_utf8_lossy(&out.stdout)));
    let _ = Command::new("kill").arg(b.id().to_string()).status();
    let _ = b.wait();
}
#[allow(clippy::print_stderr)]
fn panic_print(s: &str) {
    eprintln!("{s}");
}
