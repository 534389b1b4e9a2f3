// node's mysql2 against the reference server:
//   NODE_PATH=FOLDER/node_modules node node_mysql2.js PORT USER PASSWORD [ROOT.pem]
// Exits with 0 when every answer is right. The package is `mysql2`; FOLDER is where `npm install mysql2` was run.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const mysql = require('mysql2/promise');

const [port, user, password, root] = process.argv.slice(2);
const ssl = root ? { ca: fs.readFileSync(root, 'utf8'), servername: 'localhost' } : undefined;
const settings = { host: '127.0.0.1', port: Number(port), user, password, database: 'shop', ssl };

async function text() {
  const client = await mysql.createConnection({ ...settings, connectAttributes: { program_name: 'node' } });
  assert.deepEqual((await client.query('select 1'))[0], [{ 1: 1 }]);
  assert.match((await client.query('select version() as v'))[0][0].v, /peaje-reference-server/);
  assert.deepEqual((await client.query('select database() as d, user() as u'))[0], [{ d: 'shop', u: `${user}@127.0.0.1` }]);
  assert.ok((await client.query('select now() as t'))[0][0].t instanceof Date);
  const [cipher] = await client.query("show session status like 'Ssl_cipher'");
  assert.equal(cipher[0].Value !== '', Boolean(root));
  await assert.rejects(client.query('select * from t'), { errno: 1235, message: /is not a database/ });
  await client.ping();
  await client.end();
}

async function binary() {
  const client = await mysql.createConnection(settings);
  const [rows] = await client.execute('select ? as message, ? as n, ? as nothing', ['hola', 7, null]);
  assert.deepEqual(rows, [{ message: 'hola', n: 7, nothing: null }]);
  for (let n = 0; n < 20; n++) {
    assert.deepEqual((await client.execute('select ? as n', [n]))[0], [{ n }]);
  }
  await client.beginTransaction();
  await client.execute('select 1');
  await client.rollback();
  await client.end();
}

async function several() {
  const client = await mysql.createConnection({ ...settings, multipleStatements: true });
  const [results] = await client.query('select 1 as a; set @x = 5; select @x as b');
  assert.deepEqual([results[0], results[2]], [[{ a: 1 }], [{ b: 5 }]]);
  await client.end();
}

async function otherUser() {
  const client = await mysql.createConnection(settings);
  await client.changeUser({ user, password, database: 'other' });
  assert.equal((await client.query('select database() as d'))[0][0].d, 'other');
  await client.end();
}

async function pooled() {
  const pool = mysql.createPool({ ...settings, connectionLimit: 10 });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => pool.query('select ? as n', [n])));
  assert.deepEqual(answers.map(([rows]) => rows[0].n), Array.from({ length: 200 }, (_, n) => n));
  await pool.end();
}

async function refused() {
  await assert.rejects(mysql.createConnection({ ...settings, password: `${password}x` }), {
    errno: 1045, sqlState: '28000', message: /using password: YES/,
  });
  await assert.rejects(mysql.createConnection({ ...settings, database: 'missing_shop' }), { errno: 1049 });
}

// The server has 20 places.
async function full() {
  const held = await Promise.all(Array.from({ length: 20 }, () => mysql.createConnection(settings)));
  await assert.rejects(mysql.createConnection(settings), { errno: 1040, message: /Too many connections/ });
  await Promise.all(held.map((client) => client.end()));
}

async function main() {
  await text();
  await binary();
  await several();
  await otherUser();
  await pooled();
  await refused();
  // The goodbyes of the pool have been read by now: logins that came later have been answered.
  await full();
  console.log('ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
