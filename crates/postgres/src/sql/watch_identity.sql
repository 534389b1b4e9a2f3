-- peaje: which server this is, whatever address it is reached by
-- versions: 10 and later
-- privilege: none, unless an administrator has revoked the right to execute pg_control_system
-- reads: the control file
select system_identifier from pg_control_system()
