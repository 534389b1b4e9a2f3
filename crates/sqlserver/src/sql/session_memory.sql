-- peaje: what sessions have allocated, by session and by the clerks that keep their memory
-- versions: 2012 and later, but not Azure SQL Database
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER PERFORMANCE STATE)
-- reads: sys.dm_exec_sessions, sys.dm_os_memory_clerks
select count_big(*) as sessions,
       sum(cast(s.memory_usage as bigint)) as session_pages,
       (select sum(c.pages_kb) from sys.dm_os_memory_clerks as c
        where c.type = N'MEMORYCLERK_SQLCONNECTIONPOOL') as connections_kb,
       (select sum(c.pages_kb) from sys.dm_os_memory_clerks as c
        where c.type = N'OBJECTSTORE_SNI_PACKET') as packets_kb
from sys.dm_exec_sessions as s
where s.is_user_process = 1
