-- peaje: whether the thing between is MaxScale
-- servers: any; asked only when something stands between
-- privilege: none
-- reads: MaxScale; a server answers with an error
select @@maxscale_version as version
