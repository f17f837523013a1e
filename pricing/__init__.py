"""What things cost: dated YAML tables, half-open periods, and their compilation to flat price rows.

Imports nothing of ours outside this room, and neither Dagster, Streamlit nor Great Expectations.
"""
