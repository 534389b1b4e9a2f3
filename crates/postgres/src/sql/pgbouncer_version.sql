-- peaje: version of PgBouncer, asked only of its administration console
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show version
