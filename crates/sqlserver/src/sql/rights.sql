-- peaje: which of the rights that peaje can use this login has (null = this version does not know the right)
-- versions: any
-- privilege: none
-- reads: has_perms_by_name()
select has_perms_by_name(null, null, N'VIEW SERVER STATE') as view_server_state,
       has_perms_by_name(null, null, N'VIEW SERVER PERFORMANCE STATE') as view_server_performance_state,
       has_perms_by_name(null, null, N'VIEW SERVER SECURITY STATE') as view_server_security_state,
       has_perms_by_name(null, null, N'VIEW ANY DEFINITION') as view_any_definition,
       has_perms_by_name(null, null, N'VIEW ANY SECURITY DEFINITION') as view_any_security_definition,
       has_perms_by_name(db_name(), N'DATABASE', N'VIEW DATABASE STATE') as view_database_state
