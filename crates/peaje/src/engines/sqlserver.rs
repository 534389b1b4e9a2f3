//! SQL Server for the command: connection strings, behind one [`Site`]. peaje starts none: there is no free one to start.

use std::sync::Arc;
use std::time::Duration;

use peaje_engine::{Endpoint, Failure, Observer, OpenWatcher, WatchOptions};
use peaje_host::Host;
use peaje_lab::ServerCpu;
use peaje_model::{Dialling, Fact, Gap, OutcomeKind, Secret, Target, TargetKind, TlsMode, WhatAnswered};
use peaje_refserver::Protocol;
use peaje_sqlserver::config::{BareSurroundings, Config, ProcessSurroundings};
use peaje_sqlserver::counters::{self, ObserverOptions, SqlServerObserver, gap_of};
use peaje_sqlserver::login::{LoginOptions, SqlServerConnector, locate};

use crate::check::{self, Visit};
use crate::engines::{Climbing, Engine, Entrance, Running};
use crate::exit::hinted;
use crate::local_server;
use crate::login::{self, LoginPlan, PoolWords, Request, Site};
use crate::sessions::worker::{self, Around, Job, Way};
use crate::sessions::{self, Ask};
use crate::subject::{self, Opening, Words};
use crate::target::Choice;

/// SQL Server in the list of engines.
pub(crate) const ENGINE: Engine = Engine {
    name: "sqlserver",
    title: "SQL Server",
    example: "mssql://user@host/database",
    products: &[("SQL Server", "microsoft.sql_server"), ("Azure SQL", "microsoft.sql_server")],
    throwaway_words: &[],
    near_misses: Some((
        &["sqlserver:", "sqlserver", "mssql:"],
        "start the reference server (peaje serve --protocol sqlserver), or write mssql://user@host/database",
    )),
    protocol: Protocol::SqlServer,
    reference_url,
    takes_token: true,
    is_target: Config::is_target,
    measure,
    subject,
    pool: |text| Ok(pool_words(&Config::parse(text, &ProcessSurroundings)?)),
    check,
    sessions,
    work,
    show_sql: counters::show_sql,
    grants,
    #[cfg(test)]
    conform,
};

/// Names of the server's process on Linux.
const PROCESSES: &[&str] = &["sqlservr"];

/// Its clients do not log in without a password, be it an empty one, and check the certificate by themselves.
fn reference_url(at: Entrance<'_>) -> String {
    let password = if at.needs_password { "" } else { ":" };
    format!("mssql://{}{password}@{}/?TrustServerCertificate=true", at.user, at.address)
}

fn grants(target: Option<&str>) -> anyhow::Result<String> {
    let Some(text) = target else { return Ok(counters::grants("peaje")) };
    let config = Config::parse(text, &ProcessSurroundings)?;
    // The administrator needs no rights, and should not measure: it gets a login of its own in the script.
    Ok(counters::grants(if config.user.eq_ignore_ascii_case("sa") { "peaje" } else { &config.user }))
}

fn subject<'a>(text: &'a str, words: &'a Words) -> Opening<'a> {
    Box::pin(async move { subject::open(SqlServerSite::at(text).await?, words).await })
}

fn check(visit: Visit<'_>) -> Running<'_> {
    Box::pin(async move { check::visit(SqlServerSite::open(visit.login).await?, visit).await })
}

fn sessions(ask: Ask<'_>) -> Climbing<'_> {
    Box::pin(async move {
        let site = match ask.reference {
            Some(text) => SqlServerSite::reference(text)?,
            None => SqlServerSite::open(ask.request).await?,
        };
        Box::pin(sessions::climb(site, ask)).await
    })
}

fn work(job: Job) -> Running<'static> {
    Box::pin(async move {
        let site = match job.around() {
            Around::Nothing => SqlServerSite::reference(job.text())?,
            Around::User => SqlServerSite::at(job.text()).await?,
        };
        worker::work(site, job).await
    })
}

fn measure(request: Request<'_>) -> Running<'_> {
    Box::pin(async move { login::measure(SqlServerSite::open(request).await?, request).await })
}

/// What the connection string says of the pool; `None` when it says nothing, or that there is none.
fn pool_words(config: &Config) -> Option<PoolWords> {
    let pool = &config.pool;
    let words = PoolWords { min: pool.min, max: pool.max, lifetime_s: pool.lifetime.map(|d| d.as_secs_f64()) };
    (pool.enabled && words != PoolWords::default()).then_some(words)
}

struct SqlServerSite {
    config: Config,
    way: Way,
}

impl SqlServerSite {
    async fn open(request: Request<'_>) -> anyhow::Result<Self> {
        match request.choice {
            Choice::Url(_, text) => Self::at(text).await,
            Choice::Embedded | Choice::Throwaway(_) => Err(hinted(
                "there is no throwaway SQL Server",
                "start the reference server: peaje serve --protocol sqlserver",
            )),
        }
    }

    /// A reference server, in which files and variables of the user have no say.
    fn reference(text: &str) -> anyhow::Result<Self> {
        Ok(Self { config: Config::parse(text, &BareSurroundings)?, way: Way::of_own(text) })
    }

    async fn at(text: &str) -> anyhow::Result<Self> {
        let mut config = Config::parse(text, &ProcessSurroundings)?;
        // The SQL Browser is asked once, before the addresses are dialled, and not at each login.
        config.endpoints = locate(&config).await.map_err(|failure| {
            let next = failure.hint.unwrap_or_else(|| "name the port: Server=host,1433".to_owned());
            hinted(failure.message, next)
        })?;
        Ok(Self { config, way: Way::of_user(text) })
    }
}

impl Site for SqlServerSite {
    type Connector = SqlServerConnector;
    const ENGINE: &'static str = "sqlserver";

    fn kind(&self) -> TargetKind {
        TargetKind::User
    }

    fn url(&self) -> String {
        self.config.display_url()
    }

    fn endpoints(&self) -> &[Endpoint] {
        &self.config.endpoints
    }

    fn database(&self) -> Option<String> {
        self.config.database.clone()
    }

    fn user(&self) -> Option<String> {
        Some(self.config.user.clone()).filter(|user| !user.is_empty())
    }

    fn tls_setting(&self) -> Option<String> {
        Some(format!("Encrypt={}", self.config.encrypt.name()))
    }

    fn url_sets_tls(&self) -> bool {
        self.config.encrypt_is_set
    }

    fn dialling(&self) -> Dialling {
        self.config.dialling()
    }

    fn pool(&self) -> PoolWords {
        pool_words(&self.config).unwrap_or_default()
    }

    fn warnings(&self) -> Vec<String> {
        self.config.warnings.clone()
    }

    fn notes(&self, connector: &SqlServerConnector) -> Vec<String> {
        connector.warnings().to_vec()
    }

    fn login_timeout(&self) -> Option<Duration> {
        // Of ADO.NET and ODBC it is the limit of the whole login.
        self.config.connect_timeout
    }

    fn connector(&self, tls: TlsMode, plan: &LoginPlan) -> anyhow::Result<SqlServerConnector> {
        let options = LoginOptions {
            tls,
            query: plan.query.clone(),
            close: plan.close,
            resolve: plan.resolve,
            sources: plan.sources,
            skip: plan.skip.clone(),
            program_name: plan.program(),
            access_token: plan.access_token.clone(),
        };
        Ok(SqlServerConnector::new(&self.config, options)?)
    }

    async fn observe(&self, tls: TlsMode, plan: &LoginPlan) -> Result<Box<dyn Observer>, Gap> {
        let options = ObserverOptions {
            tls,
            program_name: plan.program(),
            skip: plan.skip.clone(),
            access_token: plan.access_token.clone(),
        };
        let observer = SqlServerObserver::connect(&self.config, &options).await.map_err(|failure| gap_of(&failure))?;
        Ok(Box::new(observer))
    }

    fn watcher(&self, options: WatchOptions, access_token: Option<Secret>) -> OpenWatcher {
        let config = self.config.clone();
        Arc::new(move || {
            let (config, options, token) = (config.clone(), options.clone(), access_token.clone());
            Box::pin(async move { counters::open_watcher(&config, &options, token.as_ref()).await })
        })
    }

    fn log_lines(&self, facts: &[Fact]) -> Vec<String> {
        counters::log_plan(facts).sentences()
    }

    fn server_pid(&self, host: &dyn Host, target: &Target, answered: Option<&WhatAnswered>) -> Option<u32> {
        local_server::pid(&self.config.endpoints, host, target, answered?, PROCESSES)
    }

    fn server_cpu(&self, host: &Arc<dyn Host>, target: &Target, answered: Option<&WhatAnswered>) -> Option<ServerCpu> {
        Some(local_server::process_cpu(host, self.server_pid(host.as_ref(), target, answered)?))
    }

    fn lacks_password(&self, failure: &Failure) -> bool {
        // Without a code it is not the server that rejected: there was nothing to send.
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

#[cfg(test)]
fn conform() {
    use crate::engines::conformance::{QUERY, run, tls, url};
    run(Protocol::SqlServer, |wish| {
        let config = Config::parse(
            &(url("mssql", wish) + "/master?TrustServerCertificate=true"),
            &peaje_sqlserver::config::BareSurroundings,
        )
        .expect("well formed");
        let options =
            LoginOptions { tls: tls(wish), query: QUERY.to_owned(), close: wish.close, ..LoginOptions::default() };
        SqlServerConnector::new(&config, options).expect("sound settings")
    });
}
