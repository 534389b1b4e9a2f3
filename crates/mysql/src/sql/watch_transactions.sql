-- peaje: sessions with an open transaction
-- servers: any with InnoDB
-- privilege: process
-- reads: information_schema.innodb_trx
select trx_mysql_thread_id as id
from information_schema.innodb_trx
where trx_mysql_thread_id <> 0
