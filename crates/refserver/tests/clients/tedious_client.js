// tedious against the reference server:
//   NODE_PATH=FOLDER/node_modules node tedious_client.js PORT PASSWORD no|yes|strict [ROOT.pem]
// Exits with 0 when every answer is right. The package is `tedious`; FOLDER is where `npm install tedious` was run.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { Connection, Request, TYPES } = require('tedious');

const [port, password, encrypt, root] = process.argv.slice(2);
const options = {
  port: Number(port),
  encrypt: encrypt === 'strict' ? 'strict' : encrypt === 'yes',
  // Strict encryption verifies the certificate, whatever is said here.
  trustServerCertificate: !root,
  cryptoCredentialsDetails: root ? { ca: fs.readFileSync(root, 'utf8') } : {},
  serverName: 'localhost',
  database: 'shop',
  appName: 'tedious test',
};

const byPassword = (secret) => ({ type: 'default', options: { userName: 'sa', password: secret } });
const byToken = (token) => ({ type: 'azure-active-directory-access-token', options: { token } });

function connect(more = {}, authentication = byPassword(password)) {
  const connection = new Connection({ server: 'localhost', authentication, options: { ...options, ...more } });
  return new Promise((resolve, reject) => connection.connect((e) => (e ? reject(e) : resolve(connection))));
}

// The rows of a request that is run in the way `how` says.
function rows(connection, sql, how = 'execSql', parameters = []) {
  return new Promise((resolve, reject) => {
    const found = [];
    const request = new Request(sql, (e) => (e ? reject(e) : resolve(found)));
    parameters.forEach(([name, type, value]) => request.addParameter(name, type, value));
    request.on('row', (row) => found.push(row.map((column) => column.value)));
    connection[how](request);
  });
}

const done = (call) => new Promise((resolve, reject) => call((e) => (e ? reject(e) : resolve())));

async function queries(connection) {
  assert.deepEqual(await rows(connection, 'select 1'), [[1]]);
  assert.deepEqual(await rows(connection, 'select 1', 'execSqlBatch'), [[1]]);
  assert.match((await rows(connection, 'select @@version'))[0][0], /peaje reference server/);
  assert.deepEqual(await rows(connection, 'select db_name(), app_name()'), [['shop', 'tedious test']]);
  const values = [['n', TYPES.Int, 7], ['t', TYPES.NVarChar, 'hola'], ['b', TYPES.Bit, true], ['x', TYPES.BigInt, null]];
  assert.deepEqual(await rows(connection, 'select @n, @t, @b, @x', 'execSql', values), [[7, 'hola', true, null]]);
  await assert.rejects(rows(connection, 'select * from nowhere'), { number: 50000, message: /not a database/ });
}

async function prepared(connection) {
  const found = [];
  let ended;
  const request = new Request('select @p', (e) => ended(e));
  request.addParameter('p', TYPES.Int);
  request.on('row', (row) => found.push(row[0].value));
  const next = (begin) => new Promise((resolve, reject) => ((ended = (e) => (e ? reject(e) : resolve())), begin()));
  await new Promise((resolve) => (request.on('prepared', resolve), connection.prepare(request)));
  for (let p = 0; p < 5; p++) await next(() => connection.execute(request, { p }));
  await next(() => connection.unprepare(request));
  assert.deepEqual(found, [0, 1, 2, 3, 4]);
}

async function transactions(connection) {
  await done((callback) => connection.beginTransaction(callback));
  assert.deepEqual(await rows(connection, 'select @@trancount'), [[1]]);
  await done((callback) => connection.commitTransaction(callback));
  await done((callback) => connection.beginTransaction(callback));
  await done((callback) => connection.rollbackTransaction(callback));
  assert.deepEqual(await rows(connection, 'select @@trancount'), [[0]]);
  await rows(connection, 'use other', 'execSqlBatch');
  await done((callback) => connection.reset(callback));
  assert.deepEqual(await rows(connection, 'select db_name()'), [['shop']]);
}

async function cancelled(connection) {
  const request = new Promise((resolve, reject) => {
    const r = new Request("waitfor delay '00:00:20'", (e) => (e ? reject(e) : resolve()));
    connection.execSqlBatch(r);
    setTimeout(() => connection.cancel(), 50);
  });
  await assert.rejects(request, { code: 'ECANCEL' });
  assert.deepEqual(await rows(connection, 'select 2'), [[2]]);
}

async function main() {
  const connection = await connect();
  await queries(connection);
  await prepared(connection);
  await transactions(connection);
  await cancelled(connection);
  connection.close();
  await assert.rejects(connect({}, byPassword('wrong')), { code: 'ELOGIN', message: "Login failed for user 'sa'." });
  if (encrypt !== 'no') {
    const withToken = await connect({}, byToken(password));
    assert.deepEqual(await rows(withToken, 'select 1'), [[1]]);
    withToken.close();
    await assert.rejects(connect({}, byToken('another')), { message: /Login failed/ });
  }
  await assert.rejects(connect({ database: 'missing_one' }), { message: /missing_one|Login failed/ });
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
