"""What mssql-python sends at the start: mssql_python_start.py PORT PASSWORD"""
import sys

import mssql_python

port, password = sys.argv[1:]
mssql_python.pooling(enabled=False)
connection = mssql_python.connect(f"Server=tcp:127.0.0.1,{port};Encrypt=no;UID=sa;PWD={password}")
cursor = connection.cursor()
assert cursor.execute("select 1").fetchone()[0] == 1
assert cursor.execute("select ?", (5,)).fetchone()[0] == 5
connection.commit()
connection.close()
