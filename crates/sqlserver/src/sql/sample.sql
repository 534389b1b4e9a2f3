-- peaje: sessions of this run at this moment, and how many of them are encrypted
-- versions: any
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER SECURITY STATE; Azure SQL Database: VIEW DATABASE STATE)
-- reads: sys.dm_exec_sessions, sys.dm_exec_connections
select count_big(*) as sessions,
       count_big(case when c.encrypt_option = N'TRUE' then 1 end) as encrypted
from sys.dm_exec_sessions as s
join sys.dm_exec_connections as c on c.session_id = s.session_id and c.parent_connection_id is null
where s.is_user_process = 1 and s.program_name = N'$(program_name)' and s.session_id <> @@spid
