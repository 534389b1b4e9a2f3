//! Clients without a pool, for `scripts/bench-diagnosis`: they log in for each request, for each piece of work, or for as
//! long as a person stays.
//!
//! Its only argument is a JSON object (the fields of `Plan`); it runs until it is stopped.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::Deserialize;
use tokio_postgres::{Client, NoTls};

#[derive(Deserialize)]
struct Plan {
    host: String,
    port: u16,
    user: String,
    database: String,
    app: String,
    work: Work,
    seed: u64,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Work {
    /// Each worker: log in, one statement, log out, think.
    Requests { workers: u32, think_s: f64, hold_s: f64 },
    /// People come at random, stay as long as they like, and do something now and then.
    People { every_s: f64, stay_s: f64, here: u32 },
    /// Workers of a batch: all log in, work until the end, and log out.
    Batches { workers: u32, period_s: f64, work_s: f64, statement_s: f64 },
    /// A request logs in, and this share of them forgets to log out.
    Leak { every_s: f64, share: f64 },
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let text = std::env::args().nth(1).expect("one argument: the plan as JSON");
    let plan: &'static Plan = Box::leak(Box::new(serde_json::from_str(&text).expect("a plan")));
    let mut rng = StdRng::seed_from_u64(plan.seed);
    match plan.work {
        Work::Requests { workers, think_s, hold_s } => {
            for _ in 0..workers {
                let rng = StdRng::seed_from_u64(rng.random());
                tokio::spawn(requests(plan, think_s, hold_s, rng));
            }
            std::future::pending::<()>().await;
        }
        Work::People { every_s, stay_s, here } => people(plan, every_s, stay_s, here, rng).await,
        Work::Batches { workers, period_s, work_s, statement_s } => loop {
            for _ in 0..workers {
                let lasts = seconds(work_s * rng.random_range(0.7..1.3));
                tokio::spawn(worker(plan, lasts, statement_s));
            }
            tokio::time::sleep(seconds(period_s)).await;
        },
        Work::Leak { every_s, share } => leak(plan, every_s, share, rng).await,
    }
}

async fn login(plan: &Plan) -> Option<Client> {
    let mut config = tokio_postgres::Config::new();
    config.host(&plan.host).port(plan.port).user(&plan.user).dbname(&plan.database).application_name(&plan.app);
    let (client, connection) = config.connect(NoTls).await.ok()?;
    tokio::spawn(connection);
    Some(client)
}

async fn statement(client: &Client, takes_s: f64) {
    drop(client.simple_query(&format!("select pg_sleep({takes_s:.4})")).await);
}

async fn requests(plan: &'static Plan, think_s: f64, hold_s: f64, mut rng: StdRng) {
    loop {
        tokio::time::sleep(exponential(think_s, &mut rng)).await;
        if let Some(client) = login(plan).await {
            statement(&client, hold_s).await;
        }
    }
}

async fn people(plan: &'static Plan, every_s: f64, stay_s: f64, here: u32, mut rng: StdRng) {
    for _ in 0..here {
        tokio::spawn(person(plan, exponential(stay_s, &mut rng), StdRng::seed_from_u64(rng.random())));
    }
    loop {
        tokio::time::sleep(exponential(every_s, &mut rng)).await;
        tokio::spawn(person(plan, exponential(stay_s, &mut rng), StdRng::seed_from_u64(rng.random())));
    }
}

/// A session with a statement now and then; they pause for a tenth of their stay, on average.
async fn person(plan: &'static Plan, stays: Duration, mut rng: StdRng) {
    let Some(client) = login(plan).await else { return };
    let leaves = tokio::time::Instant::now() + stays;
    loop {
        statement(&client, 0.003).await;
        let pause = exponential(0.1 * stays.as_secs_f64() + 0.2, &mut rng);
        if tokio::time::Instant::now() + pause >= leaves {
            break;
        }
        tokio::time::sleep(pause).await;
    }
    tokio::time::sleep_until(leaves).await;
}

async fn worker(plan: &'static Plan, lasts: Duration, statement_s: f64) {
    let Some(client) = login(plan).await else { return };
    let done = tokio::time::Instant::now() + lasts;
    while tokio::time::Instant::now() < done {
        statement(&client, statement_s).await;
        tokio::time::sleep(seconds(0.1 * statement_s)).await;
    }
}

async fn leak(plan: &'static Plan, every_s: f64, share: f64, mut rng: StdRng) {
    let mut forgotten = Vec::new();
    loop {
        tokio::time::sleep(exponential(every_s, &mut rng)).await;
        let Some(client) = login(plan).await else { continue };
        statement(&client, 0.005).await;
        if rng.random::<f64>() < share {
            forgotten.push(client);
        }
    }
}

fn exponential(mean_s: f64, rng: &mut StdRng) -> Duration {
    seconds(-mean_s * (1.0 - rng.random::<f64>()).ln())
}

fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s.max(0.0005))
}
