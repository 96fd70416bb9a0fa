"""Finds Python interpreters and composes what makes an environment for a subject."""
