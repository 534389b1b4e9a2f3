-- peaje: whether the server forces all connections to be encrypted (0 or 1)
-- versions: any but Azure SQL Database
-- privilege: execute on xp_instance_regread, which public has unless it was revoked
-- reads: the instance's own registry key
exec master.dbo.xp_instance_regread N'HKEY_LOCAL_MACHINE',
    N'Software\Microsoft\MSSQLServer\MSSQLServer\SuperSocketNetLib', N'ForceEncryption'
