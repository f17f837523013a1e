"""The pages, one file each: a TITLE, a `render` function, and an ORDER if its place in the menu matters.

Not named `pages`: beside the entry script Streamlit takes a folder of that name for its older kind of app,
runs the files in it by itself, and shows an empty page where they only define functions.
"""
