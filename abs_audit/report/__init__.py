"""Renders results as text, JSON, HTML and exports; computes nothing."""
