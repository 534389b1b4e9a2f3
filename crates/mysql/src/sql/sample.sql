-- peaje: sessions of this run at this moment, and how many of them are encrypted
-- servers: with performance_schema=ON
-- privilege: select on performance_schema.session_connect_attrs and performance_schema.threads
-- reads: performance_schema.session_connect_attrs, performance_schema.threads
select count(*) as sessions, coalesce(sum(t.connection_type = 'SSL/TLS'), 0) as encrypted
from performance_schema.session_connect_attrs a
join performance_schema.threads t on t.processlist_id = a.processlist_id
where a.attr_name = 'program_name' and a.attr_value = @program_name and a.processlist_id <> connection_id()
  and t.connection_type is not null and coalesce(t.processlist_command, '') <> 'Connect'
