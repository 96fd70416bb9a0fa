"""The Java injector."""
