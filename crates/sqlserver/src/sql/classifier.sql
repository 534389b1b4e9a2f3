-- peaje: the function of Resource Governor that classifies each new session
-- versions: 2008 and later, not Azure SQL Database
-- privilege: VIEW ANY DEFINITION; without it the function's name is not seen
-- reads: sys.resource_governor_configuration
select g.is_enabled, g.classifier_function_id,
       object_schema_name(g.classifier_function_id, 1) + N'.' + object_name(g.classifier_function_id, 1) as name
from sys.resource_governor_configuration as g
