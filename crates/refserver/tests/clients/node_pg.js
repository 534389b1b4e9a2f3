// node-postgres against the reference server:
//   NODE_PATH=FOLDER/node_modules node node_pg.js PORT [USER PASSWORD [ROOT.pem]]
// Exits with 0 when every answer is right. The package is `pg`; FOLDER is where `npm install pg` was run.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { Client, Pool } = require('pg');

const [port, user = 'ana', password = undefined, root = undefined] = process.argv.slice(2);
const ssl = root ? { ca: fs.readFileSync(root, 'utf8'), servername: 'localhost' } : false;
const settings = { host: '127.0.0.1', port: Number(port), user, password, database: 'shop', ssl };

async function simple() {
  const client = new Client({ ...settings, application_name: 'node' });
  await client.connect();
  assert.deepEqual((await client.query('select 1')).rows, [{ '?column?': 1 }]);
  assert.match((await client.query('select version()')).rows[0].version, /peaje reference server/);
  assert.equal((await client.query('show application_name')).rows[0].application_name, 'node');
  assert.deepEqual((await client.query('')).rows, []);
  await assert.rejects(client.query('select * from pg_class'), { code: '0A000', hint: /not a database/ });
  assert.ok((await client.query('select now()')).rows[0].now instanceof Date);
  await client.end();
}

async function extended() {
  const client = new Client(settings);
  await client.connect();
  const answer = await client.query('select $1::text as message, $2::int4 as n, $3::bool as b', ['hola', 7, true]);
  assert.deepEqual(answer.rows, [{ message: 'hola', n: 7, b: true }]);
  for (let n = 0; n < 20; n++) {
    const named = { name: 'kept', text: 'select $1::int8 as n', values: [n] };
    assert.equal((await client.query(named)).rows[0].n, String(n));
  }
  const binary = await client.query({ text: 'select $1::int4 as n', values: [7], binary: true });
  assert.equal(binary.rows[0].n, 7);
  await client.query('begin');
  await assert.rejects(client.query('select nope($1)', [1]), { code: '0A000' });
  await assert.rejects(client.query('select 1'), { code: '25P02' });
  await client.query('rollback');
  await client.query('select 1');
  await client.end();
}

async function pooled() {
  const pool = new Pool({ ...settings, max: 10 });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => pool.query('select $1::int4 as n', [n])));
  assert.deepEqual(answers.map((a) => a.rows[0].n), Array.from({ length: 200 }, (_, n) => n));
  await pool.end();
}

async function wrongPassword() {
  if (!password) return;
  const client = new Client({ ...settings, password: `${password}x` });
  await assert.rejects(client.connect(), { code: '28P01' });
}

async function main() {
  await simple();
  await extended();
  await pooled();
  await wrongPassword();
  console.log('ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
