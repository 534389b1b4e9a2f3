-- peaje: limits of the observing session itself; sent only when nothing stands between, or a pooler would keep them
-- versions: 10 and later
-- privilege: none
-- reads: nothing; sets parameters of this session
select set_config('statement_timeout', '5s', false) as statement_timeout,
       set_config('lock_timeout', '1s', false) as lock_timeout,
       set_config('default_transaction_read_only', 'on', false) as default_transaction_read_only
