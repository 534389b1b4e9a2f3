-- peaje: what sessions have allocated, as the server counts it for each of them
-- servers: MariaDB 10.0.1 and later
-- privilege: process; without it an account sees only its own sessions
-- reads: information_schema.processlist, information_schema.global_status
select coalesce(sum(p.memory_used), 0) as bytes, count(*) as sessions,
       (select variable_value from information_schema.global_status
        where variable_name = 'Threads_connected') as connected
from information_schema.processlist p
where p.command <> 'Daemon'
