"""Counts what the unit tests of Java projects call."""
