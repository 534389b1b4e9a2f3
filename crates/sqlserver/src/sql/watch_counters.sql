-- peaje: what a watching session reads each time: logins, logouts, resets, connections and batches since the start
-- versions: any
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER PERFORMANCE STATE; Azure SQL Database: VIEW DATABASE STATE)
-- reads: sys.dm_os_performance_counters, sys.dm_os_sys_info
select coalesce(@@servername, cast(serverproperty(N'ServerName') as nvarchar(128))) as server_name,
       i.sqlserver_start_time as started_at, i.ms_ticks - i.sqlserver_start_time_ms_ticks as up_ms,
       cast(datediff(day, '19700101', n.utc) as bigint) * 86400000
         + datediff(millisecond, cast(cast(n.utc as date) as datetime2), n.utc) as now_ms,
       datediff(minute, getutcdate(), getdate()) as offset_minutes,
       max(case when upper(p.counter_name) like N'LOGINS/SEC%' then p.cntr_value end) as logins_total,
       max(case when upper(p.counter_name) like N'LOGOUTS/SEC%' then p.cntr_value end) as logouts_total,
       max(case when upper(p.counter_name) like N'CONNECTION RESET%' then p.cntr_value end) as resets_total,
       max(case when upper(p.counter_name) like N'USER CONNECTIONS%' then p.cntr_value end) as user_connections,
       max(case when upper(p.counter_name) like N'BATCH REQUESTS/SEC%' then p.cntr_value end) as batches_total
from sys.dm_os_sys_info as i
cross join (select sysutcdatetime() as utc) as n
left join sys.dm_os_performance_counters as p
  on upper(p.object_name) like N'%:GENERAL STATISTICS%' or upper(p.object_name) like N'%:SQL STATISTICS%'
group by i.sqlserver_start_time, i.ms_ticks, i.sqlserver_start_time_ms_ticks, n.utc
