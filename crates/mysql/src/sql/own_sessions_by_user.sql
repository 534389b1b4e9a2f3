-- peaje: sessions of this run's login name that are younger than the observer's, where program names cannot be read
-- servers: without performance_schema, or without the right to read it
-- privilege: none; a session always sees those of its own account
-- reads: information_schema.processlist
select count(*) as own_sessions
from information_schema.processlist
where user = substring_index(user(), '@', 1) and id > connection_id()
