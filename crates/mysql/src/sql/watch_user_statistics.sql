-- peaje: logins of each user, and how long their sessions lasted, as the server itself counts them
-- servers: MariaDB and Percona Server with userstat=ON
-- privilege: process
-- reads: information_schema.user_statistics
select user, total_connections - (user = substring_index(user(), '@', 1)) as logins, connected_time as connected_s
from information_schema.user_statistics
