"""The engine port and its engines: the only place that speaks to a database.

`base.py` says the verbs, `duckdb.py` and `spark.py` keep them. Importing this room loads neither PySpark
nor sqlglot; only `spark.py` does. Nothing outside branches on an engine's name.
"""
