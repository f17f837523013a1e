"""Tests of the boundary ring."""
