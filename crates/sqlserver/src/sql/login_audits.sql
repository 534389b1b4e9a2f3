-- peaje: server audits that record each login or logout
-- versions: 2008 and later, not Azure SQL Database
-- privilege: VIEW ANY DEFINITION (2022 and later: VIEW ANY SECURITY DEFINITION); without it the audits are not seen
-- reads: sys.server_audit_specifications, sys.server_audit_specification_details, sys.server_audits
select a.name, d.audit_action_name, a.on_failure_desc
from sys.server_audit_specifications as s
join sys.server_audits as a on a.audit_guid = s.audit_guid
join sys.server_audit_specification_details as d on d.server_specification_id = s.server_specification_id
where s.is_state_enabled = 1 and a.is_state_enabled = 1
  and d.audit_action_name in (N'SUCCESSFUL_LOGIN_GROUP', N'FAILED_LOGIN_GROUP', N'LOGOUT_GROUP',
                              N'SUCCESSFUL_DATABASE_AUTHENTICATION_GROUP', N'FAILED_DATABASE_AUTHENTICATION_GROUP',
                              N'DATABASE_LOGOUT_GROUP')
