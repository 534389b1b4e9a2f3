-- peaje: whether this account has the right PROCESS, so that nothing that needs it is asked in vain
-- servers: any
-- privilege: none; an account sees its own rights
-- reads: the account's own rights
show grants
