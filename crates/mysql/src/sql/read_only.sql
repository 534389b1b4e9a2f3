-- peaje: keeps the observing session from writing; sent only when nothing stands between
-- servers: any
-- privilege: none
-- reads: nothing; sets a property of this session
set session transaction read only
