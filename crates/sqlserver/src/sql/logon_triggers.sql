-- peaje: triggers that run at each login
-- versions: any but Azure SQL Database
-- privilege: VIEW ANY DEFINITION; without it the triggers are not seen
-- reads: sys.server_triggers, sys.server_trigger_events
select t.name
from sys.server_triggers as t
join sys.server_trigger_events as e on e.object_id = t.object_id
where t.is_disabled = 0 and e.type_desc = N'LOGON'
