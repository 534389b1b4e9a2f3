-- peaje: the sessions that are open, with the time in their state to the second, and how they are connected
-- servers: with performance_schema=ON; MariaDB only when the account lacks the right PROCESS
-- privilege: select on performance_schema.threads
-- reads: performance_schema.threads, but no text of any statement
select processlist_id as id, processlist_user as user, processlist_host as host, processlist_db as db,
       processlist_command as command, processlist_time as time_s, connection_type
from performance_schema.threads
where processlist_id is not null and processlist_id <> connection_id()
