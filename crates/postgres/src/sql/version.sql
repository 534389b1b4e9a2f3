-- peaje: what answered
-- versions: 10 and later
-- privilege: none
-- reads: the version sentence
select version() as version
