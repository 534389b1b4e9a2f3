-- peaje: how many sessions are open now, and how many of them are at work
-- versions: 10 and later
-- privilege: pg_read_all_stats for sessions of other roles
-- reads: pg_stat_activity, pg_stat_replication
select count(*) filter (where a.backend_type = 'client backend') as sessions,
       count(*) filter (where a.backend_type = 'client backend'
                          and a.state in ('active', 'fastpath function call')) as active,
       count(*) filter (where a.backend_type = 'client backend' and a.state = 'disabled') as untold,
       count(*) filter (where a.backend_type is null and a.pid not in (select pid from pg_stat_replication)) as hidden
from pg_stat_activity a
where a.usesysid is not null and a.datid is not null and a.pid <> pg_backend_pid()
