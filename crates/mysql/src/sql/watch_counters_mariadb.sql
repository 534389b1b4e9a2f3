-- peaje: what a watching session reads each time: logins, failures, sessions and requests, counted since the start
-- servers: MariaDB, and MySQL up to 5.6
-- privilege: none
-- reads: information_schema.global_status
select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now_us, unix_timestamp() as now_s,
       concat(@@hostname, ':', @@port) as server,
       max(case upper(variable_name) when 'UPTIME' then variable_value end) as uptime_s,
       max(case upper(variable_name) when 'UPTIME_SINCE_FLUSH_STATUS' then variable_value end) as since_flush_s,
       max(case upper(variable_name) when 'CONNECTIONS' then variable_value end) as connections,
       max(case upper(variable_name) when 'EXECUTED_EVENTS' then variable_value end) as events,
       max(case upper(variable_name) when 'ABORTED_CONNECTS' then variable_value end) as aborted,
       max(case upper(variable_name) when 'ABORTED_CONNECTS_PREAUTH' then variable_value end) as unspoken,
       max(case upper(variable_name) when 'ACCESS_DENIED_ERRORS' then variable_value end) as denied,
       max(case upper(variable_name) when 'CONNECTION_ERRORS_MAX_CONNECTIONS' then variable_value end) as refused,
       max(case upper(variable_name) when 'ABORTED_CLIENTS' then variable_value end) as abandoned,
       max(case upper(variable_name) when 'SSL_ACCEPTS' then variable_value end) as tls,
       max(case upper(variable_name) when 'QUESTIONS' then variable_value end) as questions,
       max(case upper(variable_name) when 'THREADS_CONNECTED' then variable_value end) as connected,
       max(case upper(variable_name) when 'THREADS_RUNNING' then variable_value end) as running,
       max(case upper(variable_name) when 'MAX_USED_CONNECTIONS' then variable_value end) as peak
from information_schema.global_status
where variable_name in ('Uptime', 'Uptime_since_flush_status', 'Connections', 'Executed_events', 'Aborted_connects',
                        'Aborted_connects_preauth', 'Access_denied_errors', 'Connection_errors_max_connections',
                        'Aborted_clients', 'Ssl_accepts', 'Questions', 'Threads_connected', 'Threads_running',
                        'Max_used_connections')
