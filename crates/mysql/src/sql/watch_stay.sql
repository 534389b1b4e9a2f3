-- peaje: keeps the watching session from being closed between two readings; sent only when nothing stands between
-- servers: any
-- privilege: none
-- reads: nothing; sets a variable of this session
set session wait_timeout = 3600
