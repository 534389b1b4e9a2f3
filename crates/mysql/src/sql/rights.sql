-- peaje: which views of the performance schema this account may read, so that none is asked in vain
-- servers: any
-- privilege: none; an account sees what it may read itself
-- reads: information_schema.columns
select table_name as view_name, privileges as rights
from information_schema.columns
where table_schema = 'performance_schema' and ordinal_position = 1
  and table_name in ('session_connect_attrs', 'threads', 'accounts', 'host_cache',
                     'memory_summary_global_by_event_name')
