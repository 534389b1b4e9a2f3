-- peaje: program name and process number of the clients; asked when there are new sessions
-- servers: with performance_schema=ON
-- privilege: select on performance_schema.session_connect_attrs
-- reads: performance_schema.session_connect_attrs
select processlist_id as id,
       max(case attr_name when 'program_name' then attr_value end) as program,
       max(case attr_name when '_pid' then attr_value end) as process
from performance_schema.session_connect_attrs
where attr_name in ('program_name', '_pid')
group by processlist_id
