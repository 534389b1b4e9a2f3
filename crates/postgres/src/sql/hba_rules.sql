-- peaje: the rules that decide who may log in, how, and whether without encryption
-- versions: 10 and later
-- privilege: superuser, or select on pg_hba_file_rules and execute on pg_hba_file_rules()
-- reads: pg_hba_file_rules
select type, array_to_string(database, ',') as database, array_to_string(user_name, ',') as user_name, address,
       auth_method
from pg_hba_file_rules
where error is null
order by line_number
