-- Least privilege for peaje on PostgreSQL 10 to 18. Run it as a superuser, or as the administrator of a managed
-- service. peaje reads; it creates and changes nothing on the server.

-- A role of its own, so that every session and log line of a measurement can be told apart.
-- Leave this statement out when the role exists already. Else give it a password afterwards, in psql: \password :role
create role :role login nosuperuser nocreatedb nocreaterole noreplication;

-- It logs in to the database that is measured, and to no other unless PUBLIC may.
grant connect on database :database to :role;

-- Settings that only administrators see: the preloaded libraries and the data folder.
grant pg_read_all_settings to :role;

-- Details of other users' sessions. `peaje watch` needs them to tell applications apart and to derive logouts; for
-- counting peaje's own they are not needed. `peaje sessions` reads with it what its own session has allocated (15 and
-- later; on 14 superusers only). (PgBouncer's console asks for no right of the database: there, name the
-- role in stats_users of pgbouncer.ini.)
grant pg_read_all_stats to :role;

-- A hard limit, if you want one: the measurement then cannot take more sessions than this.
-- alter role :role connection limit 20;

-- To take it all back:
-- revoke connect on database :database from :role;
-- drop role :role;
