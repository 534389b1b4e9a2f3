-- peaje: the server's name and its clock, where its counters may not be read
-- versions: any
-- privilege: none
-- reads: @@servername, sysutcdatetime()
select coalesce(@@servername, cast(serverproperty(N'ServerName') as nvarchar(128))) as server_name,
       cast(datediff(day, '19700101', n.utc) as bigint) * 86400000
         + datediff(millisecond, cast(cast(n.utc as date) as datetime2), n.utc) as now_ms
from (select sysutcdatetime() as utc) as n
