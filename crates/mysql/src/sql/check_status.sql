-- peaje: threads made for logins so far
-- servers: any
-- privilege: none
-- reads: global status
show global status where variable_name in ('Threads_created', 'Threads_cached', 'Connections')
