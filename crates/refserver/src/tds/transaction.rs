//! Transactions: they hold nothing here, but drivers keep count of them.
//!
//! A newcomer would end the transaction at each `commit`. They nest: only the last `commit` ends it, and any `rollback`
//! ends all.

use peaje_sqlserver::protocol::request::TransactionRequest;
use peaje_sqlserver::protocol::token::{EnvChange, done};

use super::message::SqlError;
use super::reply::{self, Reply};
use super::session::Session;
use super::sql;

/// The transaction of a session.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    /// Number of the last one.
    number: u64,
    /// How many times it was begun (`@@trancount`).
    depth: u32,
}

impl Transaction {
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    pub(super) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// The bit of DONE that says whether it is open.
    pub(super) fn state(&self) -> u16 {
        if self.is_open() { done::IN_TRANSACTION } else { 0 }
    }

    /// Begins; what the client is told when it was not open before.
    fn begin(&mut self, spid: u16) -> Option<EnvChange> {
        self.depth += 1;
        (self.depth == 1).then(|| {
            // Unlike any other session's, and never 0.
            self.number = (u64::from(spid) << 32) | ((self.number + 1) & u64::from(u32::MAX)).max(1);
            EnvChange::BeginTransaction(self.number)
        })
    }

    fn commit(&mut self) -> Result<Option<EnvChange>, SqlError> {
        self.depth = self.depth.checked_sub(1).ok_or_else(|| SqlError::no_transaction("COMMIT"))?;
        Ok((self.depth == 0).then_some(EnvChange::CommitTransaction(self.number)))
    }

    /// Rolls back; `None` = there was nothing to roll back.
    pub(super) fn roll_back(&mut self) -> Option<EnvChange> {
        (std::mem::take(&mut self.depth) > 0).then_some(EnvChange::RollbackTransaction(self.number))
    }
}

impl Session<'_> {
    /// A statement of transactions.
    pub(super) fn transact(&mut self, what: sql::Transaction) -> Result<Reply, SqlError> {
        let change = match what {
            sql::Transaction::Begin => self.transaction.begin(self.identity.spid),
            sql::Transaction::Commit => self.transaction.commit()?,
            sql::Transaction::Rollback => {
                Some(self.transaction.roll_back().ok_or_else(|| SqlError::no_transaction("ROLLBACK"))?)
            }
            sql::Transaction::Save => None,
        };
        Ok(change.map_or(Reply::Nothing, Reply::Change))
    }

    /// Answers a transaction manager request.
    pub(super) fn manage(&mut self, request: TransactionRequest, tokens: &mut Vec<u8>) {
        let (what, begin_next) = match request {
            TransactionRequest::Begin => (sql::Transaction::Begin, false),
            TransactionRequest::Commit { begin_next } => (sql::Transaction::Commit, begin_next),
            TransactionRequest::Rollback { begin_next } => (sql::Transaction::Rollback, begin_next),
            TransactionRequest::Save => (sql::Transaction::Save, false),
            TransactionRequest::Other(_) => {
                return reply::batch(tokens, &[], Some(&SqlError::unknown()), self.transaction.state());
            }
        };
        let mut replies = Vec::with_capacity(2);
        let mut outcome = self.transact(what);
        if begin_next && outcome.is_ok() {
            replies.extend(outcome.ok());
            outcome = self.transact(sql::Transaction::Begin);
        }
        let error = outcome.map(|reply| replies.push(reply)).err();
        reply::batch(tokens, &replies, error.as_ref(), self.transaction.state());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_nest() {
        let mut transaction = Transaction::default();
        let Some(EnvChange::BeginTransaction(first)) = transaction.begin(51) else { panic!("it begins") };
        assert_eq!((transaction.begin(51), transaction.depth()), (None, 2));
        assert_eq!(transaction.commit().unwrap(), None);
        assert_eq!(transaction.commit().unwrap(), Some(EnvChange::CommitTransaction(first)));
        assert_eq!(transaction.commit().unwrap_err().0.number, 3902);
        assert_eq!(transaction.roll_back(), None);
        let Some(EnvChange::BeginTransaction(second)) = transaction.begin(51) else { panic!("it begins") };
        assert_ne!(first, second);
        transaction.begin(51);
        assert_eq!(transaction.roll_back(), Some(EnvChange::RollbackTransaction(second)));
        assert!(!transaction.is_open());
    }
}
