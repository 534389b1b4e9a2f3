-- peaje: whether something stands between peaje and the server (the client's end and the session number it sees)
-- servers: any
-- privilege: none; a session always sees itself
-- reads: information_schema.processlist
select id as session_id, host as client from information_schema.processlist where id = connection_id()
