"""Benchmark frameworks: compose commands, read outputs, start nothing."""
