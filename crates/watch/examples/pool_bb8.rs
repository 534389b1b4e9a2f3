//! Applications with a bb8 pool each, for `scripts/bench-diagnosis`: as many pools as asked for, in one process.
//!
//! Its only argument is a JSON object (the fields of `Plan`); it runs until it is stopped. bb8 closes sessions below its
//! own minimum and opens them again: that is what one of the classes is about, and no fault of this file.

use std::time::Duration;

use bb8::{ManageConnection, Pool, QueueStrategy};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::Deserialize;
use tokio_postgres::{Client, Error, NoTls};

#[derive(Deserialize)]
struct Plan {
    host: String,
    port: u16,
    user: String,
    database: String,
    app: String,
    pools: u32,
    /// The pools start within this time.
    #[serde(default)]
    start_within_s: f64,
    #[serde(default)]
    min: u32,
    max: u32,
    idle_s: Option<f64>,
    lifetime_s: Option<f64>,
    /// How often a pool looks for sessions to close; bb8's default of 30 s hides shorter timeouts.
    sweep_s: f64,
    #[serde(default)]
    fifo: bool,
    work: Work,
    seed: u64,
}

/// What an application does with its pool.
#[derive(Deserialize, Clone)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Work {
    /// One request at a time, at random moments.
    Trickle { every_s: f64, hold_s: f64 },
    /// From time to time several requests at once.
    Bursts { period_s: f64, jitter: f64, least: u32, most: u32, hold_s: f64, together: bool },
    /// More workers than sessions, each always with a request.
    Full { workers: u32, hold_s: f64 },
}

struct Manager(tokio_postgres::Config);

impl ManageConnection for Manager {
    type Connection = Client;
    type Error = Error;

    async fn connect(&self) -> Result<Client, Error> {
        let (client, connection) = self.0.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    async fn is_valid(&self, client: &mut Client) -> Result<(), Error> {
        client.simple_query("").await.map(drop)
    }

    fn has_broken(&self, client: &mut Client) -> bool {
        client.is_closed()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let text = std::env::args().nth(1).expect("one argument: the plan as JSON");
    let plan: &'static Plan = Box::leak(Box::new(serde_json::from_str(&text).expect("a plan")));
    let mut rng = StdRng::seed_from_u64(plan.seed);
    for _ in 0..plan.pools {
        let wait = seconds(rng.random::<f64>() * plan.start_within_s);
        let rng = StdRng::seed_from_u64(rng.random());
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            application(plan, rng).await;
        });
    }
    std::future::pending::<()>().await;
}

async fn application(plan: &'static Plan, mut rng: StdRng) {
    let mut config = tokio_postgres::Config::new();
    config.host(&plan.host).port(plan.port).user(&plan.user).dbname(&plan.database).application_name(&plan.app);
    let builder = Pool::builder()
        .min_idle((plan.min > 0).then_some(plan.min))
        .max_size(plan.max)
        .idle_timeout(plan.idle_s.map(seconds))
        .max_lifetime(plan.lifetime_s.map(seconds))
        .reaper_rate(seconds(plan.sweep_s))
        .queue_strategy(if plan.fifo { QueueStrategy::Fifo } else { QueueStrategy::Lifo })
        .test_on_check_out(false);
    let pool = builder.build(Manager(config)).await.expect("the pool's first sessions");
    match plan.work {
        Work::Trickle { every_s, hold_s } => loop {
            tokio::time::sleep(seconds(-every_s * (1.0 - rng.random::<f64>()).ln())).await;
            request(&pool, hold_s).await;
        },
        Work::Bursts { period_s, jitter, least, most, hold_s, together } => {
            let size = rng.random_range(least..=most);
            if !together {
                tokio::time::sleep(seconds(period_s * rng.random::<f64>())).await;
            }
            loop {
                for _ in 0..size {
                    let pool = pool.clone();
                    tokio::spawn(async move { request(&pool, hold_s).await });
                }
                let around = 1.0 + jitter * (2.0 * rng.random::<f64>() - 1.0);
                tokio::time::sleep(seconds(period_s * around)).await;
            }
        }
        Work::Full { workers, hold_s } => {
            for _ in 0..workers {
                let pool = pool.clone();
                tokio::spawn(async move {
                    loop {
                        request(&pool, hold_s).await;
                    }
                });
            }
            std::future::pending::<()>().await;
        }
    }
}

/// A statement that takes this long. Without a session for it, the application tries again at its next request.
async fn request(pool: &Pool<Manager>, hold_s: f64) {
    match pool.get().await {
        Ok(client) => drop(client.simple_query(&format!("select pg_sleep({hold_s:.4})")).await),
        Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
    }
}

fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s.max(0.001))
}
