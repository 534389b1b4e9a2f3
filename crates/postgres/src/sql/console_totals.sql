-- peaje: cumulative counters of PgBouncer, by database
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show stats_totals
