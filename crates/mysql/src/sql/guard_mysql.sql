-- peaje: limits of the observing session itself; sent only when nothing stands between, or a proxy would keep them
-- servers: MySQL 5.7.8 and later
-- privilege: none
-- reads: nothing; sets variables of this session
set session max_execution_time = 5000, session lock_wait_timeout = 1
