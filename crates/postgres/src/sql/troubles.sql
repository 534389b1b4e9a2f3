-- peaje: whether other clients' sessions fail more often than before the run: then the run stops
-- versions: 14 and later
-- privilege: none
-- reads: pg_stat_database
select coalesce(sum(d.sessions_fatal + d.sessions_killed), 0)::bigint as troubled,
       extract(epoch from clock_timestamp() - coalesce(min(d.stats_reset), pg_postmaster_start_time())) as counted_s
from pg_stat_database d
