"""Benchmark frameworks of Python: compose commands, read outputs, start nothing."""
