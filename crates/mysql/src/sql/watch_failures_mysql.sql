-- peaje: failed attempts once more, so that none of them is taken for a login; asked when there are new ones
-- servers: MySQL 5.7 and later
-- privilege: none
-- reads: performance_schema.global_status
select max(case upper(variable_name) when 'ABORTED_CONNECTS' then variable_value end) as aborted,
       max(case upper(variable_name) when 'CONNECTION_ERRORS_MAX_CONNECTIONS' then variable_value end) as refused
from performance_schema.global_status
where variable_name in ('Aborted_connects', 'Connection_errors_max_connections')
