-- peaje: logins, logouts and resets counted by the server, and sessions of this run that are still open
-- versions: any
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER PERFORMANCE STATE; Azure SQL Database: VIEW DATABASE STATE)
-- reads: sys.dm_os_performance_counters, sys.dm_os_sys_info, sys.dm_exec_sessions
select i.sqlserver_start_time as started_at,
       (select count_big(*) from sys.dm_exec_sessions as s
        where s.is_user_process = 1 and s.program_name = N'$(program_name)' and s.session_id <> @@spid) as own_sessions,
       max(case when upper(p.counter_name) like N'LOGINS/SEC%' then p.cntr_value end) as logins_total,
       max(case when upper(p.counter_name) like N'LOGOUTS/SEC%' then p.cntr_value end) as logouts_total,
       max(case when upper(p.counter_name) like N'CONNECTION RESET%' then p.cntr_value end) as resets_total,
       max(case when upper(p.counter_name) like N'USER CONNECTIONS%' then p.cntr_value end) as user_connections
from sys.dm_os_sys_info as i
left join sys.dm_os_performance_counters as p on p.object_name like N'%:General Statistics%'
group by i.sqlserver_start_time
