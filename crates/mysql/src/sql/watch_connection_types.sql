-- peaje: which sessions are encrypted; asked when there are new ones
-- servers: with performance_schema=ON, MariaDB
-- privilege: select on performance_schema.threads
-- reads: performance_schema.threads
select processlist_id as id, connection_type
from performance_schema.threads
where processlist_id is not null and connection_type is not null
