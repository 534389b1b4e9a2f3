-- peaje: has the server count the watching session's own login now, so that no later reading contains it
-- versions: 15 and later
-- privilege: none
-- reads: nothing; this session's own pending counts are written at once
select pg_stat_force_next_flush()
