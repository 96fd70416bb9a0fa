"""Measures commits and their call trees, and makes no run twice."""
