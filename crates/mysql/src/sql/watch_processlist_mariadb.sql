-- peaje: the sessions that are open, with the time in their state to the millisecond
-- servers: MariaDB 10.0.5 and later
-- privilege: process; without it an account sees only its own sessions
-- reads: information_schema.processlist, but no text of any statement
select id, user, host, db, command, time_ms, query_id
from information_schema.processlist
where id <> connection_id()
