-- peaje: room for sessions, by server, database and role, with what is in use
-- versions: 10 and later
-- privilege: none; other users' sessions are counted even where their details are hidden
-- reads: pg_stat_activity, pg_database, pg_roles, settings
select current_setting('max_connections') as server_limit,
       current_setting('superuser_reserved_connections')::int
         + coalesce(current_setting('reserved_connections', true), '0')::int as reserved,
       (select count(*) from pg_stat_activity
        where backend_type = 'client backend' or (backend_type is null and usesysid is not null)) as server_in_use,
       d.datconnlimit as database_limit,
       (select count(*) from pg_stat_activity a where a.datid = d.oid and a.usesysid is not null) as database_in_use,
       r.rolconnlimit as role_limit,
       (select count(*) from pg_stat_activity a where a.usesysid = r.oid) as role_in_use,
       r.rolsuper as superuser
from pg_database d, pg_roles r
where d.datname = current_database() and r.rolname = current_user
