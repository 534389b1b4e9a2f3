-- peaje: how long all sessions lasted together, for the mean life of one
-- versions: 14 and later
-- privilege: none
-- reads: pg_stat_database
select coalesce(sum(d.session_time), 0) / 1000 as session_time_s
from pg_stat_database d
where d.datname is not null
