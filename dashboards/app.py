"""Entry of `streamlit run`: navigation only.

What lives here: page settings and the menu. What does not: anything that reads or draws data.
"""

import streamlit as st

from dashboards.discovery import find_pages
from dashboards.states import guarded

st.set_page_config(page_title="inferledger", layout="wide")
st.navigation(
    [
        # No icons: the browser would fetch them from a foreign server.
        st.Page(guarded(page.render), title=page.title, url_path=page.name)
        for page in find_pages()
    ]
).run()
