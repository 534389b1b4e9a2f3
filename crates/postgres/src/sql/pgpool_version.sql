-- peaje: whether the thing between is Pgpool-II; asked only when something stands between
-- versions: any
-- privilege: none
-- reads: Pgpool-II; PostgreSQL itself answers with an error
show pool_version
