-- peaje: limits of the observing session itself
-- versions: any
-- privilege: none
-- reads: nothing; sets an option of this session
set lock_timeout 1000
