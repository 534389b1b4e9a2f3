-- peaje: the version sentence; sent only when the server does not understand all of `server`
-- versions: any
-- privilege: none
-- reads: @@version
select @@version as version
