-- Least privilege for peaje on SQL Server 2012 to 2025 and Azure SQL Managed Instance. Run it as sysadmin.
-- peaje reads; it creates and changes nothing on the server.

-- A login of its own, so that every session and log line of a measurement can be told apart.
-- Leave this statement out when the login exists already. Else replace the password.
create login $(login) with password = N'choose one', check_policy = on;

-- Counters, sessions, and their encryption. From version 2022 on, the two narrower rights are enough instead:
--   grant view server performance state to $(login);
--   grant view server security state to $(login);
grant view server state to $(login);

-- What runs at each login: logon triggers, audits, the classifier of Resource Governor.
grant view any definition to $(login);

-- The login uses master unless the connection string names a database. There it needs a user:
--   use [your database];
--   create user $(login) for login $(login);

-- On Azure SQL Database, in the database that is measured, instead of all the above:
--   create user $(login) with password = N'choose one';
--   grant view database state to $(login);

-- To take it all back:
--   drop login $(login);
