"""Tests of the price book, one file per module of the room."""
