//! Logins as the server counts them itself, for each account.

use peaje_engine::AccountCounters;
use peaje_model::Gap;

use super::super::opened::Opened;
use super::super::rights::View;
use super::super::session::{Row, text, unsigned};
use super::super::{WATCH_ACCOUNTS, WATCH_USER_STATISTICS, facts};

/// Logins per user with the time they lasted where the server adds that up, else per account; empty = neither is on.
pub(super) async fn read(opened: &mut Opened, process: bool) -> Result<Vec<AccountCounters>, Gap> {
    if process && facts::is_on(&opened.settings, "userstat") == Some(true) {
        let rows = opened.session.rows(&WATCH_USER_STATISTICS, "information_schema.user_statistics").await?;
        return Ok(rows.iter().filter_map(account).collect());
    }
    if !opened.rights.schema_is_on() {
        return Ok(Vec::new());
    }
    opened.rights.need(View::Accounts)?;
    let rows = opened.session.rows(&WATCH_ACCOUNTS, &View::Accounts.name()).await?;
    Ok(rows.iter().filter_map(account).collect())
}

fn account(row: &Row) -> Option<AccountCounters> {
    Some(AccountCounters {
        user: text(row, "user")?.to_owned(),
        host: text(row, "host").map(str::to_owned),
        logins_total: unsigned(row, "logins")?,
        connected_us_total: unsigned(row, "connected_s").map(|seconds| seconds.saturating_mul(1_000_000)),
    })
}
