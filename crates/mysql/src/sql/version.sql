-- peaje: what answered
-- servers: any
-- privilege: none
-- reads: the version and its comment
select version() as version, @@version_comment as version_comment, @@hostname as host, @@port as port
