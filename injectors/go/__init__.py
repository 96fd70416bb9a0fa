"""The Go injector."""
