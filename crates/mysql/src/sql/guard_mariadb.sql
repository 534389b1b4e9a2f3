-- peaje: limits of the observing session itself; sent only when nothing stands between, or a proxy would keep them
-- servers: MariaDB 10.1 and later
-- privilege: none
-- reads: nothing; sets variables of this session
set session max_statement_time = 5, session lock_wait_timeout = 1
