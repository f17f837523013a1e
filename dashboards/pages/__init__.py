"""The pages: one file is one page."""
