-- peaje: event triggers that run at each login
-- versions: 17 and later
-- privilege: none
-- reads: pg_event_trigger
select count(*) as triggers, coalesce(string_agg(evtname, ', ' order by evtname), '') as names
from pg_event_trigger
where evtevent = 'login' and evtenabled <> 'D'
