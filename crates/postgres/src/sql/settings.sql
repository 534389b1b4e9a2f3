-- peaje: settings that decide what a login costs, what it writes to the log, and how many fit
-- versions: 10 and later
-- privilege: pg_read_all_settings for data_directory and the preloaded libraries; none for the others
-- reads: pg_settings
select name, setting, unit, vartype
from pg_settings
where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections',
               'log_connections', 'log_disconnections', 'log_hostname',
               'session_preload_libraries', 'shared_preload_libraries', 'local_preload_libraries',
               'password_encryption', 'scram_iterations', 'authentication_timeout', 'event_triggers',
               'ssl', 'ssl_min_protocol_version', 'ssl_ciphers', 'ssl_tls13_ciphers',
               'idle_session_timeout', 'idle_in_transaction_session_timeout', 'client_connection_check_interval',
               'tcp_keepalives_idle', 'data_directory')
   or name like 'pgaudit.%' or name like 'rds.%' or name like 'azure.%' or name like 'cloudsql.%'
   or name like 'alloydb.%' or name like 'aurora%'
order by name
