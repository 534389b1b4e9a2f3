// Clients that cannot log in: `mysql2` (MariaDB) or `tedious` (SQL Server) with a password that does not hold, again
// and again. See crates/watch/examples/unpooled.rs for the others.
'use strict';
const plan = JSON.parse(process.argv[2]);
const sleep = (s) => new Promise((done) => setTimeout(done, s * 1000));

// Resolves once the server has refused.
function mysql() {
    return new Promise((done) => {
        const connection = require('mysql2').createConnection({
            host: plan.host, port: plan.port, user: plan.user, password: plan.wrong_password,
        });
        connection.on('error', () => {});
        connection.connect(() => { connection.destroy(); done(); });
    });
}

function sqlserver() {
    const { Connection } = require('tedious');
    return new Promise((done) => {
        const connection = new Connection({
            server: plan.host,
            authentication: { type: 'default', options: { userName: plan.user, password: plan.wrong_password } },
            options: { port: plan.port, encrypt: false, trustServerCertificate: true, appName: plan.app },
        });
        connection.on('error', () => {});
        connection.connect(() => { connection.close(); done(); });
    });
}

async function client() {
    await sleep(Math.random() * plan.every_s);
    for (;;) {
        await (plan.engine === 'mysql' ? mysql() : sqlserver());
        await sleep(plan.every_s * (0.8 + 0.4 * Math.random()));
    }
}

for (let i = 0; i < plan.clients; i++) client();
