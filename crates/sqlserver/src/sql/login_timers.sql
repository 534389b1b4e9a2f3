-- peaje: logins of which the server kept where their time went: those that failed or ended abnormally
-- versions: 2008 and later, not Azure SQL Database
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER PERFORMANCE STATE)
-- reads: sys.dm_os_ring_buffers
select top (256) r.record
from sys.dm_os_ring_buffers as r
where r.ring_buffer_type = N'RING_BUFFER_CONNECTIVITY' and r.record like N'%<LoginTimers%'
order by r.timestamp desc
