-- peaje: settings that decide what a login costs, and how many sessions fit
-- versions: any but Azure SQL Database
-- privilege: none
-- reads: sys.configurations
select c.name, cast(c.value_in_use as bigint) as value_in_use
from sys.configurations as c
where c.name in (N'user connections', N'remote admin connections', N'network packet size (B)', N'max worker threads',
                 N'contained database authentication', N'common criteria compliance enabled', N'c2 audit mode',
                 N'lightweight pooling', N'user options')
