//! PostgreSQL for the command: connection strings, the embedded and the throwaway server, behind one [`Site`].

use std::sync::Arc;

use peaje_engine::{Endpoint, Failure, Observer, OpenWatcher, WatchOptions};
use peaje_host::Host;
use peaje_lab::ServerCpu;
use peaje_model::{Fact, Gap, OutcomeKind, Secret, Target, TargetKind, TlsMode, WhatAnswered};
use peaje_postgres::config::{BareSurroundings, Config, ProcessSurroundings, SslMode};
use peaje_postgres::counters::{self, LogPlan, ObserverOptions, PgObserver, gap_of};
use peaje_postgres::login::{LoginOptions, PostgresConnector};
use peaje_postgres::throwaway::{ServerKeyKind, ThrowawayAuth, ThrowawayCluster, ThrowawayOptions};
use peaje_refserver::{Protocol, RefServer};

use crate::args::{AuthArg, KeyArg, LoginArgs};
use crate::check::{self, Visit};
use crate::engines::{Climbing, Engine, Running, throwaway_sessions};
use crate::local_server;
use crate::login::{self, LoginPlan, Request, Site};
use crate::printer::Printer;
use crate::serve;
use crate::sessions::worker::{self, Around, Job, Way};
use crate::sessions::{self, Ask};
use crate::subject::{self, Opening, Words};
use crate::target::Choice;

/// PostgreSQL in the list of engines.
pub(crate) const ENGINE: Engine = Engine {
    name: "postgres",
    title: "PostgreSQL",
    example: "postgresql://user@host/database",
    products: &[("PostgreSQL", "postgresql"), ("PgBouncer", "postgresql"), ("Pgpool", "postgresql")],
    throwaway_words: &["postgres:", "postgres", "postgresql:"],
    near_misses: None,
    protocol: Protocol::Postgres,
    reference_url: |at| format!("postgresql://{}@{}/peaje", at.user, at.address),
    takes_token: false,
    is_target: Config::is_target,
    measure,
    subject,
    pool: |_| Ok(None),
    check,
    sessions,
    work,
    show_sql: counters::show_sql,
    grants,
    #[cfg(test)]
    conform,
};

/// A superuser needs no rights, and none should measure: it gets a role of its own in the script.
const SUPERUSER: &str = "postgres";

/// Names of the server's process.
const PROCESSES: &[&str] = &["postgres", "postmaster", "edb-postgres"];

fn grants(target: Option<&str>) -> anyhow::Result<String> {
    let Some(text) = target else { return Ok(counters::grants("peaje", "postgres")) };
    let config = Config::parse(text, &ProcessSurroundings)?;
    let role = if config.user == SUPERUSER { "peaje" } else { config.user.as_str() };
    Ok(counters::grants(role, &config.database))
}

fn subject<'a>(text: &'a str, words: &'a Words) -> Opening<'a> {
    Box::pin(async move { subject::open(PostgresSite::at(text)?, words).await })
}

fn check(visit: Visit<'_>) -> Running<'_> {
    Box::pin(async move { check::visit(PostgresSite::open(visit.login)?, visit).await })
}

fn sessions(ask: Ask<'_>) -> Climbing<'_> {
    Box::pin(async move {
        let site = match ask.reference {
            Some(text) => PostgresSite::reference(text)?,
            None => PostgresSite::open(ask.request)?,
        };
        Box::pin(sessions::climb(site, ask)).await
    })
}

fn work(job: Job) -> Running<'static> {
    Box::pin(async move {
        let site = match job.around() {
            Around::Nothing => PostgresSite::reference(job.text())?,
            Around::User => PostgresSite::at(job.text())?,
        };
        worker::work(site, job).await
    })
}

fn measure(request: Request<'_>) -> Running<'_> {
    Box::pin(async move { login::measure(PostgresSite::open(request)?, request).await })
}

/// A server that peaje started, kept until the measurement has ended.
enum Own {
    Nothing,
    Embedded(Arc<RefServer>),
    Throwaway(Box<ThrowawayCluster>),
}

struct PostgresSite {
    config: Config,
    way: Way,
    own: Own,
}

impl PostgresSite {
    fn open(request: Request<'_>) -> anyhow::Result<Self> {
        match request.choice {
            Choice::Embedded => Self::embedded(request.args),
            Choice::Throwaway(_) => Self::throwaway(request.args, request.printer),
            Choice::Url(_, text) => Self::at(text),
        }
    }

    fn at(text: &str) -> anyhow::Result<Self> {
        let config = Config::parse(text, &ProcessSurroundings)?;
        Ok(Self { config, way: Way::of_user(text), own: Own::Nothing })
    }

    /// A reference server, in which files and variables of the user have no say.
    fn reference(text: &str) -> anyhow::Result<Self> {
        let config = Config::parse(text, &BareSurroundings)?;
        Ok(Self { config, way: Way::of_own(text), own: Own::Nothing })
    }

    fn embedded(args: &LoginArgs) -> anyhow::Result<Self> {
        let (server, password) = serve::embedded(&args.own, &args.delays)?;
        let url = format!("postgresql://{}@{}/peaje", serve::EMBEDDED_USER, server.address());
        let mut config = Config::parse(&url, &BareSurroundings)?;
        config.password = password;
        Ok(Self { config, way: Way::of_own(&url), own: Own::Embedded(Arc::new(server)) })
    }

    fn throwaway(args: &LoginArgs, printer: Printer) -> anyhow::Result<Self> {
        let auth = match args.own.auth {
            Some(AuthArg::Trust) => ThrowawayAuth::Trust,
            Some(AuthArg::Password) => ThrowawayAuth::Password,
            Some(AuthArg::Md5) => ThrowawayAuth::Md5,
            Some(AuthArg::Scram) | None => ThrowawayAuth::Scram,
            Some(other) => return Err(other.not_known_to("PostgreSQL", "trust, password, md5 or scram")),
        };
        printer.say("starting a throwaway PostgreSQL …");
        let options = ThrowawayOptions {
            max_connections: throwaway_sessions(args),
            server_key: match args.own.server_key {
                Some(KeyArg::Ecdsa) => ServerKeyKind::EcdsaP256,
                Some(KeyArg::Rsa) | None => ServerKeyKind::Rsa2048,
            },
            ..ThrowawayOptions::default()
        };
        let cluster = ThrowawayCluster::start(&options)?;
        let config = cluster.config(auth, SslMode::Prefer);
        let way = Way::of_own(cluster.connection_string(auth, SslMode::Prefer).expose());
        Ok(Self { config, way, own: Own::Throwaway(Box::new(cluster)) })
    }
}

impl Site for PostgresSite {
    type Connector = PostgresConnector;
    const ENGINE: &'static str = "postgres";

    fn kind(&self) -> TargetKind {
        match self.own {
            Own::Nothing => TargetKind::User,
            Own::Embedded(_) => TargetKind::Embedded,
            Own::Throwaway(_) => TargetKind::Throwaway,
        }
    }

    fn url(&self) -> String {
        self.config.display_url()
    }

    fn endpoints(&self) -> &[Endpoint] {
        &self.config.endpoints
    }

    fn database(&self) -> Option<String> {
        Some(self.config.database.clone())
    }

    fn user(&self) -> Option<String> {
        Some(self.config.user.clone())
    }

    fn tls_setting(&self) -> Option<String> {
        Some(format!("sslmode={}", self.config.ssl_mode.name()))
    }

    fn url_sets_tls(&self) -> bool {
        // `sslrootcert=system` alone asks for verify-full.
        self.config.ssl_mode_is_set || self.config.ssl_mode != SslMode::Prefer
    }

    fn takes_queries(&self) -> bool {
        // PgBouncer's console, which closes at the first `select`.
        self.config.database != "pgbouncer"
    }

    fn warnings(&self) -> Vec<String> {
        self.config.warnings.clone()
    }

    fn connector(&self, tls: TlsMode, plan: &LoginPlan) -> anyhow::Result<PostgresConnector> {
        let options = LoginOptions {
            tls,
            query: plan.query.clone(),
            close: plan.close,
            scram_cache: plan.scram_cache,
            resolve: plan.resolve,
            sources: plan.sources,
            skip: plan.skip.clone(),
            application_name: plan.program(),
        };
        Ok(PostgresConnector::new(&self.config, options)?)
    }

    async fn observe(&self, tls: TlsMode, plan: &LoginPlan) -> Result<Box<dyn Observer>, Gap> {
        let options = ObserverOptions {
            // The TLS of the first series: it gets in wherever the logins do.
            ssl_mode: self.config.ssl_mode.under(tls),
            application_name: plan.program(),
            endpoint: None,
            skip: plan.skip.clone(),
        };
        let administrator = match &self.own {
            Own::Throwaway(cluster) => Some(cluster.config(ThrowawayAuth::Admin, SslMode::Prefer)),
            Own::Nothing | Own::Embedded(_) => None,
        };
        let config = administrator.as_ref().unwrap_or(&self.config);
        let observer = PgObserver::connect(config, &options).await.map_err(|failure| gap_of(&failure))?;
        Ok(Box::new(observer))
    }

    fn watcher(&self, options: WatchOptions, _access_token: Option<Secret>) -> OpenWatcher {
        let config = self.config.clone();
        Arc::new(move || {
            let (config, options) = (config.clone(), options.clone());
            Box::pin(async move { counters::open_watcher(&config, &options).await })
        })
    }

    fn log_lines(&self, facts: &[Fact]) -> Vec<String> {
        log_words(&counters::log_plan(facts))
    }

    fn server_pid(&self, host: &dyn Host, target: &Target, answered: Option<&WhatAnswered>) -> Option<u32> {
        match &self.own {
            Own::Embedded(_) => None,
            Own::Throwaway(cluster) => Some(cluster.postmaster_pid()),
            Own::Nothing => local_server::pid(&self.config.endpoints, host, target, answered?, PROCESSES),
        }
    }

    fn server_cpu(&self, host: &Arc<dyn Host>, target: &Target, answered: Option<&WhatAnswered>) -> Option<ServerCpu> {
        if let Own::Embedded(server) = &self.own {
            let server = server.clone();
            return Some(Arc::new(move || Some(server.cpu())));
        }
        let pid = self.server_pid(host.as_ref(), target, answered)?;
        if matches!(self.own, Own::Throwaway(_)) {
            // Sessions have ended when this is read, so the postmaster has reaped them and holds their CPU.
            return Some(local_server::process_cpu(host, pid));
        }
        let host = host.clone();
        // Other clients' sessions that lived before and end meanwhile would bring all their CPU into the sum of the ended
        // ones: with the live ones in it, they bring what they used since.
        Some(Arc::new(move || host.tree_cpu(pid).ok().map(peaje_host::CpuTime::total)))
    }

    fn lacks_password(&self, failure: &Failure) -> bool {
        // Without a code it is not the server that rejected: it asked, and there was nothing to answer.
        !self.config.has_password() && failure.kind == OutcomeKind::Rejected && failure.code.is_none()
    }

    fn way(&self) -> Way {
        self.way.clone()
    }

    fn password(&self) -> Option<Secret> {
        self.config.password.clone()
    }

    fn give_password(&mut self, password: Secret) {
        self.config.password = Some(password);
    }
}

/// What each login leaves on the server, in sentences.
fn log_words(plan: &LogPlan) -> Vec<String> {
    let mut words = Vec::new();
    match plan.lines_per_login() {
        0 if plan.unknown.is_empty() => words.push("each login writes nothing to the server's log".to_owned()),
        0 => {}
        n => words.push(format!("each login writes {n} lines to the server's log: {}", plan.lines.join(", "))),
    }
    if let Some(what) = &plan.pgaudit {
        words.push(format!("pgaudit records each statement of the classes {what}"));
    }
    if plan.login_triggers > 0 {
        words.push(format!("{} login event triggers run at each login", plan.login_triggers));
    }
    if !plan.loaded_libraries.is_empty() {
        words.push(format!("each login loads {}", plan.loaded_libraries.join(", ")));
    }
    if !plan.unknown.is_empty() {
        words.push(format!("not known, because it cannot be read: {}", plan.unknown.join(", ")));
    }
    words
}

#[cfg(test)]
fn conform() {
    use crate::engines::conformance::{QUERY, run, tls, url};
    run(Protocol::Postgres, |wish| {
        let config = Config::parse(&(url("postgresql", wish) + "/peaje"), &BareSurroundings).expect("well formed");
        let options =
            LoginOptions { tls: tls(wish), query: QUERY.to_owned(), close: wish.close, ..LoginOptions::default() };
        PostgresConnector::new(&config, options).expect("sound settings")
    });
}
