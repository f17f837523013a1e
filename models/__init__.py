"""The cost model: SQL files, the engine port, the read side of snapshots and the levers.

Imports nothing of ours outside this room, and neither Dagster, Streamlit nor Great Expectations.
"""
