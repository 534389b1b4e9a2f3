-- peaje: sessions of this run that are still open, on servers that do not count logins
-- versions: 10 to 13
-- privilege: none
-- reads: pg_stat_activity
select count(*) as own_sessions
from pg_stat_activity a
where a.application_name = :'application_name' and a.pid <> pg_backend_pid()
