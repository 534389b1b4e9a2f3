-- peaje: what answered: version, edition, engine, place in an availability group, and whom it let in
-- versions: any
-- privilege: none
-- reads: @@version, serverproperty(), databasepropertyex(), connectionproperty(), loginproperty()
select @@version as version,
       cast(serverproperty(N'ProductVersion') as nvarchar(128)) as product_version,
       cast(serverproperty(N'ProductLevel') as nvarchar(128)) as product_level,
       cast(serverproperty(N'ProductUpdateLevel') as nvarchar(128)) as product_update_level,
       cast(serverproperty(N'Edition') as nvarchar(128)) as edition,
       cast(serverproperty(N'EngineEdition') as int) as engine_edition,
       cast(serverproperty(N'IsHadrEnabled') as int) as hadr_enabled,
       cast(serverproperty(N'IsClustered') as int) as clustered,
       cast(serverproperty(N'IsIntegratedSecurityOnly') as int) as integrated_security_only,
       @@servername as server_name,
       db_id(N'rdsadmin') as rdsadmin,
       db_name() as database_name,
       cast(databasepropertyex(db_name(), N'Updateability') as nvarchar(128)) as updateability,
       cast(loginproperty(suser_sname(), N'PasswordHashAlgorithm') as int) as password_hash_algorithm,
       cast(connectionproperty(N'client_net_address') as nvarchar(48)) as client_net_address,
       cast(connectionproperty(N'local_net_address') as nvarchar(48)) as local_net_address,
       cast(connectionproperty(N'net_transport') as nvarchar(40)) as net_transport,
       cast(connectionproperty(N'auth_scheme') as nvarchar(40)) as auth_scheme
