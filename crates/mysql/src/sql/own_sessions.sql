-- peaje: sessions of this run that are still open
-- servers: with performance_schema=ON
-- privilege: select on performance_schema.session_connect_attrs
-- reads: performance_schema.session_connect_attrs
select count(*) as own_sessions
from performance_schema.session_connect_attrs
where attr_name = 'program_name' and attr_value = @program_name and processlist_id <> connection_id()
