"""Frozen leaves: the words of the project as data. Imports nothing of the project."""
