-- peaje: what this one session has allocated: a server tells that of no other session, it can only log it
-- versions: 14 and later
-- privilege: pg_read_all_stats (superuser on 14)
-- reads: pg_backend_memory_contexts, pg_stat_activity
select sum(c.total_bytes)::bigint as bytes,
       (select count(*) from pg_stat_activity
        where backend_type = 'client backend' or (backend_type is null and usesysid is not null)) as open_sessions
from pg_backend_memory_contexts c
