-- peaje: plugins that take part in each login: authentication and audit
-- servers: any
-- privilege: none
-- reads: information_schema.plugins
select plugin_name as name, plugin_type as type
from information_schema.plugins
where plugin_status = 'ACTIVE' and plugin_type in ('AUTHENTICATION', 'AUDIT')
order by plugin_type, plugin_name
