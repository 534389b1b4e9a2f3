-- peaje: logins counted by the server in this database, and sessions of this run that are still open
-- versions: 14 and later
-- privilege: none
-- reads: pg_stat_database, pg_stat_activity
select d.sessions,
       (select count(*) from pg_stat_activity a
        where a.application_name = :'application_name' and a.pid <> pg_backend_pid()) as own_sessions,
       coalesce(extract(epoch from d.stats_reset), 0) as reset_at,
       extract(epoch from pg_postmaster_start_time()) as started_at
from pg_stat_database d
where d.datname = current_database()
