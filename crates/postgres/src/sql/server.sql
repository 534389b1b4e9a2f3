-- peaje: version, role in replication, and start of the server
-- versions: 10 and later
-- privilege: none
-- reads: settings and administrative functions
select current_setting('server_version_num') as server_version_num,
       pg_is_in_recovery() as standby,
       (select reset_val from pg_settings where name = 'default_transaction_read_only') as default_read_only,
       pg_postmaster_start_time() as started_at,
       current_database() as database,
       current_user as role
