// Applications with node's `pg` pool each, for scripts/bench-diagnosis. Its only argument is a JSON object; it runs
// until it is stopped. The work is the one of crates/watch/examples/pool_bb8.rs.
'use strict';
const { Pool } = require('pg');

const plan = JSON.parse(process.argv[2]);
const sleep = (s) => new Promise((done) => setTimeout(done, s * 1000));
const exponential = (mean) => -mean * Math.log(1 - Math.random());

function open() {
    const pool = new Pool({
        host: plan.host, port: plan.port, user: plan.user, database: plan.database, application_name: plan.app,
        min: plan.min ?? 0, max: plan.max, idleTimeoutMillis: (plan.idle_s ?? 0) * 1000,
        maxLifetimeSeconds: plan.lifetime_s ?? 0,
    });
    pool.on('error', () => {});
    return pool;
}

const request = (pool, hold) => pool.query(`select pg_sleep(${hold.toFixed(4)})`).catch(() => sleep(0.2));

async function application() {
    await sleep(Math.random() * (plan.start_within_s ?? 0));
    const pool = open(), work = plan.work;
    // The pool opens sessions on demand only: a minimum is reached by using it once.
    await Promise.all(Array.from({ length: plan.min ?? 0 }, () => request(pool, 0.3)));
    if (work.kind === 'trickle') {
        for (;;) {
            await sleep(exponential(work.every_s));
            await request(pool, work.hold_s);
        }
    }
    if (work.kind === 'bursts') {
        const size = work.least + Math.floor(Math.random() * (work.most - work.least + 1));
        if (!work.together) await sleep(Math.random() * work.period_s);
        for (;;) {
            for (let i = 0; i < size; i++) request(pool, work.hold_s);
            await sleep(work.period_s * (1 + work.jitter * (2 * Math.random() - 1)));
        }
    }
    const worker = async () => { for (;;) await request(pool, work.hold_s); };
    for (let i = 0; i < work.workers; i++) worker();
}

for (let i = 0; i < plan.pools; i++) application();
