//! MySQL and MariaDB for the command: connection strings and the throwaway server, behind one [`Site`].

use std::sync::Arc;

use peaje_engine::{Endpoint, Failure, Observer, OpenWatcher, WatchOptions};
use peaje_host::Host;
use peaje_lab::ServerCpu;
use peaje_model::{Fact, Gap, OutcomeKind, Secret, Target, TargetKind, TlsMode, WhatAnswered};
use peaje_mysql::config::{BareSurroundings, Config, ProcessSurroundings, SslMode};
use peaje_mysql::counters::{self, MysqlObserver, ObserverOptions, gap_of};
use peaje_mysql::login::{LoginOptions, MysqlConnector};
use peaje_mysql::throwaway::{Options, ServerKeyKind, ThrowawayAuth, ThrowawayMariadb};
use peaje_refserver::Protocol;

use crate::args::{AuthArg, KeyArg, LoginArgs};
use crate::check::{self, Visit};
use crate::engines::{Climbing, Engine, Entrance, Running, throwaway_sessions};
use crate::local_server;
use crate::login::{self, LoginPlan, Request, Site};
use crate::printer::Printer;
use crate::sessions::worker::{self, Around, Job, Way};
use crate::sessions::{self, Ask};
use crate::subject::{self, Opening, Words};
use crate::target::Choice;

/// MySQL and MariaDB in the list of engines.
pub(crate) const ENGINE: Engine = Engine {
    name: "mysql",
    title: "MySQL and MariaDB",
    example: "mysql://user@host/database",
    products: &[("MySQL", "mysql"), ("MariaDB", "mariadb")],
    throwaway_words: &["mariadb:", "mariadb"],
    near_misses: Some((
        &["mysql:", "mysql"],
        "write `mariadb:` for a throwaway MariaDB, or mysql://user@host/database",
    )),
    protocol: Protocol::Mysql,
    reference_url,
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

/// A superuser needs no rights, and none should measure: it gets an account of its own in the script.
const SUPERUSER: &str = "root";

/// Names of the server's process.
const PROCESSES: &[&str] = &["mariadbd", "mysqld"];

/// Without TLS its clients send the password only to a server whose key they have.
fn reference_url(at: Entrance<'_>) -> String {
    let key = if at.needs_password { "/?get-server-public-key=true" } else { "" };
    format!("mysql://{}@{}{key}", at.user, at.address)
}

fn grants(target: Option<&str>) -> anyhow::Result<String> {
    let Some(text) = target else { return Ok(counters::grants("peaje")) };
    let config = Config::parse(text, &ProcessSurroundings)?;
    Ok(counters::grants(if config.user == SUPERUSER { "peaje" } else { &config.user }))
}

fn subject<'a>(text: &'a str, words: &'a Words) -> Opening<'a> {
    Box::pin(async move { subject::open(MysqlSite::at(text)?, words).await })
}

fn check(visit: Visit<'_>) -> Running<'_> {
    Box::pin(async move { check::visit(MysqlSite::open(visit.login)?, visit).await })
}

fn sessions(ask: Ask<'_>) -> Climbing<'_> {
    Box::pin(async move {
        let site = match ask.reference {
            Some(text) => MysqlSite::reference(text)?,
            None => MysqlSite::open(ask.request)?,
        };
        Box::pin(sessions::climb(site, ask)).await
    })
}

fn work(job: Job) -> Running<'static> {
    Box::pin(async move {
        let site = match job.around() {
            Around::Nothing => MysqlSite::reference(job.text())?,
            Around::User => MysqlSite::at(job.text())?,
        };
        worker::work(site, job).await
    })
}

fn measure(request: Request<'_>) -> Running<'_> {
    Box::pin(async move { login::measure(MysqlSite::open(request)?, request).await })
}

struct MysqlSite {
    config: Config,
    way: Way,
    /// A server that peaje started, kept until the measurement has ended.
    own: Option<ThrowawayMariadb>,
}

impl MysqlSite {
    fn open(request: Request<'_>) -> anyhow::Result<Self> {
        match request.choice {
            Choice::Url(_, text) => Self::at(text),
            Choice::Embedded | Choice::Throwaway(_) => Self::throwaway(request.args, request.printer),
        }
    }

    /// A reference server, in which files and variables of the user have no say.
    fn reference(text: &str) -> anyhow::Result<Self> {
        Ok(Self { config: Config::parse(text, &BareSurroundings)?, way: Way::of_own(text), own: None })
    }

    fn at(text: &str) -> anyhow::Result<Self> {
        Ok(Self { config: Config::parse(text, &ProcessSurroundings)?, way: Way::of_user(text), own: None })
    }

    fn throwaway(args: &LoginArgs, printer: Printer) -> anyhow::Result<Self> {
        let auth = match args.own.auth {
            Some(AuthArg::Trust) => ThrowawayAuth::None,
            Some(AuthArg::Native) | None => ThrowawayAuth::Native,
            Some(AuthArg::Ed25519) => ThrowawayAuth::Ed25519,
            Some(AuthArg::Socket) => ThrowawayAuth::Socket,
            Some(other) => return Err(other.not_known_to("MariaDB", "trust, native, ed25519 or socket")),
        };
        printer.say("starting a throwaway MariaDB …");
        let server = ThrowawayMariadb::start(&Options {
            max_connections: throwaway_sessions(args),
            server_key: match args.own.server_key {
                Some(KeyArg::Ecdsa) => ServerKeyKind::EcdsaP256,
                Some(KeyArg::Rsa) | None => ServerKeyKind::Rsa2048,
            },
            ..Options::default()
        })?;
        let config = server.config(auth, SslMode::Preferred);
        Ok(Self { way: Way::of_own(&config.display_url()), config, own: Some(server) })
    }
}

impl Site for MysqlSite {
    type Connector = MysqlConnector;
    const ENGINE: &'static str = "mysql";

    fn kind(&self) -> TargetKind {
        if self.own.is_some() { TargetKind::Throwaway } else { TargetKind::User }
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
        Some(self.config.user.clone())
    }

    fn tls_setting(&self) -> Option<String> {
        Some(format!("ssl-mode={}", self.config.ssl_mode.name()))
    }

    fn url_sets_tls(&self) -> bool {
        self.config.ssl_mode_is_set
    }

    fn warnings(&self) -> Vec<String> {
        self.config.warnings.clone()
    }

    fn connector(&self, tls: TlsMode, plan: &LoginPlan) -> anyhow::Result<MysqlConnector> {
        let options = LoginOptions {
            tls,
            query: plan.query.clone(),
            close: plan.close,
            resolve: plan.resolve,
            sources: plan.sources,
            skip: plan.skip.clone(),
            program_name: plan.program(),
            ..LoginOptions::default()
        };
        Ok(MysqlConnector::new(&self.config, options)?)
    }

    async fn observe(&self, tls: TlsMode, plan: &LoginPlan) -> Result<Box<dyn Observer>, Gap> {
        let options = ObserverOptions {
            // The TLS of the first series: it gets in wherever the logins do.
            ssl_mode: self.config.ssl_mode.under(tls),
            program_name: plan.program(),
            endpoint: None,
            skip: plan.skip.clone(),
        };
        let administrator = self.own.as_ref().map(|server| server.config(ThrowawayAuth::Admin, SslMode::Preferred));
        let config = administrator.as_ref().unwrap_or(&self.config);
        let observer = MysqlObserver::connect(config, &options).await.map_err(|failure| gap_of(&failure))?;
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
        let plan = counters::log_plan(facts);
        if plan.is_empty() && !facts.is_empty() {
            return vec!["each login writes nothing to the server's logs, and sets nothing off".to_owned()];
        }
        plan
    }

    fn server_pid(&self, host: &dyn Host, target: &Target, answered: Option<&WhatAnswered>) -> Option<u32> {
        match &self.own {
            Some(server) => server.server_pid(),
            None => local_server::pid(&self.config.endpoints, host, target, answered?, PROCESSES),
        }
    }

    fn server_cpu(&self, host: &Arc<dyn Host>, target: &Target, answered: Option<&WhatAnswered>) -> Option<ServerCpu> {
        Some(local_server::process_cpu(host, self.server_pid(host.as_ref(), target, answered)?))
    }

    fn lacks_password(&self, failure: &Failure) -> bool {
        // An account may do without one: only the server knows, so the first login goes without.
        let asked = matches!(failure.code.as_deref(), None | Some("1045"));
        !self.config.has_password() && failure.kind == OutcomeKind::Rejected && asked
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
    run(Protocol::Mysql, |wish| {
        // Without TLS a first full authentication needs the server's public key.
        let config = Config::parse(
            &(url("mysql", wish) + "/?get-server-public-key=true"),
            &peaje_mysql::config::BareSurroundings,
        )
        .expect("well formed");
        let options =
            LoginOptions { tls: tls(wish), query: QUERY.to_owned(), close: wish.close, ..LoginOptions::default() };
        MysqlConnector::new(&config, options).expect("sound settings")
    });
}
