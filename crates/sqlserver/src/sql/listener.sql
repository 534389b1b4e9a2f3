-- peaje: the availability-group listeners of this server, to be compared with the address that was dialled
-- versions: 2012 and later, with availability groups on
-- privilege: VIEW ANY DEFINITION
-- reads: sys.availability_group_listeners, sys.availability_group_listener_ip_addresses
select l.dns_name, a.ip_address, l.port
from sys.availability_group_listeners as l
join sys.availability_group_listener_ip_addresses as a on a.listener_id = l.listener_id
