// An application whose mysql2 pool works as it should, beside the clients that cannot log in.
'use strict';
const plan = JSON.parse(process.argv[2]);
const sleep = (s) => new Promise((done) => setTimeout(done, s * 1000));
const pool = require('mysql2').createPool({
    host: plan.host, port: plan.port, user: plan.user, password: plan.password, connectionLimit: plan.max,
    connectAttributes: { program_name: plan.app },
});

async function worker() {
    for (;;) {
        await new Promise((done) => pool.query('select sleep(0.01)', done));
        await sleep(0.2 + Math.random());
    }
}

for (let i = 0; i < plan.max; i++) worker();
