-- peaje: the sessions that are open: whose, since when, what they do, and how they are connected; times are local ones
-- versions: any
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER SECURITY STATE; Azure SQL Database: VIEW DATABASE STATE)
-- reads: sys.dm_exec_sessions, sys.dm_exec_connections
select s.session_id, s.login_name, s.program_name, s.host_name, s.host_process_id, c.client_net_address,
       db_name(s.database_id) as database_name, s.status, s.open_transaction_count, c.encrypt_option, c.auth_scheme,
       cast(datediff(day, '19700101', c.connect_time) as bigint) * 86400000
         + datediff(millisecond, cast(cast(c.connect_time as date) as datetime), c.connect_time) as connected_ms,
       cast(datediff(day, '19700101', s.last_request_start_time) as bigint) * 86400000
         + datediff(millisecond, cast(cast(s.last_request_start_time as date) as datetime), s.last_request_start_time)
         as request_started_ms,
       cast(datediff(day, '19700101', s.last_request_end_time) as bigint) * 86400000
         + datediff(millisecond, cast(cast(s.last_request_end_time as date) as datetime), s.last_request_end_time)
         as request_ended_ms
from sys.dm_exec_sessions as s
join sys.dm_exec_connections as c on c.session_id = s.session_id and c.parent_connection_id is null
where s.is_user_process = 1 and s.session_id <> @@spid
