-- peaje: cumulative transactions of every database, the server's clock, and since when it counts
-- versions: 10 to 13
-- privilege: none
-- reads: pg_stat_database, pg_stat_archiver (cleared with all other counters after a crash)
select (extract(epoch from clock_timestamp()) * 1000000)::bigint as clock_us,
       (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint as started_us,
       (select (extract(epoch from stats_reset) * 1000000)::bigint from pg_stat_archiver) as cleared_us,
       (select string_agg(concat_ws(':', datid, coalesce((extract(epoch from stats_reset) * 1000000)::bigint, 0),
                                    xact_commit + xact_rollback), ' ')
        from pg_stat_database) as databases
