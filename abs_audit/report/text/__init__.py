"""Summaries for terminals: the answer first, then what it rests on; at 80 columns, without colour."""
