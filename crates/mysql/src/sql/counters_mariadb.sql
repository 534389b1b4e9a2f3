-- peaje: connections, failed and refused ones, counted by the server since its start
-- servers: MariaDB, and MySQL up to 5.6
-- privilege: none
-- reads: information_schema.global_status
select unix_timestamp() as now_s, @@hostname as host, @@port as port,
       max(case upper(variable_name) when 'UPTIME' then variable_value end) as uptime_s,
       max(case upper(variable_name) when 'UPTIME_SINCE_FLUSH_STATUS' then variable_value end) as since_flush_s,
       max(case upper(variable_name) when 'CONNECTIONS' then variable_value end) as connections,
       max(case upper(variable_name) when 'ABORTED_CONNECTS' then variable_value end) as aborted,
       max(case upper(variable_name) when 'CONNECTION_ERRORS_MAX_CONNECTIONS' then variable_value end) as refused,
       max(case upper(variable_name) when 'THREADS_CONNECTED' then variable_value end) as connected
from information_schema.global_status
where variable_name in ('Uptime', 'Uptime_since_flush_status', 'Connections', 'Aborted_connects',
                        'Connection_errors_max_connections', 'Threads_connected')
