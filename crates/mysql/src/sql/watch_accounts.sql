-- peaje: logins of each account, as the server itself counts them; the watching session is not among them
-- servers: with performance_schema=ON
-- privilege: select on performance_schema.accounts
-- reads: performance_schema.accounts
select user, host,
       total_connections
         - (user = substring_index(user(), '@', 1) and host = substring_index(user(), '@', -1)) as logins
from performance_schema.accounts
where user is not null
