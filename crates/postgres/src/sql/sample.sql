-- peaje: sessions of this run at this moment, and how many of them are encrypted
-- versions: 10 and later
-- privilege: none for sessions of the same role, else pg_read_all_stats
-- reads: pg_stat_activity, pg_stat_ssl
select count(*) as sessions, count(*) filter (where s.ssl) as encrypted
from pg_stat_activity a left join pg_stat_ssl s on s.pid = a.pid
where a.application_name = :'application_name' and a.pid <> pg_backend_pid()
