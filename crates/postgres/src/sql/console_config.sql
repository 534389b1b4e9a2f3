-- peaje: settings of PgBouncer that decide who waits and how often it logs in
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show config
