-- peaje: room for sessions, of the server and of this account, and what the account has in use
-- servers: any
-- privilege: none; a session always sees those of its own account
-- reads: variables, information_schema.processlist
select @@global.max_connections as server_limit,
       @@session.max_user_connections as account_limit,
       (select count(*) from information_schema.processlist
        where user = substring_index(user(), '@', 1)) as account_in_use
