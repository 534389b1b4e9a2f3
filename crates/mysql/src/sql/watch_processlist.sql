-- peaje: the sessions that are open, with the time in their state to the second
-- servers: MySQL without the right to read performance_schema.threads
-- privilege: process; without it an account sees only its own sessions
-- reads: information_schema.processlist, but no text of any statement
select id, user, host, db, command, time as time_s
from information_schema.processlist
where id <> connection_id()
