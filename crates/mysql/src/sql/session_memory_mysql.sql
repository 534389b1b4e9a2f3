-- peaje: what the server has allocated outside InnoDB, as its memory instruments count it
-- servers: MySQL 5.7 and later, with performance_schema=ON
-- privilege: select on performance_schema.memory_summary_global_by_event_name
-- reads: performance_schema.memory_summary_global_by_event_name, performance_schema.global_status
select coalesce(sum(m.current_number_of_bytes_used), 0) as bytes,
       coalesce(sum(case when m.event_name like 'memory/sql/%' then m.current_number_of_bytes_used end), 0) as counted,
       (select variable_value from performance_schema.global_status
        where variable_name = 'Threads_connected') as connected
from performance_schema.memory_summary_global_by_event_name m
where m.event_name not like 'memory/innodb/%'
