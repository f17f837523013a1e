"""The screens: Streamlit pages over the published snapshot.

May import `models`; never imports `pipelines`, never opens the warehouse, never names an unpublished table.
"""
