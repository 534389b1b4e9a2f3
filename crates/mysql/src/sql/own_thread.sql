-- peaje: whether the list of sessions can be read, by the observer's own place in it
-- servers: with performance_schema=ON
-- privilege: select on performance_schema.threads
-- reads: performance_schema.threads
select connection_type from performance_schema.threads where processlist_id = connection_id()
