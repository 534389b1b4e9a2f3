-- peaje: pools of PgBouncer: clients that wait, how long, and server sessions by state
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show pools
