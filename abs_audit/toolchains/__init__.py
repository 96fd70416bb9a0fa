"""Finds toolchains, composes the commands that make an environment for a subject, and reads its layout."""
