-- peaje: event sessions that record each login or logout
-- versions: 2012 and later, not Azure SQL Database
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER PERFORMANCE STATE)
-- reads: sys.dm_xe_sessions, sys.dm_xe_session_events
select s.name, e.event_name
from sys.dm_xe_sessions as s
join sys.dm_xe_session_events as e on e.event_session_address = s.address
where e.event_name in (N'login', N'logout', N'process_login_finish')
