"""Readers and the frame around them, one file per module."""
