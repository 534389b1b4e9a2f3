"""mssql-python against the reference server: mssql_python_client.py PORT PASSWORD ENCRYPT

Exits with 0 when every answer is right. The package is `mssql-python`, with `mssql-python-odbc`.
"""
import struct
import sys

import mssql_python

SQL_COPT_SS_ACCESS_TOKEN = 1256

port, password, encrypt = sys.argv[1:]
server = f"Server=tcp:127.0.0.1,{port};Encrypt={encrypt};TrustServerCertificate=yes"
mssql_python.pooling(enabled=False)


def fails(call, words):
    try:
        call()
    except Exception as error:  # the class depends on the state that the driver gives
        assert words in str(error), error
    else:
        raise AssertionError(f"it should say: {words}")


connection = mssql_python.connect(f"{server};UID=sa;PWD={password};Database=shop")
cursor = connection.cursor()
assert [tuple(row) for row in cursor.execute("select 1").fetchall()] == [(1,)]
assert "peaje reference server" in cursor.execute("select @@version").fetchone()[0]
assert cursor.execute("select db_name()").fetchone()[0] == "shop"
assert tuple(cursor.execute("select ?, ?", (5, "hola")).fetchone()) == (5, "hola")
assert cursor.execute("select @@trancount").fetchone()[0] == 1, "it begins a transaction by itself"
connection.commit()
fails(lambda: cursor.execute("select nope from nowhere"), "reference server does not know this statement")
connection.rollback()
connection.autocommit = True
assert cursor.execute("select @@trancount").fetchone()[0] == 0
for n in range(20):
    assert cursor.execute("select ?", (n,)).fetchone()[0] == n
connection.close()

if encrypt == "yes":
    token = password.encode("utf-16-le")
    attribute = {SQL_COPT_SS_ACCESS_TOKEN: struct.pack(f"<I{len(token)}s", len(token), token)}
    connection = mssql_python.connect(server, attrs_before=attribute)
    assert connection.cursor().execute("select 1").fetchone()[0] == 1
    connection.close()

fails(lambda: mssql_python.connect(f"{server};UID=sa;PWD=wrong"), "Login failed for user 'sa'.")
fails(lambda: mssql_python.connect(f"{server};UID=sa;PWD={password};Database=missing_one"), "Login failed")
