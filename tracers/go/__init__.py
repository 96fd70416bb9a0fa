"""Counts what the unit tests of Go projects call."""
