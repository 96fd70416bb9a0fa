"""Finds JDK, Maven and Gradle, and composes what builds a project."""
