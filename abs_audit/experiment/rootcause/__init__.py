"""Measures commits of a period until it is known which of them made a benchmark slower, and where."""
