"""Finds a Go toolchain, composes what fetches modules, and reads what Go files declare."""
