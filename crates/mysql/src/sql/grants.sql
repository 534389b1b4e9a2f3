-- Least privilege for peaje on MariaDB 10.4 and later and MySQL 5.7 and later. Run it as an administrator. peaje
-- reads; it creates and changes nothing on the server.

-- A login of its own, so that every session and log line of a measurement can be told apart.
-- Leave this statement out when the account exists already. Give it the password you want instead of the one here.
create user :account identified by :password;

-- Whose sessions are whose, by program name. Without it sessions are told apart by login name.
grant select on performance_schema.session_connect_attrs to :account;

-- Which sessions are encrypted.
grant select on performance_schema.threads to :account;

-- For peaje check: hosts whose connections went wrong.
grant select on performance_schema.host_cache to :account;

-- For peaje sessions on another machine, MySQL only: what the server has allocated.
grant select on performance_schema.memory_summary_global_by_event_name to :account;

-- For peaje watch: logins of each account, as the server counts them.
grant select on performance_schema.accounts to :account;

-- For peaje watch: sessions of other accounts where performance_schema is off, and which of them hold a transaction
-- open. Like the two views above it would also show what others run, which peaje does not read. Leave it out if that is
-- too much: what is missing is named then.
grant process on *.* to :account;

-- A hard limit, if you want one: the measurement then cannot take more sessions than this.
-- alter user :account with max_user_connections 20;

-- To take it all back:
-- drop user :account;
