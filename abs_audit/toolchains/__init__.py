"""Finds toolchains and composes the commands that make an environment for a subject."""
