// Clients without a pool: node's `pg`, a new client for each request. See crates/watch/examples/unpooled.rs.
'use strict';
const { Client } = require('pg');

const plan = JSON.parse(process.argv[2]);
const sleep = (s) => new Promise((done) => setTimeout(done, s * 1000));
const exponential = (mean) => -mean * Math.log(1 - Math.random());

async function worker() {
    for (;;) {
        await sleep(exponential(plan.work.think_s));
        const client = new Client({
            host: plan.host, port: plan.port, user: plan.user, database: plan.database, application_name: plan.app,
        });
        client.on('error', () => {});
        try {
            await client.connect();
            await client.query(`select pg_sleep(${plan.work.hold_s.toFixed(4)})`);
            await client.end();
        } catch {
            await sleep(0.2);
        }
    }
}

for (let i = 0; i < plan.work.workers; i++) worker();
