"""Importers read public catalogues and propose dated entries; they never write into the book."""
