-- peaje: clients of PgBouncer: who, from where, since when, waiting or not, encrypted or not
-- versions: any
-- privilege: a user of admin_users or stats_users
-- reads: PgBouncer's console
show clients
