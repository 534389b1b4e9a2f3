-- peaje: which server this is, told apart from its standbys
-- versions: 10 and later
-- privilege: none
-- reads: the session's own connection, settings
select host(inet_server_addr()) as address, current_setting('port') as port, current_setting('cluster_name') as cluster
