-- peaje: whether something stands between peaje and the server (the address and port the server sees)
-- versions: any
-- privilege: VIEW SERVER STATE (2022 and later: VIEW SERVER SECURITY STATE; Azure SQL Database: VIEW DATABASE STATE)
-- reads: sys.dm_exec_connections
select c.client_net_address, c.client_tcp_port, c.local_net_address, c.local_tcp_port, c.encrypt_option,
       c.net_packet_size
from sys.dm_exec_connections as c
where c.session_id = @@spid and c.parent_connection_id is null
