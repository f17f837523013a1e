"""Tests of the scheduler without a daemon."""
