-- peaje: start of the server, and the processors and worker threads that logins share with everything else
-- versions: any
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER PERFORMANCE STATE; Azure SQL Database: VIEW DATABASE STATE)
-- reads: sys.dm_os_sys_info
select i.sqlserver_start_time as started_at, i.cpu_count, i.max_workers_count
from sys.dm_os_sys_info as i
