-- peaje: sessions that are open now: who, from where, since when, at work or idle, encrypted or not; no query text
-- versions: 10 and later
-- privilege: pg_read_all_stats for sessions of other roles
-- reads: pg_stat_activity, pg_stat_ssl, pg_stat_replication
select a.pid, (extract(epoch from a.backend_start) * 1000000)::bigint as opened_us, a.usename, a.application_name,
       coalesce(a.client_hostname, host(a.client_addr)) as host, a.datname, a.state,
       (extract(epoch from a.state_change) * 1000000)::bigint as since_us,
       case when a.state <> 'disabled' then a.query <> '' end as used, a.backend_type, s.ssl
from pg_stat_activity a left join pg_stat_ssl s on s.pid = a.pid
where a.usesysid is not null and a.pid <> pg_backend_pid()
  and (a.backend_type in ('client backend', 'walsender')
       or a.backend_type is null and a.datid is not null and a.pid not in (select pid from pg_stat_replication))
