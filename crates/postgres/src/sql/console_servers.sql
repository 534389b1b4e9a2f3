-- peaje: server sessions of PgBouncer: how old they are, and how many are encrypted
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show servers
