-- peaje: which logins the server writes to its error log (0 none, 1 successful, 2 failed, 3 both)
-- versions: any but Azure SQL Database
-- privilege: execute on xp_instance_regread, which public has unless it was revoked
-- reads: the instance's own registry key
exec master.dbo.xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\Microsoft\MSSQLServer\MSSQLServer', N'AuditLevel'
