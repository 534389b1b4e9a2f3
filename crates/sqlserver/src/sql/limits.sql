-- peaje: room for sessions, with what is in use
-- versions: any but Azure SQL Database
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER PERFORMANCE STATE); without it only the own session is seen
-- reads: @@max_connections, sys.dm_exec_sessions
select @@max_connections as max_connections,
       (select count_big(*) from sys.dm_exec_sessions as s where s.is_user_process = 1) as in_use
