"""Tracers: find out which API methods downstream projects use. One sub-package a language."""
