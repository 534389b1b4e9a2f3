// What tedious sends at the start: NODE_PATH=FOLDER/node_modules node tedious_start.js PORT PASSWORD
'use strict';
const { Connection, Request, TYPES } = require('tedious');

const [port, password] = process.argv.slice(2);
const connection = new Connection({
  server: '127.0.0.1',
  authentication: { type: 'default', options: { userName: 'sa', password } },
  options: { port: Number(port), encrypt: false, database: 'shop', appName: 'tedious test' },
});

const check = (next) => (e) => {
  if (e) throw e;
  next();
};

function prepared() {
  const request = new Request('select @p', check(() => connection.unprepare(ending(request))));
  request.addParameter('p', TYPES.Int);
  request.on('prepared', () => connection.execute(request, { p: 7 }));
  connection.prepare(request);
}

function ending(request) {
  request.userCallback = check(() => connection.close());
  return request;
}

connection.connect(
  check(() =>
    connection.execSql(
      new Request(
        'select 1',
        check(() =>
          connection.beginTransaction(
            check(() => connection.commitTransaction(check(() => connection.reset(check(prepared))))),
          ),
        ),
      ),
    ),
  ),
);
