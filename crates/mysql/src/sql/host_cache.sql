-- peaje: what the server remembers of hosts whose connections went wrong
-- servers: MySQL 5.6 and later and MariaDB 10.5 and later, with performance_schema=ON and without skip_name_resolve
-- privilege: select on performance_schema.host_cache
-- reads: performance_schema.host_cache
select count(*) as hosts, coalesce(sum(count_host_blocked_errors), 0) as blocked,
       coalesce(max(sum_connect_errors), 0) as worst_errors,
       coalesce(sum(count_nameinfo_transient_errors + count_nameinfo_permanent_errors
                    + count_addrinfo_transient_errors + count_addrinfo_permanent_errors), 0) as name_errors
from performance_schema.host_cache
