-- peaje: whether something stands between peaje and the server (the address and port the server sees)
-- versions: 10 and later
-- privilege: none
-- reads: the session's own connection
select inet_client_addr() as client_address, inet_client_port() as client_port
