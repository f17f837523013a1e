"""Pipelines, one module at a time."""
