-- peaje: databases of PgBouncer: sizes of their pools
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show databases
