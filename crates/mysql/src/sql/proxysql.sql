-- peaje: whether the thing between is ProxySQL, which answers exactly this text itself
-- servers: any; asked only when something stands between
-- privilege: none
-- reads: ProxySQL; a server answers with its own comment
select @@version_comment limit 1
