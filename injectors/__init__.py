"""Injectors: rewrite sources so that API methods carry a probe. One sub-package a language."""
