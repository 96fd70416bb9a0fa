"""Probes for Go sources."""
