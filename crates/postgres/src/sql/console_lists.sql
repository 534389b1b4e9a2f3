-- peaje: how many clients PgBouncer has
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show lists
