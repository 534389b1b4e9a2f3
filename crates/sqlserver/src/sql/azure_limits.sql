-- peaje: room for sessions in this database, with what is in use
-- versions: Azure SQL Database
-- privilege: VIEW DATABASE STATE
-- reads: sys.dm_user_db_resource_governance, sys.dm_exec_sessions
select g.max_sessions as max_connections,
       (select count_big(*) from sys.dm_exec_sessions as s where s.is_user_process = 1) as in_use
from sys.dm_user_db_resource_governance as g
where g.database_id = db_id()
